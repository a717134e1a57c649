import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { systemCode } from "../../shared/system-error.ts"
import type { HivePaths } from "./layout.ts"

/** The frozen injections of one session, `state/injected/<session>.jsonl`: read once, then only appended to. */
export function injectedFile(paths: HivePaths, session: string) {
  // The host's ids are plain; anything else must not become a path of its own.
  const path = join(paths.injected, `${session.replaceAll(/[^\w-]/g, "_")}.jsonl`)
  return {
    /** Every line that is JSON; what is not was never replayed and is passed over. */
    read(): unknown[] {
      let text: string
      try {
        text = readFileSync(path, "utf8")
      } catch (error) {
        if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return []
        throw error
      }
      return text.split("\n").flatMap((line) => parsed(line))
    },
    append(records: unknown[]): void {
      if (!existsSync(path)) mkdirSync(dirname(path), { recursive: true })
      appendFileSync(path, records.map((record) => `\n${JSON.stringify(record)}`).join(""))
    },
  }
}

function parsed(line: string): unknown[] {
  if (line.trim() === "") return []
  try {
    return [JSON.parse(line)]
  } catch {
    return [] // Torn by a crash: that message had not been sent yet.
  }
}
