import { join } from "node:path/posix"
import type { FileTree } from "./file-tree.ts"

/**
 * The file that a path without an ending, with another one (`./a.js` written for `a.ts`), or of a folder stands for, in
 * TypeScript's order. `path` is relative to the project.
 */
export function findFile(tree: FileTree, path: string): string | undefined {
  return asFile(tree, path) ?? asFolder(tree, path)
}

/** The same without looking for a folder's index. */
export function asFile(tree: FileTree, path: string): string | undefined {
  const ending = ENDINGS.exec(path)?.[0].toLowerCase()
  const swapped = ending === undefined ? undefined : SWAPPED.get(ending)
  if (ending !== undefined && swapped !== undefined) {
    const found = firstOf(tree, path.slice(0, -ending.length), swapped)
    if (found !== undefined) return found
  }
  if (tree.has(path)) return path
  return firstOf(tree, path, TRIED)
}

function asFolder(tree: FileTree, folder: string): string | undefined {
  const main = tree.packageIn(folder)
  for (const target of main === undefined ? [] : [main.types, main.main]) {
    const found =
      target === undefined
        ? undefined
        : (asFile(tree, join(folder, target)) ?? asIndex(tree, join(folder, target)))
    if (found !== undefined) return found
  }
  return asIndex(tree, folder)
}

function asIndex(tree: FileTree, folder: string): string | undefined {
  const inside = folder.replace(/\/$/, "")
  return firstOf(tree, inside === "." || inside === "" ? "index" : `${inside}/index`, TRIED)
}

function firstOf(tree: FileTree, stem: string, endings: readonly string[]): string | undefined {
  for (const ending of endings) if (tree.has(stem + ending)) return stem + ending
  return undefined
}

const ENDINGS = /\.(?:[cm]?jsx?)$/i
const SWAPPED = new Map([
  [".js", [".ts", ".tsx", ".d.ts"]],
  [".jsx", [".tsx", ".ts", ".d.ts"]],
  [".mjs", [".mts", ".d.mts"]],
  [".cjs", [".cts", ".d.cts"]],
])
const TRIED = [".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".json"]
