import { readdirSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { isGlob, segmentsMeet } from "../shared/glob.ts"

/**
 * The files on disk that glob patterns match, and the targets of matching links. `**` goes one folder deep, and the search
 * stops after some thousand names.
 */
export function expandGlobs(patterns: readonly string[]): string[] {
  const found = new Set<string>()
  let left = MAX_ENTRIES

  function follow(folder: string, [segment, ...rest]: readonly string[]): void {
    if (segment === undefined || left <= 0) return
    const isName = rest.length > 0 && !isGlob(segment)
    if (isName) follow(join(folder, segment), rest)
    const entries = isName ? [] : namesIn(folder).slice(0, left)
    left -= entries.length
    if (segment === "**") follow(folder, rest)
    for (const entry of entries) {
      const path = join(folder, entry.name)
      const isMatch = segment === "**" ? !LEFT_OUT.has(entry.name) : segmentsMeet(segment, entry.name)
      if (isMatch && rest.length > 0 && entry.isDirectory()) follow(path, rest)
      if (!isMatch || rest.length > 0 || segment === "**") continue
      found.add(path)
      if (entry.isSymbolicLink()) found.add(linkTarget(path))
    }
  }

  for (const pattern of new Set(patterns)) {
    const segments = pattern.split("/")
    const fixed = segments.findIndex(isGlob)
    if (fixed !== -1) follow(segments.slice(0, fixed).join("/") || "/", segments.slice(fixed))
  }
  return [...found]
}

function namesIn(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    return [] // Missing or unreadable: then the command finds nothing there either.
  }
}

function linkTarget(link: string): string {
  try {
    return realpathSync(link)
  } catch {
    return link // It leads nowhere.
  }
}

const LEFT_OUT = new Set(["node_modules", ".git"])
const MAX_ENTRIES = 3000
