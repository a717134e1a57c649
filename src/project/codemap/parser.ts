import { createRequire } from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Parsed } from "./source/syntax.ts"

/** The part of `oxc-parser` that is used. */
export interface Parser {
  parseSync: (name: string, text: string, options: ParseOptions) => Parsed
  /** On a thread of its own. */
  parse: (name: string, text: string, options: ParseOptions) => Promise<Parsed>
}

interface ParseOptions {
  lang: "jsx" | "ts" | "tsx" | "dts"
  sourceType: "module" | "unambiguous"
}

/**
 * `oxc-parser`, from our own install, the project's, or the folder that `hivemind codemap --install` fills; undefined
 * where it is in none. It is native, larger than all of HiveMind, and loaded when the first map is made.
 */
export async function loadParser(dir: string, cache: string = parserCache()): Promise<Parser | undefined> {
  for (const place of [undefined, dir, cache]) {
    const parser = await parserIn(place)
    if (parser !== undefined) return parser
  }
  return undefined
}

/** Whether there is one to load, without loading it. */
export function hasParser(dir: string, cache: string = parserCache()): boolean {
  return [import.meta.url, join(dir, "package.json"), join(cache, "package.json")].some((from) => {
    try {
      return createRequire(from).resolve(PACKAGE) !== ""
    } catch {
      return false // Not there.
    }
  })
}

/** Where a user keeps the parser for all projects. */
export function parserCache(): string {
  return join(homedir(), ".cache", "hivemind", "parser")
}

export function parseOptions(path: string): ParseOptions {
  const [, declares, ending = ""] = /(\.d)?\.([cm]?tsx?)$/i.exec(path) ?? []
  if (ending === "") return { lang: "jsx", sourceType: "unambiguous" }
  const isPlain = !/x$/i.test(ending)
  return { lang: !isPlain ? "tsx" : declares === undefined ? "ts" : "dts", sourceType: "module" }
}

/** That of one folder; without one, our own. */
export async function parserIn(folder: string | undefined): Promise<Parser | undefined> {
  try {
    const found: unknown =
      folder === undefined
        ? await import(PACKAGE)
        : await import(pathToFileURL(createRequire(join(folder, "package.json")).resolve(PACKAGE)).href)
    return isParser(found) ? found : undefined
  } catch {
    return undefined // Not there, or not made for this system.
  }
}

/** A project may have one of another time: it is tried on a line. */
function isParser(found: unknown): found is Parser {
  if (typeof found !== "object" || found === null || !("parseSync" in found) || !("parse" in found))
    return false
  const { module, comments } = (found as Parser).parseSync("a.ts", "import type A from 'b' // c", {
    lang: "ts",
    sourceType: "module",
  })
  const [first] = module.staticImports
  const isRead = first?.moduleRequest.value === "b" && first.entries[0]?.isType === true
  return isRead && comments[0]?.value === " c"
}

export const PACKAGE: string = "oxc-parser"
