import { readFileSync } from "node:fs"
import { join } from "node:path"
import picomatch from "picomatch"

/** What the `.gitignore` files of a folder and of those above it leave out. */
export interface IgnoreRules {
  ignores: (path: string, isFolder: boolean) => boolean
}

export const NO_RULES: IgnoreRules = { ignores: () => false }

/** Those of this folder over those from above: the last rule that fits a path decides. */
export function rulesIn(dir: string, folder: string, above: IgnoreRules): IgnoreRules {
  const rules = textOf(join(dir, folder, ".gitignore"))
    .split(/\r?\n/)
    .slice(0, MAX_LINES)
    .flatMap(parse)
  if (rules.length === 0) return above
  const prefix = folder === "" ? "" : `${folder}/`
  return {
    ignores(path, isFolder) {
      const inside = path.slice(prefix.length)
      const last = rules.findLast((rule) => (isFolder || !rule.onlyFolders) && rule.fits(inside))
      return last === undefined ? above.ignores(path, isFolder) : !last.isKept
    },
  }
}

interface Rule {
  /** Takes back what an earlier rule left out. */
  isKept: boolean
  onlyFolders: boolean
  fits: (path: string) => boolean
}

function parse(line: string): Rule[] {
  const text = line.replace(/(?<!\\)\s+$/, "")
  if (text === "" || text.startsWith("#") || text.length > MAX_CHARS) return []
  const isKept = text.startsWith("!")
  const plain = text.slice(isKept ? 1 : 0)
  const onlyFolders = plain.endsWith("/")
  const pattern = onlyFolders ? plain.slice(0, -1) : plain
  if (pattern === "" || pattern === "/") return []
  // A pattern with a slash in it is meant from its own folder, one without at any depth.
  const anchored = pattern.includes("/") ? pattern.replace(/^\//, "") : `**/${pattern}`
  try {
    return [{ isKept, onlyFolders, fits: picomatch(anchored, { dot: true, nobrace: true, noextglob: true }) }]
  } catch {
    return [] // No pattern that anything could fit.
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return "" // Gone meanwhile, or not for us to see.
  }
}

const MAX_LINES = 1000
const MAX_CHARS = 500
