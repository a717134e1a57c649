import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { vi } from "vitest"
import { countOf } from "../../../src/graph/metrics.ts"
import { sessionOf } from "../../../src/graph/read-head.ts"
import type { Hive } from "../../../src/hive/hive.ts"
import { sessionFiles } from "../../../src/views/session-file/update.ts"
import { fileHive } from "../../support/file-hive.ts"
import { callTool } from "../../tools/call-tool.ts"

export async function sessionWithFile(session = "ses_1") {
  const hive = await fileHive()
  const log = vi.fn()
  let files = sessionFiles(log)
  const { stamp } = await callTool(hive, "session", { action: "start", intent: "Add a login page" }, session)
  const path = (name: string) => join(hive.dir, ".hivemind", "sessions", name)
  const read = (name = `${stamp}.md`) => readFileSync(path(name), "utf8")
  return {
    hive,
    log,
    stamp: String(stamp),
    path,
    read,
    update: (of: Hive = hive) => files.update(of, session),
    restart: () => {
      files = sessionFiles(log)
    },
    save: (content: string) => callTool(hive, "memory", { action: "save", content }, session),
    call: (tool: string, args: object) => callTool(hive, tool, args, session),
    compact: () =>
      hive.store.append({ tool: "compaction", session, agent: null }, (tx) => tx.recordCompaction(session)),
    edits: () => countOf(hive.store.read().state, session, "outside_edits"),
    record: () => sessionOf(hive.store.read().state, session),
    words: (name = `${stamp}.md`) => wordsOf(read(name)),
    list: () =>
      readdirSync(path("."), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".md"))
        .sort(),
  }
}

export function wordsOf(file: string): string[] {
  return [
    ...file.matchAll(/^- (?:\d{4}-\d{2}-\d{2} )?\d{2}:\d{2} (.*) <!-- [0-9a-f-]{36} [0-9a-f]{8} -->$/gm),
  ].map(([, words = ""]) => words)
}
