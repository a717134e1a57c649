import { opendirSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { isGlob, segmentsMeet } from "../shared/glob.ts"

/**
 * The files on disk that some patterns of a command mean, by their own names and by where they lead. `**` goes into the
 * folders of one folder and no deeper, and past some thousand names nothing more is looked at.
 */
export function filesMeant(patterns: readonly string[]): string[] {
  const found = new Set<string>()
  const listed = new Map<string, Entry[]>()
  let left = MAX_ENTRIES
  let compared = 0

  function entriesOf(folder: string): Entry[] {
    const known = listed.get(folder)
    if (known !== undefined) return known
    const entries = readEntries(folder, left)
    left -= entries.length
    listed.set(folder, entries)
    return entries
  }

  function follow(folder: string, [segment, ...rest]: readonly string[]): void {
    if (segment === undefined || left <= 0) return
    if (segment === "**") {
      follow(folder, rest)
      for (const { name, isFolder } of entriesOf(folder))
        if (isFolder && !LEFT_OUT.has(name)) follow(join(folder, name), rest)
    } else if (rest.length > 0 && !isGlob(segment)) follow(join(folder, segment), rest)
    else
      for (const { name, isFolder, isLink } of entriesOf(folder)) {
        if (compared++ > MAX_COMPARED) return
        if (!segmentsMeet(segment, name)) continue
        const path = join(folder, name)
        if (rest.length > 0 && isFolder) follow(path, rest)
        if (rest.length > 0) continue
        found.add(path)
        if (isLink) found.add(targetOf(path))
      }
  }

  for (const pattern of new Set(patterns)) {
    const segments = pattern.split("/")
    const fixed = segments.findIndex(isGlob)
    if (fixed !== -1) follow(segments.slice(0, fixed).join("/") || "/", segments.slice(fixed))
  }
  return [...found]
}

interface Entry {
  name: string
  isFolder: boolean
  isLink: boolean
}

function readEntries(path: string, limit: number): Entry[] {
  const entries: Entry[] = []
  try {
    const folder = opendirSync(path)
    try {
      for (let one = folder.readSync(); one !== null && entries.length < limit; one = folder.readSync())
        entries.push({ name: one.name, isFolder: one.isDirectory(), isLink: one.isSymbolicLink() })
    } finally {
      folder.closeSync()
    }
  } catch {
    // Not there, or not to be read: then the command will not find anything either.
  }
  return entries
}

function targetOf(link: string): string {
  try {
    return realpathSync(link)
  } catch {
    return link // It leads nowhere.
  }
}

const LEFT_OUT = new Set(["node_modules", ".git"])
const MAX_ENTRIES = 3000
const MAX_COMPARED = 10_000
