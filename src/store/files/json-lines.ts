import { dirname } from "node:path"
import * as hiveFs from "./hive-fs.ts"

/** A file of JSON values, one per line. The caller validates them. */
export function jsonLines(path: string) {
  return {
    /** Returns the values of lines that contain `having`. Skips a torn line: its write was never acknowledged. */
    read(having = ""): unknown[] {
      let text: string
      try {
        text = hiveFs.readFileSync(path, "utf8")
      } catch (error) {
        if (hiveFs.isMissing(error)) return []
        throw error
      }
      return text.split("\n").flatMap((line) => {
        const value = line.includes(having) ? parseJson(line) : undefined
        return value === undefined ? [] : [value]
      })
    },
    size: (): number => hiveFs.fileSize(path),
    /** Appends without an fsync; returns the number of bytes. Starts with a newline, in case the last line is torn. */
    append(values: readonly unknown[]): number {
      if (!hiveFs.existsSync(path)) hiveFs.mkdirSync(dirname(path))
      const bytes = Buffer.from(values.map((value) => `\n${JSON.stringify(value)}`).join(""))
      hiveFs.withFileSync(path, "a", (fd) => hiveFs.writeWhole(fd, bytes))
      return bytes.length
    },
  }
}

export function readJson(path: string): unknown {
  try {
    return parseJson(hiveFs.readFileSync(path, "utf8"))
  } catch {
    return undefined
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
