import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { isOpenTask } from "../../src/graph/lifecycle.ts"
import { headIdOf, PROJECT_HEAD_ID } from "../../src/graph/read-head.ts"
import { tasksIn } from "../../src/graph/tasks-in.ts"
import type { Hive } from "../../src/hive/hive.ts"
import { drain, enqueue, outcomeOf, waiting } from "../../src/queue/queue.ts"
import type { QueuedCommand } from "../../src/schemas/queued-command.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { packedState } from "../../src/views/context/injected.ts"
import { treeOf } from "../../src/views/hierarchy/tree.ts"
import { countEvent } from "../../src/watch/count-event.ts"
import { driftReport } from "../../src/watch/drift-report.ts"
import { planStatus } from "../../src/work/plan/status.ts"
import { shiftHead } from "../../src/work/session/session.ts"
import { failTask } from "../../src/work/task/finish.ts"
import { startTask } from "../../src/work/task/start.ts"
import { fileHive } from "../support/file-hive.ts"
import { aConflict, addPlan, aMem, aTask, by, uuid } from "../support/records.ts"
import { aCall } from "../support/session-metrics.ts"

const [PLAN, PHASE, MEM, OPEN] = [uuid(1), uuid(2), uuid(6), uuid(7)]
const [A, B, C] = [uuid(3), uuid(4), uuid(5)]
const DONE = { ok: true }
const REFUSED = { ok: false }
const session = { session: "ses_1", agent: "build", tool: "test" }

