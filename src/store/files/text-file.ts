import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs"
import { dirname } from "node:path"
import { explainSystemError, systemCode } from "../../shared/system-error.ts"
import { createAtomic } from "../atomic-write.ts"

/** The text of a file under `.hivemind/`, or undefined where there is none. */
export function readText(path: string): string | undefined {
  return readBytes(path)?.toString("utf8")
}

/** The same without decoding it: what people do to a file need not be valid text. */
export function readBytes(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined
    throw explainSystemError(error, "read a file", path)
  }
}

/** A file that is not there yet, in one step; false where somebody was faster, and theirs stays. */
export function createText(path: string, text: string): boolean {
  try {
    mkdirSync(dirname(path), { recursive: true })
  } catch (error) {
    throw explainSystemError(error, "make a folder", dirname(path))
  }
  return createAtomic(path, text)
}

/** Adds to the end, whatever has happened to the file meanwhile: nothing that is in it is touched. */
export function appendText(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    const fd = openSync(path, "a")
    try {
      appendFileSync(fd, text)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    throw explainSystemError(error, "write a file", path)
  }
}

/** Moves a file; false where there is none, or where something stands in its place already. */
export function moveText(from: string, to: string): boolean {
  if (!existsSync(from) || existsSync(to)) return false
  try {
    mkdirSync(dirname(to), { recursive: true })
    renameSync(from, to)
    return true
  } catch (error) {
    throw explainSystemError(error, "move a file", from)
  }
}

/** Takes a file away that can be made again; one that is gone already is no trouble. */
export function removeText(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch (error) {
    throw explainSystemError(error, "delete a file", path)
  }
}
