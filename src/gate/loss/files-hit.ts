import type { Dirent } from "node:fs"
import { opendir } from "node:fs/promises"
import { posix } from "node:path"
import { isGlob, segmentsMeet } from "../../shared/glob.ts"

/** What is written over: one file, a folder, or a pattern of names; absolute, with links resolved. */
export interface Hit {
  path: string
  isMany: boolean
  /** Does this file or folder, absolute, get another text? */
  hits: (path: string) => boolean
}

/**
 * The files on disk that get another text. Folders are gone through as far as the command does. Ends with null where that
 * is more than can be looked at.
 */
export async function* filesHit({ path, isMany, hits }: Hit): AsyncGenerator<string | null> {
  if (!isMany) {
    yield path
    return
  }
  let left = MAX_ENTRIES

  async function* inFolder(folder: string, names: readonly string[]): AsyncGenerator<string> {
    const [name, ...rest] = names
    for await (const entry of entriesOf(folder)) {
      if (left-- <= 0) return
      if (name !== undefined && !isMeant(name, entry.name)) continue
      const at = posix.join(folder, entry.name)
      if (rest.length > 0) {
        if (entry.isDirectory()) yield* inFolder(at, rest)
      } else if (hits(at)) {
        if (entry.isDirectory()) yield* inFolder(at, [])
        else yield at
      }
    }
  }

  const segments = path.split("/")
  const fixed = segments.findIndex(isGlob)
  if (fixed === -1) yield* inFolder(path, [])
  else yield* inFolder(segments.slice(0, fixed).join("/") || "/", segments.slice(fixed))
  if (left <= 0) yield null
}

async function* entriesOf(folder: string): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(folder)
  } catch {
    // Not to be read, or gone meanwhile: then nothing is written there either.
  }
}

/** A pattern means names that begin with a dot only where it does so itself. */
export function isMeant(pattern: string, name: string): boolean {
  return (pattern.startsWith(".") || !name.startsWith(".")) && segmentsMeet(pattern, name)
}

const MAX_ENTRIES = 3000
