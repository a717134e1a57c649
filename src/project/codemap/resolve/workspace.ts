import { dirname } from "node:path/posix"
import picomatch from "picomatch"
import { readProjectFile } from "../../files/read-file.ts"
import type { FileTree } from "./file-tree.ts"

/**
 * Whether a file gets other packages of the project by their names. The members of a workspace do. An example beside it
 * with a `package.json` of its own gets what it asks for from the registry, unless it says otherwise.
 */
export function workspace(dir: string, tree: FileTree) {
  const isMember = memberTest(globsOf(dir, tree))
  const linksOf = new Map<string, ReadonlySet<string>>()

  function linksIn(path: string): ReadonlySet<string> {
    const known = linksOf.get(path)
    if (known !== undefined) return known
    const json = tree.json(path)
    const asked = FIELDS.flatMap((field) => Object.entries(json?.[field] ?? {}))
    const links = new Set(asked.filter(([, version]) => LINK.test(String(version))).map(([name]) => name))
    linksOf.set(path, links)
    return links
  }

  return {
    reaches(from: string, name: string): boolean {
      const path = tree.nearest(from, ["package.json"])
      if (path === undefined || isMember(dirname(path))) return true
      return tree.packageIn(dirname(path))?.name === name || linksIn(path).has(name)
    },
  }
}

/** Where nobody has written down what belongs together, all does. */
function memberTest(globs: readonly string[]): (folder: string) => boolean {
  if (globs.length === 0) return () => true
  const left = globs.flatMap((glob) => (glob.startsWith("!") ? [clean(glob.slice(1))] : []))
  const isIn = picomatch(globs.filter((glob) => !glob.startsWith("!")).map(clean))
  const isOut = picomatch(left)
  return (folder) => folder === "." || (isIn(folder) && !isOut(folder))
}

function clean(glob: string): string {
  return glob.replace(/^\.\//, "").replace(/\/$/, "")
}

function globsOf(dir: string, tree: FileTree): string[] {
  const field = tree.has("package.json") ? tree.json("package.json")?.["workspaces"] : undefined
  const listed = Array.isArray(field) ? field : listIn(field, "packages")
  return [
    ...listed,
    ...(tree.has("lerna.json") ? listIn(tree.json("lerna.json"), "packages") : []),
    ...(tree.has("pnpm-workspace.yaml") ? pnpmGlobs(dir) : []),
  ].filter((each): each is string => typeof each === "string")
}

function listIn(value: unknown, name: string): unknown[] {
  const list = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
  return Array.isArray(list) ? list : []
}

/** The list under `packages:`, which pnpm's file has at its top. */
function pnpmGlobs(dir: string): string[] {
  const found = readProjectFile(dir, "pnpm-workspace.yaml", MAX_BYTES)
  const [, list = ""] =
    /^packages:[^\S\n]*\n((?:[^\S\n]*(?:-.*|#.*)?\n?)*)/m.exec("text" in found ? found.text : "") ?? []
  return [...list.matchAll(/^\s*-\s*["']?([^"'#\n]+?)["']?\s*(?:#.*)?$/gm)].map(([, glob = ""]) => glob)
}

const FIELDS = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"]
const LINK = /^(?:workspace|link|file|portal):/
const MAX_BYTES = 128 << 10
