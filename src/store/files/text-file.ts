import { createHash } from "node:crypto"
import { fstatSync, fsyncSync, lstatSync, readlinkSync, readSync } from "node:fs"
import { dirname } from "node:path"
import { maskSecrets } from "../../shared/secrets/mask.ts"
import { stampOf } from "../../shared/stamp.ts"
import { explainSystemError, isDenied } from "../../shared/system-error.ts"
import * as hiveFs from "./hive-fs.ts"
import { createAtomic, writeAtomic } from "./write-file.ts"

/** Lists a folder without temporary files. Returns an empty list if the folder does not exist. */
export function listFiles(folder: string): string[] {
  return hiveFs.listFolder(folder).filter((name) => !name.includes(hiveFs.TEMP_MARK))
}

export function readText(path: string): string | undefined {
  return readBytes(path)?.toString("utf8")
}

/** Reads bytes instead of text, because a file that a person edited may not be valid UTF-8. */
export function readBytes(path: string): Buffer | undefined {
  try {
    return hiveFs.readFileSync(path)
  } catch (error) {
    if (hiveFs.isMissing(error)) return undefined
    throw explainSystemError(error, "read a file", path)
  }
}

export function makeFolderOf(path: string): void {
  try {
    hiveFs.mkdirSync(dirname(path))
  } catch (error) {
    throw explainSystemError(error, "make a folder", dirname(path))
  }
}

/** Creates a file; false if it exists already. Masks secrets and creates the folder. */
export function createText(path: string, text: string): boolean {
  makeFolderOf(path)
  return createAtomic(path, maskSecrets(text))
}

/** Replaces a file in one step. Masks secrets and creates the folder. */
export function replaceText(path: string, text: string): void {
  makeFolderOf(path)
  writeAtomic(path, maskSecrets(text))
}

/** Appends and fsyncs. Masks secrets and creates the folder. */
export function appendText(path: string, text: string): void {
  try {
    hiveFs.mkdirSync(dirname(path))
    hiveFs.withFileSync(path, "a", (fd) => {
      hiveFs.writeWhole(fd, maskSecrets(text))
      fsyncSync(fd)
    })
  } catch (error) {
    throw explainSystemError(error, "write a file", path)
  }
}

export function moveText(from: string, to: string): boolean {
  if (!hiveFs.existsSync(from) || hiveFs.existsSync(to)) return false
  try {
    hiveFs.mkdirSync(dirname(to))
    hiveFs.renameSync(from, to)
    return true
  } catch (error) {
    throw explainSystemError(error, "move a file", isDenied(error) ? dirname(from) : from)
  }
}

export function removeText(path: string): void {
  try {
    hiveFs.rmSync(path, { force: true })
  } catch (error) {
    throw explainSystemError(error, "delete a file", isDenied(error) ? dirname(path) : path)
  }
}

/** Renames a damaged file, and keeps it for the user. Never overwrites or deletes a file. */
export function setAside(path: string, now: number): void {
  const base = `${path}.broken-${stampOf(now)}`
  let aside = base
  for (let n = 2; hiveFs.existsSync(aside); n++) aside = `${base}-${n}`
  hiveFs.renameSync(path, aside)
}

/** Identifies a file's content; undefined if the file cannot be read. Throws if there is no file. */
export function signOf(path: string): string | undefined {
  const entry = lstatSync(path)
  if (entry.isSymbolicLink()) return `link ${readlinkSync(path)}`
  if (!entry.isFile()) return "not a file"
  try {
    return hiveFs.withFileSync(path, "r", hashOf)
  } catch {
    return undefined
  }
}

function hashOf(fd: number): string {
  const { size } = fstatSync(fd)
  const hash = createHash("sha1")
  const piece = Buffer.alloc(Math.min(size, 1 << 16))
  // Hashes the whole file, because an edit near its end may keep the length.
  for (let read = readSync(fd, piece); read > 0; read = readSync(fd, piece))
    hash.update(piece.subarray(0, read))
  return `${size}-${hash.digest("hex").slice(0, 16)}`
}

/** Writes an exported dashboard for its owner only. False if another file is there; `force` replaces that too. */
export function writePage(file: string, page: string, { force = false } = {}): boolean {
  makeFolderOf(file)
  if (!force && !isPage(file)) return createAtomic(file, page, OWNER_ONLY)
  writeAtomic(file, page, OWNER_ONLY)
  return true
}

export const PAGE_MARK = '<meta name="generator" content="hivemind dashboard --export" />'

function isPage(file: string): boolean {
  if (hiveFs.statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false
  const start = Buffer.alloc(MARK_WITHIN_BYTES)
  return hiveFs
    .withFileSync(file, "r", (fd) => start.toString("utf8", 0, readSync(fd, start)))
    .includes(PAGE_MARK)
}

const OWNER_ONLY = 0o600
const MARK_WITHIN_BYTES = 300
