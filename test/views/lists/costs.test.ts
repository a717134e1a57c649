import { appendFileSync, mkdirSync, readdirSync, readFileSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import type { Usage } from "../../../src/schemas/usage.ts"
import { runInSlices, runToEnd } from "../../../src/shared/slices.ts"
import { hivePaths } from "../../../src/store/files/layout.ts"
import { usageFile } from "../../../src/store/files/usage-file.ts"
import { ledgerOf, shortForm, spentOnTask } from "../../../src/views/lists/costs.ts"
import { ensureSession } from "../../../src/work/session/session.ts"
import { memoryHive } from "../../support/hive.ts"
import { addTask, aTask, aUsage, by, uuid } from "../../support/records.ts"
import { tempProject } from "../../support/temp-project.ts"

async function paths() {
  const found = hivePaths(await tempProject())
  mkdirSync(found.graph, { recursive: true })
  return found
}

it("an answer recorded twice counts once, with the last values", async () => {
  const at = await paths()
  const file = usageFile(at)
  file.add(aUsage("msg_1", { output: 1 }))
  file.add(aUsage("msg_1", { output: 2 }))
  file.add(aUsage("msg_2", { at: "2026-12-01T00:00:00.000Z" }))
  expect([...runToEnd(file.all()).values()].map(({ message, output }) => [message, output])).toEqual([
    ["msg_1", 2],
    ["msg_2", 20],
  ])
  expect(readdirSync(at.usage).sort()).toEqual(["2026-11.jsonl", "2026-12.jsonl"])
})

it("two concurrent readers get all answers", async () => {
  const at = await paths()
  const [writer, file] = [usageFile(at), usageFile(at)]
  for (let n = 0; n < 1500; n++) writer.add(aUsage(`msg_${n}`))
  const readers = [file.all(), file.all()]
  while (readers.map((reader) => reader.next().done).includes(false)) {}
  expect(runToEnd(file.all()).size).toBe(1500)
})

it("sees answers of other processes, also with torn lines and split characters", async () => {
  const at = await paths()
  const [mine, theirs] = [usageFile(at), usageFile(at)]
  mine.add(aUsage("msg_1"))
  expect([...runToEnd(theirs.all()).values()]).toHaveLength(1)
  const file = join(at.usage, "2026-11.jsonl")
  appendFileSync(file, '\n{"at":"2026-11-15T10:0')
  expect([...runToEnd(theirs.all()).values()]).toHaveLength(1)
  for (let n = 2; n < 1500; n++) mine.add(aUsage(`msg_${n}`, { agent: `prüfer${"ß".repeat(n % 7)}` }))
  const seen = [...(await runInSlices(theirs.all())).values()]
  expect(seen).toHaveLength(1499)
  expect(seen.filter(({ agent }) => agent !== "build" && !/^prüferß*$/.test(agent ?? ""))).toEqual([])
  const text = readFileSync(file)
  truncateSync(file, text.length - 5)
  expect([...runToEnd(usageFile(at).all()).values()]).toHaveLength(1498)
})

it("running sums match the answers, also duplicate, late and foreign ones", async () => {
  const at = await paths()
  const [mine, theirs] = [usageFile(at), usageFile(at)]
  const months = ["2026-08", "2026-09", "2026-10", "2026-11"]
  const tell = (n: number, more: Partial<Usage> = {}) => {
    const when = `${months[n % 4]}-${String((n % 27) + 1).padStart(2, "0")}T${String(n % 24).padStart(2, "0")}:30:00.000Z`
    const of = { task: uuid(n % 5), delegation: n % 2 === 0 ? uuid(100 + (n % 3)) : null }
    ;(n % 3 === 0 ? theirs : mine).add(aUsage(`msg_${n}`, { at: when, input: n, ...of, ...more }))
  }
  const since = "2026-10-15T12:00:00.000Z"
  const check = () => {
    const all = [...runToEnd(usageFile(at).all()).values()]
    for (const task of [uuid(0), uuid(3)]) {
      const own = all.filter((each) => each.task === task)
      const sum = runToEnd(mine.onTasks(new Set([task])))
      expect([sum.answers, sum.input]).toEqual([
        own.length,
        own.reduce((total, { input }) => total + input, 0),
      ])
    }
    const sums = runToEnd(mine.byDelegation(since))
    for (const delegation of [uuid(100), uuid(101), uuid(102)]) {
      const own = all.filter((each) => each.delegation === delegation && each.at >= since.slice(0, 13))
      expect(sums.get(delegation)?.input ?? 0).toBe(own.reduce((total, { input }) => total + input, 0))
    }
  }
  for (let n = 0; n < 200; n++) tell(n)
  check()
  // Reported again with other figures and for another task, in an old month and in the newest.
  for (const n of [40, 43]) tell(n, { input: 7, task: uuid(3), delegation: null })
  check()
  for (let n = 200; n < 260; n++) tell(n)
  check()
})

it("counts every answer once, by plan and task, top session, delegate and model", async () => {
  const hive = { ...memoryHive(), usage: usageFile(await paths()) }
  await hive.store.write(by, (tx) => {
    addTask(tx)
    tx.add("task", { ...aTask(4, 1, 2), type: "sub", parent_task_id: uuid(3) })
  })
  const [plan, task, part] = [uuid(1), uuid(3), uuid(4)]
  const delegation = uuid(7)
  const child = { session: "ses_2", parent: "ses_1", delegation }
  hive.usage.add(aUsage("msg_1", { plan, task }))
  hive.usage.add(aUsage("msg_2", { plan, task: part, ...child, model: "test/two" }))
  hive.usage.add(aUsage("msg_3", { plan, task: part, session: "ses_3", parent: "ses_2" }))
  hive.usage.add(aUsage("msg_4", { session: "ses_9", at: "2026-11-16T10:00:00.000Z" }))
  const ledger = await ledgerOf(hive)
  expect(shortForm(ledger.total)).toEqual({ fresh: 440, cached: 4000, output: 100, cost: 2 })
  const counts = (lines: readonly { id: string; spent: { answers: number } }[]) =>
    Object.fromEntries(lines.map(({ id, spent }) => [id, spent.answers]))
  expect(counts(ledger.plans)).toEqual({ [plan]: 3 })
  expect(counts(ledger.plans[0]?.tasks ?? [])).toEqual({ [part]: 2, [task]: 1 })
  expect(ledger.unplanned.answers).toBe(1)
  expect(counts(ledger.sessions)).toEqual({ ses_1: 3, ses_9: 1 })
  expect(ledger.sessions.map(({ subagents }) => subagents.answers)).toEqual([2, 0])
  expect(counts(ledger.delegates)).toEqual({ [delegation]: 1 })
  expect(counts(ledger.models)).toEqual({ "test/one": 3, "test/two": 1 })
  expect((await spentOnTask(hive, task)).answers).toBe(3)
  expect((await spentOnTask(hive, part)).answers).toBe(2)
  expect((await ledgerOf(hive, Date.parse("2026-11-16T00:00:00.000Z"))).total.answers).toBe(1)
  // What a subagent's subagent took belongs to the session on top, also where the one between was silent since.
  await hive.store.write(by, (tx) => {
    const caller = (session: string) => ({ session, agent: null, tool: "test" })
    ensureSession(tx, caller("ses_1"), 0, null)
    ensureSession(tx, caller("ses_2"), 0, null, "ses_1")
  })
  hive.usage.add(aUsage("msg_5", { session: "ses_3", parent: "ses_2", at: "2026-12-02T10:00:00.000Z" }))
  const late = await ledgerOf(hive, Date.parse("2026-12-01T00:00:00.000Z"))
  expect(late.sessions.map(({ id, subagents }) => [id, subagents.answers])).toEqual([["ses_1", 1]])
})
