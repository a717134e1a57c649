import { type Dirent, readdirSync, readFileSync } from "node:fs"

// For the user's files: a deleted or unreadable one counts as missing.

/** Names in a folder; empty if it cannot be read. */
export function listNamesOrEmpty(folder: string): string[] {
  return orNone(() => readdirSync(folder)) ?? []
}

/** Like `listNamesOrEmpty`, with the kind of each entry. */
export function listEntriesOrEmpty(folder: string): Dirent[] {
  return orNone(() => readdirSync(folder, { withFileTypes: true })) ?? []
}

export function readTextOrUndefined(path: string): string | undefined {
  return orNone(() => readFileSync(path, "utf8"))
}

function orNone<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined // Missing, of another kind, or not readable.
  }
}
