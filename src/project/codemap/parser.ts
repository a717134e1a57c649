import { createRequire } from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { ParseResult, ParserOptions } from "oxc-parser"

/** The part of `oxc-parser` that HiveMind uses. `parse` runs on a thread of the parser. */
export interface Parser {
  parseSync: (name: string, text: string, options: ParserOptions) => ParseResult
  parse: (name: string, text: string, options: ParserOptions) => Promise<ParseResult>
}

/** Loads `oxc-parser` from HiveMind's install, the project, or the folder of `hivemind scan codemap --install`. */
export async function loadParser(dir: string): Promise<Parser | undefined> {
  return (await parserIn(undefined)) ?? (await parserIn(dir)) ?? (await parserIn(parserCache()))
}

export function hasParser(dir: string): boolean {
  return [import.meta.url, join(dir, "package.json"), join(parserCache(), "package.json")].some((from) => {
    try {
      return createRequire(from).resolve(PACKAGE) !== ""
    } catch {
      return false // The parser is not installed there.
    }
  })
}

export function parserCache(): string {
  return join(homedir(), ".cache", "hivemind", "parser")
}

export function parseOptions(path: string): ParserOptions {
  const [, declares, ending = ""] = /(\.d)?\.([cm]?tsx?)$/i.exec(path) ?? []
  if (ending === "") return { lang: "jsx", sourceType: "unambiguous" }
  const isPlain = !/x$/i.test(ending)
  return { lang: !isPlain ? "tsx" : declares === undefined ? "ts" : "dts", sourceType: "module" }
}

/** Loads the parser that is installed for a folder; without a folder, that of HiveMind. */
export async function parserIn(folder: string | undefined): Promise<Parser | undefined> {
  try {
    const found: unknown =
      folder === undefined
        ? await import(PACKAGE)
        : await import(pathToFileURL(createRequire(join(folder, "package.json")).resolve(PACKAGE)).href)
    return isParser(found) ? found : undefined
  } catch {
    return undefined // The parser is not installed, or not built for this operating system.
  }
}

/** Tests the module with a line of code, as the project may have an incompatible version. */
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

/** Whether a text is nested so deeply that the recursive parser could crash the process. Harmless texts may count too. */
export function isTooNested(text: string): boolean {
  if (text.length < SHORT_CHARS) return false
  // The number of chained operators before each open bracket: 2 in `a => b ? c : d = [`.
  const outer: number[] = []
  let [links, nested, signs] = [0, 0, 0]
  for (const mark of marksOf(text)) {
    if ("([{".includes(mark)) {
      outer.push(links)
      nested += links
      links = 0
    } else if (")]}".includes(mark)) {
      const before = outer.pop() ?? 0
      nested -= before
      links = before + 1
    } else if ("=?:<".includes(mark)) links++
    else if ("!+*~-".includes(mark)) signs++
    else links = 0
    if (outer.length > MAX_BRACKETS || nested + links > MAX_LINKS || signs > MAX_SIGNS) return true
  }
  return text.length > MAX_WORDS * 3 && (text.match(NESTING_WORD)?.length ?? 0) > MAX_WORDS
}

/** Yields brackets and operators one at a time, so that the caller can stop early in a hostile file full of them. */
function* marksOf(text: string): Generator<string, void, void> {
  for (let at = 0; at < text.length; at += WINDOW_CHARS)
    yield* text.slice(at, at + WINDOW_CHARS).match(MARK) ?? []
}

// Brackets, operators, and the ends of an operator chain: `;`, `,` and a statement at the start of a line.
const MARK =
  /[()[\]{}=?:<!+*~;,-]|^(?:export|import|const|let|var|function|class|interface|type|enum|declare|abstract|async)\b/gm
const NESTING_WORD = /\b(?:new|await|keyof|do|yield|infer|else)\b/g
// Well below what crashed the parser: 2,000 nested classes, 4,000 brackets, 8,000 arrows, 64,000 operators.
const MAX_BRACKETS = 500
const MAX_LINKS = 3000
const MAX_WORDS = 8000
const MAX_SIGNS = 30_000
const SHORT_CHARS = 2000
const WINDOW_CHARS = 10_000
