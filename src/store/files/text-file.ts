import { createHash } from "node:crypto"
import { accessSync, constants, fstatSync, fsyncSync, lstatSync, readlinkSync, readSync } from "node:fs"
import { dirname } from "node:path"
import { maskSecrets } from "../../shared/secrets/mask.ts"
import { stampOf } from "../../shared/stamp.ts"
import { explainSystemError, systemCode } from "../../shared/system-error.ts"
import {
  existsSync,
  isMissing,
  listFolder,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  TEMP_MARK,
  withFileSync,
  writeWhole,
} from "./hive-fs.ts"
import { createAtomic, writeAtomic } from "./write-file.ts"

/** The names in a folder, without files that a process is still writing; none if the folder does not exist. */
export function listFiles(folder: string): string[] {
  return listFolder(folder).filter((name) => !name.includes(TEMP_MARK))
}

/** The text of a file, or undefined if there is none. */
export function readText(path: string): string | undefined {
  return readBytes(path)?.toString("utf8")
}

/** The bytes of a file that people edit, which need not be valid text; undefined if there is none. */
export function readBytes(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw explainSystemError(error, "read a file", path)
  }
}

export function makeFolderOf(path: string): void {
  try {
    mkdirSync(dirname(path))
  } catch (error) {
    throw explainSystemError(error, "make a folder", dirname(path))
  }
}

/** Creates a file in one step, folders included, secrets masked; false if there is one already. */
export function createText(path: string, text: string): boolean {
  makeFolderOf(path)
  return createAtomic(path, maskSecrets(text))
}

/** Replaces a file in one step, folders included, secrets masked. */
export function replaceText(path: string, text: string): void {
  makeFolderOf(path)
  writeAtomic(path, maskSecrets(text))
}

/** Appends and fsyncs, secrets masked, folders included. */
export function appendText(path: string, text: string): void {
  try {
    mkdirSync(dirname(path))
    withFileSync(path, "a", (fd) => {
      writeWhole(fd, maskSecrets(text))
      fsyncSync(fd)
    })
  } catch (error) {
    throw explainSystemError(error, "write a file", path)
  }
}

/** Moves a file; false if there is none, or if the target exists. */
export function moveText(from: string, to: string): boolean {
  if (!existsSync(from) || existsSync(to)) return false
  try {
    mkdirSync(dirname(to))
    renameSync(from, to)
    return true
  } catch (error) {
    throw explainSystemError(error, "move a file", deniedFolder(error, from, to))
  }
}

/** Deletes a file; one that does not exist is no error. */
export function removeText(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch (error) {
    throw explainSystemError(error, "delete a file", deniedFolder(error, path))
  }
}

/** Moving or deleting a file needs the right to its folder: names the folder that denied it. */
function deniedFolder(error: unknown, path: string, to = path): string {
  const code = systemCode(error)
  if (code !== "EACCES" && code !== "EPERM") return path
  try {
    accessSync(dirname(path), constants.W_OK)
    return dirname(to)
  } catch {
    return dirname(path)
  }
}

/** Renames a file that could not be parsed, beside itself. It is never overwritten and never deleted. */
export function setAside(path: string, now: number): void {
  const base = `${path}.broken-${stampOf(now)}`
  let aside = base
  for (let n = 2; existsSync(aside); n++) aside = `${base}-${n}`
  renameSync(path, aside)
}

/** Identifies the content of a file; undefined if it cannot be read. */
export function signOf(path: string): string | undefined {
  const entry = lstatSync(path)
  if (entry.isSymbolicLink()) return `link ${readlinkSync(path)}`
  if (!entry.isFile()) return "not a file"
  try {
    return withFileSync(path, "r", hashOf)
  } catch {
    return undefined
  }
}

function hashOf(fd: number): string {
  const { size } = fstatSync(fd)
  const hash = createHash("sha1")
  const piece = Buffer.alloc(Math.min(size, 1 << 16))
  // The whole file: an edit can be at its end, and keep its length.
  for (let read = readSync(fd, piece); read > 0; read = readSync(fd, piece))
    hash.update(piece.subarray(0, read))
  return `${size}-${hash.digest("hex").slice(0, 16)}`
}
