import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { writeReport } from "../../../src/context/compaction/report.ts"
import { frozenInjections } from "../../../src/context/inject/frozen-injections.ts"
import type { Injection } from "../../../src/context/inject/record.ts"
import { recordTurningPoints } from "../../../src/context/turning-points/record.ts"
import { hivePaths } from "../../../src/store/files/layout.ts"
import { openLog } from "../../../src/store/files/log-file.ts"
import { exportSession } from "../../../src/views/export/export-session.ts"
import { sessionFiles } from "../../../src/views/session-file/update.ts"
import { bindSubagent, recordReport } from "../../../src/work/delegation/run.ts"
import { recordCommand } from "../../../src/work/session/command.ts"
import { recordCheckpoint } from "../../../src/work/task/checkpoint.ts"
import { defined } from "../../support/defined.ts"
import { fileHive } from "../../support/file-hive.ts"
import { beginWork, idle, SESSION } from "../../support/hive-at-work.ts"
import { callTool } from "../../tools/call-tool.ts"
import { PLANTED, type Planted, random } from "./planted.ts"

const caller = { session: SESSION, agent: "build", tool: "test" }

/** A hive on disk with every secret put in through `write`; what of them is found in its files, and in how many masks. */
async function leaks(
  write: (hive: Awaited<ReturnType<typeof fileHive>>, planted: Planted, n: number) => unknown,
) {
  const hive = await fileHive()
  await beginWork(hive)
  for (const [n, planted] of PLANTED.entries()) await write(hive, planted, n)
  await sessionFiles(() => {}).update(hive, SESSION)
  await hive.store.fold()
  const { root } = hivePaths(hive.home)
  const texts = readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((name) => join(root, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "utf8"))
  const found = PLANTED.filter(({ secret }) => {
    const pieces = secret.split("\n").map((piece) => piece.slice(0, 60))
    return texts.some((text) => pieces.some((piece) => text.includes(piece)))
  })
  const masks = texts.join("\n").match(/\[masked: /g)?.length ?? 0
  return { leaked: found.map(({ kind }) => kind), isMasked: masks >= PLANTED.length }
}

const NONE = { leaked: [], isMasked: true }

it("no secret of a mem reaches the disk: content, tags, evidence, reason, changed by a tool", async () => {
  const saved = await leaks(async (hive, { text }) => {
    const { entity_id } = await callTool(hive, "memory", {
      action: "save",
      content: text,
      tags: [text.slice(0, 60)],
      kind: "fact",
    })
    await callTool(hive, "memory", { action: "flag", mem_id: entity_id, reason: text })
  })
  expect(saved).toEqual(NONE)
})

it("nor that of an anchor", async () => {
  const saved = await leaks(async (hive, { text }, n) => {
    await callTool(hive, "anchor", { action: "save", key: `key ${n}`, value: text })
    await callTool(hive, "anchor", { action: "update", key: `key ${n}`, value: `now ${text}` })
  })
  expect(saved).toEqual(NONE)
})

it("nor that of a plan, its tasks, an intent, evidence and the reason of a failure", async () => {
  const saved = await leaks(async (hive, { text }) => {
    await callTool(hive, "session", { action: "start", intent: text.slice(0, 450) })
    const { entity_id } = await callTool(hive, "plan", {
      action: "create",
      title: text.slice(0, 450),
      acceptance: [text.slice(0, 450)],
    })
    const planned = await callTool(hive, "plan", {
      action: "plan_tasks",
      plan_id: entity_id,
      tasks: [{ title: "t", expected_output: text.slice(0, 450), verify: text }],
    })
    const task_id = planned.tasks[0].entity_id
    await callTool(hive, "task", { action: "start", task_id })
    await callTool(hive, "task", { action: "fail", task_id, reason: text.slice(0, 450) })
  })
  expect(saved).toEqual(NONE)
})

it("nor that of a command and its summary, also where the cut goes through the secret", async () => {
  const saved = await leaks(async (hive, { text }, n) => {
    const task = defined([...hive.store.read().state.task.values()][0])
    const command = `${"echo ".repeat(n)}${text}`
    const summary = `test: ${"x ".repeat(90 - n)}${text}`
    await recordCheckpoint(hive, caller, task, {
      tool: "bash",
      summary,
      files: [],
      command,
      did: ["test"],
      ok: false,
    })
    await recordCommand(hive, caller, "deploy", text)
  })
  expect(saved).toEqual(NONE)
})

it("nor that of a subagent's report, a compaction's report and turning points", async () => {
  const saved = await leaks(async (hive, { text }, n) => {
    const task = defined([...hive.store.read().state.task.values()][0])
    await callTool(hive, "delegate", { action: "assign", task_id: task.id, to: "hive-executor" })
    const child = { ...caller, session: `ses_child_${n}`, agent: "hive-executor" }
    await bindSubagent(hive, child, caller, task.title)
    await recordReport(hive, caller, child.session, text)
    await callTool(hive, "memory", { action: "save", content: text, kind: "decision" })
    await recordTurningPoints(hive, caller)
    await hive.store.append({ ...caller }, (tx) => tx.recordCompaction(SESSION))
    await writeReport(hive, caller)
  })
  expect(saved).toEqual(NONE)
})

it("nor that of the model's last message, which an export keeps", async () => {
  const saved = await leaks(async (hive, { text }, n) => {
    await callTool(hive, "anchor", { action: "save", key: `k${n}`, value: "v" })
    expect(await idle(hive, text)).toBeDefined()
    await exportSession(hive, caller, SESSION)
  })
  expect(saved).toEqual(NONE)
})

it("nor that of the log file, with its details and errors", async () => {
  const saved = await leaks(async (hive, { text }) => {
    const { log, idle } = openLog(hivePaths(hive.home), hive.source.now, () => "debug")
    log("info", `could not run ${text}`, { output: `line\n${text}\n` })
    log("error", "failed", new Error(text))
    await idle()
  })
  expect(saved).toEqual(NONE)
})

it("nor that of what was injected, which is the same bytes in the process and in the file", async () => {
  const saved = await leaks(async (hive, { text }, n) => {
    const open = () =>
      frozenInjections(hivePaths(hive.home), (_, error) => {
        throw error
      })
    const injection: Omit<Injection, "message" | "at" | "parts" | "reason"> = {
      kind: "keyframe",
      tokens: 1,
      repeated: 0,
      budget: 9,
      items: [],
      gone: [],
      dropped: [],
      score: 0,
      pruned: [],
    }
    const frozen = open()
    const at = new Date(hive.source.now()).toISOString()
    frozen.add(SESSION, [{ ...injection, message: `m${n}`, at, parts: [text], reason: text }])
    expect(open().of(SESSION).get(`m${n}`)).toEqual(frozen.of(SESSION).get(`m${n}`))
  })
  expect(saved).toEqual(NONE)
})

it("what somebody writes into a part by hand comes into the log masked, and into the next part", async () => {
  const hive = await fileHive()
  await beginWork(hive)
  await callTool(hive, "memory", { action: "save", content: "the token is HERE", kind: "fact" })
  await hive.store.fold()
  const { parts, log } = hivePaths(hive.home)
  const path = defined(readdirSync(parts).find((name) => name.startsWith("mem")))
  const secret = `ghp_${random("hand", 36)}`
  const edited = readFileSync(join(parts, path), "utf8").replace("HERE", secret)
  writeFileSync(join(parts, path), edited)
  for (let n = 0; n < 3; n++) hive.store.read()
  await callTool(hive, "memory", { action: "save", content: "another", kind: "fact" })
  await callTool(hive, "anchor", { action: "save", key: "k", value: "v" })
  await hive.store.fold()
  expect([...hive.store.read().state.mem.values()].map(({ content }) => content)).toContain(
    "the token is [masked: GitHub token]",
  )
  // The file that was edited stays as that person has left it.
  const newest = defined(
    readdirSync(parts)
      .filter((name) => name.startsWith("mem"))
      .sort()
      .at(-1),
  )
  const written = [join(parts, newest), ...readdirSync(log).map((name) => join(log, name))]
  expect(written.filter((file) => readFileSync(file, "utf8").includes(secret))).toEqual([])
  expect(await hive.store.compareWithLog()).toEqual([])
})
