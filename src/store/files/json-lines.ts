import { dirname } from "node:path"
import {
  existsSync,
  fileSize,
  isMissing,
  mkdirSync,
  readFileSync,
  withFileSync,
  writeWhole,
} from "./hive-fs.ts"

/** A file of JSON values, one per line, that is only appended to. The caller validates each value. */
export function jsonLines(path: string) {
  return {
    /** Every line that is valid JSON, and contains `having`. Skips a torn line: its writer crashed before acknowledging it. */
    read(having = ""): unknown[] {
      let text: string
      try {
        text = readFileSync(path, "utf8")
      } catch (error) {
        if (isMissing(error)) return []
        throw error
      }
      return text.split("\n").flatMap((line) => {
        const value = line.includes(having) ? parseJson(line) : undefined
        return value === undefined ? [] : [value]
      })
    },
    /** In bytes. */
    size: (): number => fileSize(path),
    /**
     * Returns how many bytes were added. Each value begins with its newline, so a torn line does not spoil the next
     * one. Not fsynced: it runs before a model's answer.
     */
    append(values: readonly unknown[]): number {
      if (!existsSync(path)) mkdirSync(dirname(path))
      const bytes = Buffer.from(values.map((value) => `\n${JSON.stringify(value)}`).join(""))
      withFileSync(path, "a", (fd) => writeWhole(fd, bytes))
      return bytes.length
    },
  }
}

/** The JSON value of a file; undefined if there is none that can be read. */
export function readJson(path: string): unknown {
  try {
    return parseJson(readFileSync(path, "utf8"))
  } catch {
    return undefined
  }
}

/** Undefined for text that is not JSON: an empty line, or one that a crash has torn. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
