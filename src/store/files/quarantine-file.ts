import { existsSync, readFileSync } from "node:fs"
import { maskAll } from "../../shared/secrets/mask.ts"
import { hivePaths } from "./layout.ts"
import { appendText, removeText, replaceText } from "./text-file.ts"

/** What was found in files of other tools and could not become a record: kept, so that a person can look at it. */
export interface QuarantinedSource {
  /** The command that read it. */
  by: string
  from: string
  reason: string
  original: unknown
}

/** `graph/quarantine.jsonl`: one line each, and each only once however often its file is read. */
export function quarantineFile(home: string) {
  const path = hivePaths(home).quarantine
  let known: Set<string> | undefined

  return {
    add(sources: readonly QuarantinedSource[]): void {
      known ??= new Set(linesOf(path))
      const lines = [...new Set(sources.map((source) => JSON.stringify(maskAll(source))))]
      const fresh = lines.filter((line) => !known?.has(line))
      if (fresh.length === 0) return
      appendText(path, `${fresh.join("\n")}\n`)
      for (const line of fresh) known.add(line)
    },
    /** Takes out what a command has put there. */
    remove(by: string): void {
      const start = `{"by":${JSON.stringify(by)},`
      const lines = linesOf(path)
      const kept = lines.filter((line) => !line.startsWith(start))
      if (kept.length === 0) removeText(path)
      else if (kept.length < lines.length) replaceText(path, kept.map((line) => `${line}\n`).join(""))
    },
    /** How many there are. */
    count: () => linesOf(path).length,
  }
}

function linesOf(path: string): string[] {
  return existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : []
}
