// Imports many transcripts in a fresh process, and asks the history. Prints one line of JSON.
// usage: history-probe.mjs <empty folder> <sessions> <megabytes each>

import { linkSync, mkdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { sessionsIn } from "../../build/history/find-sessions.js"
import { importSessions } from "../../build/history/import-sessions.js"
import { openTurnIndex } from "../../build/history/turn-index.js"
import { openHiveIn } from "../../build/hive/open.js"
import { createLayout } from "../../build/store/files/layout.js"
import { openHistoryFiles } from "../../build/store/history-files.js"
import { watchBlocks } from "../block-watch.mjs"

const [folder, sessions, megabytes] = process.argv.slice(2)
const [project, transcripts] = [join(folder, "project"), join(folder, "transcripts")]
for (const path of [project, transcripts]) mkdirSync(path)
const first = join(transcripts, "session-0.jsonl")
writeFileSync(first, transcript(Number(megabytes) * 2 ** 20))
// The same bytes under many names: a disk need not have them all.
for (let n = 1; n < Number(sessions); n++) linkSync(first, join(transcripts, `session-${n}.jsonl`))
await createLayout(project)
const source = { now: Date.now, newId: () => crypto.randomUUID() }
const options = { name: "bench", value: {} }
const { hive } = await openHiveIn(project, { source, userConfig: null, options })
const before = process.memoryUsage().rss
const { timed, found, busiest, stop } = watchBlocks()
const list = await sessionsIn(transcripts)
const done = await timed("import", () => importSessions(hive, list))
const memory = process.resourceUsage().maxRSS * 1024 - before
await timed("again", () => importSessions(hive, list))
const index = openTurnIndex(openHistoryFiles(project, source))
const hits = await timed("first recall", () => index.find("why did the harbour cache lose entries", 5))
await timed("recall", () => index.find("the tide table of quay 17", 5))
stop()
await hive.store.close()
const bytes = statSync(first).size * Number(sessions)
console.log(
  JSON.stringify({
    found,
    busiest,
    bytes,
    memory,
    read: done.sessions.read,
    kept: done.kept.length,
    hits: hits.length,
  }),
)

/** Prompts, texts, commands with their output, edits with whole files in them, in the shares of real sessions. */
function transcript(bytes) {
  const lines = []
  let size = 0
  for (let n = 0; size < bytes; n++) {
    for (const fields of exchange(n)) {
      const line = JSON.stringify({
        sessionId: "s",
        cwd: "/p",
        gitBranch: "main",
        timestamp: new Date(1.77e12 + n * 1000).toISOString(),
        uuid: `u${lines.length}`,
        ...fields,
      })
      lines.push(line)
      size += line.length
    }
  }
  return `${lines.join("\n")}\n`
}

function exchange(n) {
  const call = (name, input, result) => [
    { type: "assistant", message: { content: [{ type: "tool_use", id: `t${n}${name}`, name, input }] } },
    {
      type: "user",
      message: { content: [{ type: "tool_result", tool_use_id: `t${n}${name}`, content: result }] },
      toolUseResult: result,
    },
  ]
  return [
    {
      type: "user",
      message: { content: `Please look at quay ${n}: why does the harbour cache lose entries?` },
    },
    ...call(
      "Read",
      { file_path: `/p/src/quay-${n % 50}.ts` },
      `export const quay${n} = tide(${n})\n`.repeat(400),
    ),
    {
      type: "assistant",
      message: {
        content: [
          {
            type: "text",
            text: `The issue is that \`quay-${n % 50}.ts\` counts a ship twice when the tide table is read again. ${"It is read by the harbour and by the pilot. ".repeat(10)}`,
          },
        ],
      },
    },
    ...call(
      "Edit",
      { file_path: `/p/src/quay-${n % 50}.ts`, old_string: "a".repeat(300), new_string: "b".repeat(300) },
      "ok",
    ),
    ...call(
      "Bash",
      { command: n % 3 === 0 ? "npm test" : `grep -rn quay${n} src` },
      `src/quay-${n}.ts: a line of output about quay ${n}\n`.repeat(60),
    ),
  ]
}
