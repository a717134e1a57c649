import { spawnSync } from "node:child_process"
import { statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { sessionsIn } from "../../src/history/find-sessions.ts"
import { Sqlite } from "../../src/history/read/sqlite.ts"
import type { Step } from "../../src/history/read/step.ts"
import { findBun } from "../support/bun.ts"
import { tempProject } from "../support/temp-project.ts"

const FIXTURES = join(import.meta.dirname, "../fixtures/history")

/** The same session, worked by each real program with a scripted model. */
it.each(["claude.jsonl", "codex.jsonl", "gemini.jsonl", "opencode1.db", "opencode2.db"])(
  "%s: prompts, texts, commands with their result and changed files, in order",
  async (name) => {
    const steps = await stepsOf(join(FIXTURES, name))
    expect(steps.map(short)).toEqual([
      "user: From now on always run node check.mjs before you commit. Why does the check fail?",
      "run: node check.mjs failed: Error: cache.txt is missing",
      "run: node check.mjs failed: Error: cache.txt is missing",
      "say: The issue is that check.mjs reads cache.txt, which nothing writes before the first checkout.",
      "user: No, don't mock the cache. Write the real file, because the mock hid this last week.",
      "edit: cache.txt",
      "run: node check.mjs passed: ok",
      "say: The check passes now.",
    ])
    for (const { at, ids } of steps) {
      expect(at).toMatch(/^2026-11-19T03:4\d/)
      expect(ids.join("")).not.toBe("")
    }
  },
)

it("SpecStory: who said what, without tool calls, thoughts and subagents", async () => {
  const path = join(await tempProject(), "2026-02-11_10-30-05Z-cache.md")
  writeFileSync(path, SPECSTORY)
  const steps = await stepsOf(path)
  expect(steps.map(({ at, ...step }) => `${at} ${short(step as Step)}`)).toEqual([
    "2026-02-11T10:30:05.000Z user: Always use the real cache.",
    "2026-02-11T10:31:00.000Z say: The cache is used now.",
  ])
})

it("Claude Code: what was typed while the agent worked or while rejecting a call is the user's; the host's notes are nobody's", async () => {
  const path = join(await tempProject(), "s.jsonl")
  const lines = [
    { type: "queue-operation", operation: "enqueue", content: "typed meanwhile" },
    { type: "queue-operation", operation: "enqueue", content: "sent again later" },
    { type: "user", uuid: "1", message: { content: "<command-name>/clear</command-name>" } },
    { type: "user", uuid: "2", isMeta: true, message: { content: "a note of the host" } },
    { type: "user", uuid: "3", message: { content: "sent again later" } },
    { type: "user", uuid: "4", isSidechain: true, message: { content: "to a subagent" } },
    {
      type: "assistant",
      uuid: "5",
      message: { content: [{ type: "tool_use", id: "t", name: "Bash", input: { command: "rm x" } }] },
    },
    {
      type: "user",
      uuid: "6",
      message: {
        content: [
          {
            type: "tool_result",
            tool_use_id: "t",
            is_error: true,
            content:
              "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nkeep x",
          },
        ],
      },
    },
  ]
  writeFileSync(path, `not json\n${lines.map((line) => JSON.stringify(line)).join("\n")}\n{"cut off`)
  expect((await stepsOf(path)).map(short)).toEqual([
    "user: sent again later",
    "run: rm x unknown: ",
    "user: keep x (rejecting)",
    "user: typed meanwhile",
  ])
})

it("a database is read as SQLite itself would, also rows that stand in its write-ahead log only and those on many pages", async () => {
  const path = join(await tempProject(), "made.db")
  // Killed without a checkpoint: all but the first rows are in the log.
  spawnSync(findBun(), ["-e", MAKE_DATABASE, path])
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(600_000)
  const database = new Sqlite(path)
  const rows = [...database.rows("part")]
  expect(rows).toHaveLength(3000)
  expect(rows.filter(({ data }) => typeof data === "string" && data.length > 20_000)).toHaveLength(30)
  expect(rows[7]).toEqual({ id: "p0007", session_id: "s7", number: -7, share: 0.5, data: "text 7 äöü" })
  expect([...database.rowsBy("part_session_idx", "s12")].map(({ id }) => id)).toEqual(
    rows.filter(({ session_id }) => session_id === "s12").map(({ id }) => id),
  )
  expect([...database.rowsBy("part_session_idx", "s999")]).toEqual([])
  database.close()
})

async function stepsOf(path: string): Promise<Step[]> {
  const [found] = sessionsIn(path)
  if (found === undefined) throw new Error(`no session in ${path}`)
  return [...(await found.open())].filter((step) => step !== undefined)
}

function short(step: Step): string {
  if (step.what === "user") return `user: ${step.text}${step.rejectsCall ? " (rejecting)" : ""}`
  if (step.what === "say") return `say: ${step.text}`
  if (step.kind === "edit") return `edit: ${step.files.map((file) => file.split("/").at(-1)).join()}`
  const result = step.isOk === null ? "unknown" : step.isOk ? "passed" : "failed"
  return `${step.kind}: ${step.command} ${result}: ${
    step.output
      .replace(/^Exit code 1\n/, "")
      .trim()
      .split("\n")[0]
  }`
}

const SPECSTORY = `<!-- Generated by SpecStory -->
# Cache

<!-- Claude Code Session 1b4e28ba-2fa1-11d2-883f-0016d3cca427 (2026-02-11 10:30:05Z) -->

_**User (2026-02-11 10:30:05Z)**_

Always use the real cache.

---

_**Agent - sidechain (m 2026-02-11 10:30:30Z)**_

A subagent's text.

---

_**Agent (m 2026-02-11 10:31:00Z)**_

<tool-use data-tool-type="shell">node x</tool-use>

The cache is used now.

---
`

const MAKE_DATABASE = `
const { Database } = require("bun:sqlite")
const database = new Database(process.argv.at(-1))
database.run("pragma page_size = 1024")
database.run("pragma journal_mode = wal")
database.run("pragma wal_autocheckpoint = 0")
database.run("create table part (id text primary key, session_id text not null, number integer, share real, data text not null, constraint c check (number < 10))")
database.run("create index part_session_idx on part (session_id)")
const add = database.prepare("insert into part values (?, ?, ?, ?, ?)")
database.run("begin")
for (let n = 0; n < 3000; n++) {
  if (n === 100 || n === 2000) database.run("commit")
  if (n === 100) database.run("pragma wal_checkpoint(truncate)")
  if (n === 100 || n === 2000) database.run("begin")
  add.run("p" + String(n).padStart(4, "0"), "s" + (n % 50), -n, n / 14, n % 100 === 3 ? "x".repeat(20000 + n) : "text " + n + " äöü")
}
database.run("commit")
database.run("begin")
add.run("never committed", "s12", 0, 0, "x".repeat(4000000))
process.kill(process.pid, "SIGKILL")
`
