import { dirname } from "node:path"
import { systemCode } from "../../shared/system-error.ts"
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync } from "./hive-fs.ts"

/** A file of JSON values, one per line, that is only ever appended to. A reader checks each value itself. */
export function jsonLines(path: string) {
  return {
    /** Every line that is valid JSON (and holds this text). A torn line is skipped: its writer crashed, and nobody relied on it yet. */
    read(having = ""): unknown[] {
      let text: string
      try {
        text = readFileSync(path, "utf8")
      } catch (error) {
        if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return []
        throw error
      }
      return text.split("\n").flatMap((line) => (line.includes(having) ? parseLine(line) : []))
    },
    /** In bytes. */
    size: (): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0,
    /**
     * Returns how many bytes were added. Each value begins with its newline, so a torn line does not spoil the next
     * one. Not fsynced: it runs before a model's answer.
     */
    append(values: readonly unknown[]): number {
      if (!existsSync(path)) mkdirSync(dirname(path))
      const text = values.map((value) => `\n${JSON.stringify(value)}`).join("")
      appendFileSync(path, text)
      return Buffer.byteLength(text)
    },
  }
}

function parseLine(line: string): unknown[] {
  if (line.trim() === "") return []
  try {
    return [JSON.parse(line)]
  } catch {
    return [] // Torn by a crash, see `read`.
  }
}
