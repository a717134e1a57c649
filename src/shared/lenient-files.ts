import { accessSync, constants, type Dirent, lstatSync, readdirSync, readFileSync, statSync } from "node:fs"

// Functions that read the user's files and never throw: an unreadable file counts as missing.

export function listNamesOrEmpty(folder: string): string[] {
  return orUndefined(() => readdirSync(folder)) ?? []
}

/** Like `listNamesOrEmpty`, but each entry also says whether it is a file, folder or link. */
export function listEntriesOrEmpty(folder: string): Dirent[] {
  return orUndefined(() => readdirSync(folder, { withFileTypes: true })) ?? []
}

export function readTextOrUndefined(path: string): string | undefined {
  return orUndefined(() => readFileSync(path, "utf8"))
}

export function statOrUndefined(path: string) {
  return orUndefined(() => statSync(path, { throwIfNoEntry: false }))
}

export function lstatOrUndefined(path: string) {
  return orUndefined(() => lstatSync(path, { throwIfNoEntry: false }))
}

/** A text that changes with every write to a file; "" if the file is missing. Follows no link. */
export function fileVersion(path: string): string {
  const stat = lstatOrUndefined(path)
  return stat === undefined ? "" : `${stat.ino}:${stat.size}:${stat.mtimeMs}`
}

export function isReadable(path: string): boolean {
  return orUndefined(() => accessSync(path, constants.R_OK) ?? true) === true
}

/** The result of a function; undefined if it throws. */
export function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined // A file that is missing, of another kind or not readable; a text that does not parse.
  }
}
