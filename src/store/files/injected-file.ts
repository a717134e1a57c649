import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { systemCode } from "../../shared/system-error.ts"
import type { HivePaths } from "../layout.ts"
import { listFolder } from "../segments.ts"

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
    /** In bytes. */
    size: (): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0,
    /** How many bytes were added; none where the project has no `.hivemind/` yet: a message alone is no reason to make one. */
    append(records: unknown[]): number {
      if (!existsSync(paths.graph)) return 0
      if (!existsSync(path)) mkdirSync(dirname(path), { recursive: true })
      const text = records.map((record) => `\n${JSON.stringify(record)}`).join("")
      appendFileSync(path, text)
      return Buffer.byteLength(text)
    },
  }
}

/** The session that was sent something last. */
export function newestInjected(paths: HivePaths): string | undefined {
  const names = listFolder(paths.injected).filter((name) => name.endsWith(".jsonl"))
  const dated = names.map((name) => ({ name, time: statSync(join(paths.injected, name)).mtimeMs }))
  return dated
    .sort((a, b) => b.time - a.time || a.name.localeCompare(b.name))[0]
    ?.name.replace(/\.jsonl$/, "")
}

function parsed(line: string): unknown[] {
  if (line.trim() === "") return []
  try {
    return [JSON.parse(line)]
  } catch {
    return [] // Torn by a crash: that message had not been sent yet.
  }
}
