import { appendFileSync, mkdirSync, readdirSync, readFileSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import type { Usage } from "../../../src/schemas/usage.ts"
import { runInSlices, runToEnd } from "../../../src/shared/slices.ts"
import { hivePaths } from "../../../src/store/files/layout.ts"
import { usageFile } from "../../../src/store/files/usage-file.ts"
import { ledgerOf, shortForm, spentOnTask } from "../../../src/views/cost/ledger.ts"
import { memoryHive } from "../../support/hive.ts"
import { aPhase, aPlan, aTask, by, uuid } from "../../support/records.ts"
import { tempProject } from "../../support/temp-project.ts"

const answer = (message: string, more: Partial<Usage> = {}): Usage => ({
  at: "2026-11-15T10:00:00.000Z",
  message,
  session: "ses_1",
  parent: null,
  agent: "build",
  model: "test/one",
  task: null,
  plan: null,
  delegation: null,
  input: 100,
  cache_write: 10,
  cache_read: 1000,
  output: 20,
  reasoning: 5,
  cost: 0.5,
  ...more,
})

async function paths() {
  const found = hivePaths(await tempProject())
  mkdirSync(found.graph, { recursive: true })
  return found
}

it("an answer that is told twice counts once, as it was told last", async () => {
  const at = await paths()
  const file = usageFile(at)
  file.add(answer("msg_1", { output: 1 }))
  file.add(answer("msg_1", { output: 2 }))
  file.add(answer("msg_2", { at: "2026-12-01T00:00:00.000Z" }))
  expect([...runToEnd(file.all()).values()].map(({ message, output }) => [message, output])).toEqual([
    ["msg_1", 2],
    ["msg_2", 20],
  ])
  expect(readdirSync(at.usage).sort()).toEqual(["2026-11.jsonl", "2026-12.jsonl"])
})

it("is whole for two that read it at the same time, in turns", async () => {
  const at = await paths()
  const writer = usageFile(at)
  for (let n = 0; n < 1500; n++) writer.add(answer(`msg_${n}`))
  const file = usageFile(at)
  const [one, other] = [file.all(), file.all()]
  for (;;) {
    const [a, b] = [one.next(), other.next()]
    if (a.done && b.done) break
  }
  expect(runToEnd(file.all()).size).toBe(1500)
  for (let n = 1500; n < 1600; n++) writer.add(answer(`msg_${n}`))
  expect(runToEnd(file.all()).size).toBe(1600)
})

it("what other processes add is seen, also where a line is torn, and letters are cut in two", async () => {
  const at = await paths()
  const [mine, theirs] = [usageFile(at), usageFile(at)]
  mine.add(answer("msg_1"))
  expect([...runToEnd(theirs.all()).values()]).toHaveLength(1)
  const file = join(at.usage, "2026-11.jsonl")
  appendFileSync(file, '\n{"at":"2026-11-15T10:0')
  expect([...runToEnd(theirs.all()).values()]).toHaveLength(1)
  for (let n = 2; n < 1500; n++) mine.add(answer(`msg_${n}`, { agent: `prüfer${"ß".repeat(n % 7)}` }))
  const seen = [...(await runInSlices(theirs.all())).values()]
  expect(seen).toHaveLength(1499)
  expect(seen.filter(({ agent }) => agent !== "build" && !/^prüferß*$/.test(agent ?? ""))).toEqual([])
  const text = readFileSync(file)
  truncateSync(file, text.length - 5)
  expect([...runToEnd(usageFile(at).all()).values()]).toHaveLength(1498)
})

it("nothing is put down where the project has no graph", async () => {
  const at = hivePaths(await tempProject())
  usageFile(at).add(answer("msg_1"))
  expect([...runToEnd(usageFile(at).all()).values()]).toEqual([])
})

it("every answer is in the total once, with its plan and task, the session on top, its delegate and its model", async () => {
  const hive = { ...memoryHive(), usage: usageFile(await paths()) }
  await hive.store.write(by, (tx) => {
    tx.add("plan", aPlan(1))
    tx.add("phase", aPhase(2, 1))
    tx.add("task", aTask(3, 1, 2))
    tx.add("task", { ...aTask(4, 1, 2), type: "sub", parent_task_id: uuid(3) })
  })
  const [plan, task, part] = [uuid(1), uuid(3), uuid(4)]
  const delegation = uuid(7)
  const child = { session: "ses_2", parent: "ses_1", delegation }
  hive.usage.add(answer("msg_1", { plan, task }))
  hive.usage.add(answer("msg_2", { plan, task: part, ...child, model: "test/two" }))
  hive.usage.add(answer("msg_3", { plan, task: part, session: "ses_3", parent: "ses_2" }))
  hive.usage.add(answer("msg_4", { session: "ses_9", at: "2026-11-16T10:00:00.000Z" }))
  const ledger = await ledgerOf(hive)
  expect(shortForm(ledger.total)).toEqual({ fresh: 440, cached: 4000, output: 100, cost: 2 })
  expect(
    ledger.plans.map(({ id, spent, tasks }) => [
      id,
      spent.answers,
      tasks.map((each) => [each.id, each.spent.answers]),
    ]),
  ).toEqual([
    [
      plan,
      3,
      [
        [part, 2],
        [task, 1],
      ],
    ],
  ])
  expect(ledger.unplanned.answers).toBe(1)
  expect(ledger.sessions.map(({ id, spent, subagents }) => [id, spent.answers, subagents.answers])).toEqual([
    ["ses_1", 3, 2],
    ["ses_9", 1, 0],
  ])
  expect(ledger.delegates.map(({ id, spent }) => [id, spent.answers])).toEqual([[delegation, 1]])
  expect(ledger.models.map(({ id, spent }) => [id, spent.answers])).toEqual([
    ["test/one", 3],
    ["test/two", 1],
  ])
  expect((await spentOnTask(hive, task)).answers).toBe(3)
  expect((await spentOnTask(hive, part)).answers).toBe(2)
  expect((await ledgerOf(hive, Date.parse("2026-11-16T00:00:00.000Z"))).total.answers).toBe(1)
})