describe("a mem", () => {
  it("is saved, with its author and without a secret in any file", async () => {
    const { hive, ask, state } = await someWork()
    const key = `ghp_${"a1B2".repeat(9)}`
    const outcome = await ask({
      do: "save_mem",
      content: `Use tabs ${key}`,
      kind: "decision",
      tags: ["style"],
    })
    expect(outcome).toMatchObject(DONE)
    const saved = [...state().mem.values()].find(({ content }) => content.startsWith("Use tabs"))
    expect(saved).toMatchObject({ kind: "decision", tags: ["style"], origin: "saved" })
    expect(saved?.content).toMatch(/^Use tabs \[masked/)
    const entry = (await hive.store.log()).at(-1)
    expect(entry).toMatchObject({
      id: outcome.ok && outcome.entry,
      by: { agent: "dashboard", session: null },
    })
    const dir = join(hive.home, ".hivemind")
    const lines = readdirSync(dir, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => readFileSync(join(dir, name), "utf8"))
    expect(lines.join("\n")).toContain("Use tabs")
    expect(lines.join("\n")).not.toContain(key)
  })

  it.each<[string, QueuedCommand, object]>([
    [
      "is superseded by another",
      { do: "save_mem", content: "Newer", supersedes: MEM },
      { status: "superseded" },
    ],
    [
      "is flagged with the reason",
      { do: "flag_mem", mem: MEM, reason: "it broke" },
      { status: "invalidated", reason: "it broke" },
    ],
  ])("%s", async (_, command, expected) => {
    const { ask, state } = await someWork()
    expect(await ask(command)).toMatchObject(DONE)
    expect(state().mem.get(MEM)).toMatchObject(expected)
  })

  it("a decision is made, which frees its task, and cannot be made twice", async () => {
    const { ask, state } = await someWork()
    expect(state().task.get(C)?.status).toBe("blocked")
    const resolve = { do: "resolve_decision", decision: OPEN } as const
    expect(await ask({ ...resolve, content: "Port 80" })).toMatchObject(DONE)
    expect(state().task.get(C)?.status).toBe("planned")
    expect(await ask({ ...resolve, content: "Port 81" })).toMatchObject({
      ...{ ok: false, why: "This decision is not open any more." },
    })
  })
})

it.each<[QueuedCommand, string]>([
  [{ do: "save_mem", content: "Newer", supersedes: uuid(99) }, "There is no mem"],
  [
    { do: "flag_mem", mem: uuid(99), reason: "x" },
    "Neither the graph nor the archive has a mem with this id",
  ],
  [{ do: "resolve_decision", decision: MEM, content: "x" }, "This mem is not a decision."],
  [{ do: "unblock_task", task: A }, "Nothing blocks the task."],
  [{ do: "move_task", task: A, before: A }, "A task cannot come before itself."],
])("refuses %j: %s", async (command, why) => {
  const { ask } = await someWork()
  expect(await ask(command)).toMatchObject({ ok: false, why: expect.stringContaining(why) })
})

describe("a task", () => {
  it("is edited, unless it is over", async () => {
    const { hive, ask, state } = await someWork()
    expect(await ask({ do: "edit_task", task: A, title: "Better", verify: "npm test" })).toMatchObject(DONE)
    expect(state().task.get(A)).toMatchObject({
      title: "Better",
      verify: "npm test",
      expected_output: "done",
    })
    expect(await ask({ do: "edit_task", task: A, verify: null })).toMatchObject(DONE)
    expect(state().task.get(A)).toMatchObject({ title: "Better", verify: null })
    await hive.store.write(by, (tx) => tx.set("task", B, { status: "invalidated" }))
    expect(await ask({ do: "edit_task", task: B, title: "x" })).toMatchObject({
      ok: false,
      why: expect.stringContaining("The task is invalidated"),
    })
  })

  it("with a holder is blocked: the holder loses it, and it starts again only once it is unblocked", async () => {
    const { hive, ask, state } = await someWork()
    await startTask(hive, session, A)
    expect(await ask({ do: "block_task", task: A, reason: "wait for Ann" })).toMatchObject(DONE)
    expect(state().task.get(A)).toMatchObject({ status: "blocked", assigned_session_id: null })
    expect(state().trajectory.get(headIdOf("ses_1"))?.active_task_ids).toEqual([])
    await expect(startTask(hive, session, A)).rejects.toMatchObject({
      why: "A person has blocked this task: wait for Ann",
    })
    expect(await ask({ do: "unblock_task", task: A })).toMatchObject(DONE)
    expect(state().task.get(A)).toMatchObject({ status: "planned", held_back: null })
    await startTask(hive, session, A)
  })

  it("that also waits for a decision stays blocked, and says so", async () => {
    const { ask, state } = await someWork()
    await ask({ do: "block_task", task: C, reason: "wait for Ann" })
    await ask({ do: "resolve_decision", decision: OPEN, content: "Port 80" })
    expect(state().task.get(C)?.status).toBe("blocked")
    await ask({ do: "unblock_task", task: C })
    expect(state().task.get(C)?.status).toBe("planned")
  })

  it("is moved before another or to the end, also among those made at the same moment", async () => {
    const { ask, order } = await someWork()
    expect(order()).toEqual([A, B, C])
    await ask({ do: "move_task", task: C, before: A })
    expect(order()).toEqual([C, A, B])
    await ask({ do: "move_task", task: C, before: B })
    expect(order()).toEqual([A, C, B])
    await ask({ do: "move_task", task: A, before: null })
    expect(order()).toEqual([C, B, A])
    await ask({ do: "move_task", task: A, before: B })
    expect(order()).toEqual([C, A, B])
  })

  it("is where it was moved to in the tree, the plan's status and the block, also for a process that starts later", async () => {
    const { hive, ask } = await someWork()
    await ask({ do: "move_task", task: B, before: A })
    await ask({ do: "block_task", task: C, reason: "wait for Ann" })
    await startTask(hive, session, A)
    await hive.store.fold()
    const store = openFileStore(hive.home, { source: hive.source })
    const later = { ...hive, store }
    const { state } = store.read()
    const [plan] = treeOf(state, undefined).roots
    expect(plan?.children[0]?.children.map(({ id }) => id)).toEqual([B, A, C])
    expect(planStatus(later, "ses_2", PLAN)[0]?.tasks.map(({ task_id }) => task_id)).toEqual([B, A, C])
    const { xml } = await packedState(later, { session: "ses_1", asOf: undefined })
    expect(xml.indexOf("Task 4")).toBeLessThan(xml.indexOf("Task 5"))
    expect(xml).toContain('held_back="wait for Ann"')
    await store.close()
  })
})

it("a conflict is settled, once", async () => {
  const { hive, ask, state } = await someWork()
  await hive.store.write(by, (tx) => tx.add("conflict", aConflict(20, { record_id: A })))
  expect(await ask({ do: "settle_conflict", conflict: uuid(20), take: "kept" })).toMatchObject(DONE)
  expect(state().conflict.get(uuid(20))?.status).toBe("settled")
  expect(await ask({ do: "settle_conflict", conflict: uuid(20), take: "kept" })).toMatchObject({
    ok: false,
    what: "This conflict is settled already.",
  })
})

describe("an intent shift", () => {
  async function shifted() {
    const work = await someWork()
    const { hive, state } = work
    await hive.store.write(by, (tx) => tx.add("task", aTask(8, 1, 2)))
    await startTask(hive, session, A)
    await shiftHead(hive, { ...session, tool: "intent shift" }, B)
    const at = (head = headIdOf("ses_1")) => state().trajectory.get(head)?.active_task_ids
    return { ...work, at, takeBack: () => work.ask({ do: "take_back_shift", session: "ses_1" }) }
  }

  it("is taken back, and not a second time", async () => {
    const { state, at, takeBack } = await shifted()
    expect(at()).toEqual([B])
    expect(await takeBack()).toMatchObject(DONE)
    expect(state().trajectory.get(headIdOf("ses_1"))).toMatchObject({
      ...{ active_task_ids: [A], intent_shift_at: null },
    })
    expect(await takeBack()).toMatchObject(REFUSED)
  })

  it("that is taken back does not lead to a task that is over by now", async () => {
    const { hive, at, takeBack } = await shifted()
    await failTask(hive, session, A, "not needed")
    expect(await takeBack()).toMatchObject(DONE)
    expect(at()).toEqual([])
  })

  it("that is taken back leaves the project's read-head where another session has moved it", async () => {
    const { hive, at, takeBack } = await shifted()
    await startTask(hive, { ...session, session: "ses_2" }, uuid(8))
    expect(await takeBack()).toMatchObject(DONE)
    expect([at(), at(PROJECT_HEAD_ID)]).toEqual([[A], [uuid(8)]])
  })
})

it("a warning is acknowledged, and one that is not there is refused", async () => {
  const { hive, ask } = await someWork()
  const failing = (n: number) => aCall({ tool: "bash", use: "run", ok: false, args: { n } })
  for (let n = 0; n < 4; n++) await countEvent(hive, session, failing(n))
  const signals = () => driftReport(hive, "ses_1").warnings.map(({ signal }) => signal)
  expect(signals()).toContain("failures")
  expect(await ask({ do: "acknowledge_warning", session: "ses_1", signal: "failures" })).toMatchObject({
    ok: true,
    entry: null,
  })
  expect(signals()).not.toContain("failures")
  expect(await ask({ do: "acknowledge_warning", session: "ses_1", signal: "cancels" })).toMatchObject(REFUSED)
})

it("an entry is undone, and not a second time", async () => {
  const { hive, ask, state } = await someWork()
  await ask({ do: "edit_task", task: A, title: "Better" })
  const entry = (await hive.store.log()).at(-1)?.id ?? ""
  expect(await ask({ do: "undo", entry })).toMatchObject(DONE)
  expect(state().task.get(A)?.title).toBe("Task 3")
  expect(await ask({ do: "undo", entry })).toMatchObject({
    ok: false,
    what: expect.stringContaining("undone already"),
  })
})

it("an invalid command is refused before it is queued, and nothing is queued in a project without HiveMind", async () => {
  const { hive } = await someWork()
  const nonsense = [
    { do: "rm -rf" },
    { do: "edit_task", task: A },
    { do: "edit_task", task: A, status: "completed" },
    { do: "save_mem", content: "" },
    { do: "flag_mem", mem: "x", reason: "y" },
    null,
  ]
  for (const each of nonsense)
    await expect(enqueue(hive, "dashboard", each as never)).rejects.toMatchObject({
      code: "invalid_argument",
    })
  await expect(enqueue(hive, "", { do: "unblock_task", task: A })).rejects.toMatchObject({
    code: "invalid_argument",
  })
  expect(waiting(hive)).toEqual([])
  const bare = await fileHive()
  await expect(enqueue(bare, "dashboard", { do: "unblock_task", task: A })).rejects.toMatchObject({
    code: "no_project",
  })
})

async function someWork() {
  const hive = await fileHive()
  await hive.store.write(by, (tx) => {
    addPlan(tx)
    tx.add("mem", aMem(6, { content: "Remember this" }))
    tx.add("mem", aMem(7, { content: "Which port?", kind: "decision", resolved: false }))
    tx.add("task", aTask(3, 1, 2, { expected_output: "done" }))
    tx.add("task", aTask(4, 1, 2))
    tx.add("task", aTask(5, 1, 2, { status: "blocked", decisions: [OPEN] }))
  })
  const state = () => hive.store.read().state
  const order = () => Array.from(tasksIn(state(), "phase", PHASE, isOpenTask), ({ id }) => id)
  return { hive, ask: asking(hive), state, order }
}

function asking(hive: Hive) {
  return async (command: QueuedCommand) => {
    const id = await enqueue(hive, "dashboard", command)
    expect(outcomeOf(hive, id)).toBe("waiting")
    await drain(hive)
    const outcome = outcomeOf(hive, id)
    if (outcome === undefined || outcome === "waiting") throw new Error(`not applied: ${outcome}`)
    return outcome
  }
}
