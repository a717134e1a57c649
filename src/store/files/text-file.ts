import { accessSync, closeSync, constants, fsyncSync } from "node:fs"
import { dirname } from "node:path"
import { maskSecrets } from "../../shared/secrets/mask.ts"
import { explainSystemError, systemCode } from "../../shared/system-error.ts"
import { createAtomic, writeAtomic, writeWhole } from "./atomic-write.ts"
import { listFolder } from "./folder.ts"
import { existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, TEMP_MARK } from "./hive-fs.ts"

/** The names in a folder under `.hivemind/`, without files that a process is still writing; none if it is missing. */
export function listFiles(folder: string): string[] {
  return listFolder(folder).filter((name) => !name.includes(TEMP_MARK))
}

/** The text of a file under `.hivemind/`, or undefined if there is none. */
export function readText(path: string): string | undefined {
  return readBytes(path)?.toString("utf8")
}

/** The bytes of a file, or undefined if there is none. For files that people edit: they need not be valid text. */
export function readBytes(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined
    throw explainSystemError(error, "read a file", path)
  }
}

function makeFolderOf(path: string): void {
  try {
    mkdirSync(dirname(path))
  } catch (error) {
    throw explainSystemError(error, "make a folder", dirname(path))
  }
}

/** Creates a file in one step, folders included, secrets masked; false if there is one already, which is left as it is. */
export function createText(path: string, text: string): boolean {
  makeFolderOf(path)
  return createAtomic(path, maskSecrets(text))
}

/** Replaces a file in one step, folders included, secrets masked. */
export function replaceText(path: string, text: string): void {
  makeFolderOf(path)
  writeAtomic(path, maskSecrets(text))
}

/** Appends and fsyncs, secrets masked. What others have done to the file meanwhile is left as it is. */
export function appendText(path: string, text: string): void {
  try {
    mkdirSync(dirname(path))
    const fd = openSync(path, "a")
    try {
      writeWhole(fd, maskSecrets(text))
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
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
    throw explainSystemError(error, "move a file", deniedIn(error, from, to))
  }
}

/** Deletes a file; one that is missing is no error. For files that can be made again. */
export function removeText(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch (error) {
    throw explainSystemError(error, "delete a file", deniedIn(error, path))
  }
}

/** Whoever may not move or delete a file lacks the right to its folder. */
function deniedIn(error: unknown, path: string, to = path): string {
  const code = systemCode(error)
  if (code !== "EACCES" && code !== "EPERM") return path
  try {
    accessSync(dirname(path), constants.W_OK)
    return dirname(to)
  } catch {
    return dirname(path)
  }
}
