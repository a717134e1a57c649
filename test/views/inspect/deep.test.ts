import { describe, expect, it } from "vitest"
import type { Hive } from "../../../src/hive/hive.ts"
import type { Mem } from "../../../src/schemas/knowledge.ts"
import { HiveError } from "../../../src/shared/error.ts"
import { countTokens } from "../../../src/shared/text/tokens.ts"
import type { ArchivedMems } from "../../../src/store/store.ts"
import { inspectDeep } from "../../../src/views/inspect/deep.ts"
import { updateSession } from "../../../src/work/focus/update.ts"
import { startSession } from "../../../src/work/session/start.ts"
import { defined } from "../../support/defined.ts"
import { memoryHive } from "../../support/hive.ts"
import { aCheckpoint, aMem, anAnchor, aPhase, aPlan, aTask, by } from "../../support/records.ts"

/** Ids whose first characters tell them apart, as those of real ones do. */
const id = (n: number) => `${String(n).repeat(8).slice(0, 8)}-0000-4000-8000-000000000000`
const caller = { session: "ses_1", agent: "build", tool: "test" }

/** Plan 1, phases 2 and 3; in phase 2 tasks 4 and 5, below 4 tasks 6 and 7; mems 8 and 9 of task 4. */
async function project(): Promise<Hive> {
  const hive = memoryHive()
  const inPhase = { parent_plan_id: id(1), parent_phase_id: id(2) }
  await hive.store.write(by, (tx) => {
    tx.add("plan", aPlan(0, { id: id(1), title: "Auth" }))
    tx.add("phase", aPhase(0, 0, { id: id(2), parent_plan_id: id(1), title: "API", order: 1 }))
    tx.add("phase", aPhase(0, 0, { id: id(3), parent_plan_id: id(1), title: "Docs", order: 2 }))
    tx.add("task", aTask(0, 0, 0, { ...inPhase, id: id(4), title: "Login" }))
    tx.add("task", aTask(0, 0, 0, { ...inPhase, id: id(5), title: "Logout", depends_on: [id(4)] }))
    for (const [n, title] of [
      [6, "Hash"],
      [7, "Salt"],
    ] as const)
      tx.add("task", aTask(0, 0, 0, { ...inPhase, id: id(n), title, parent_task_id: id(4), type: "sub" }))
    tx.add("mem", aMem(0, { id: id(8), content: "Use argon2", origin_task_id: id(4) }))
    tx.add("mem", aMem(0, { id: id(9), content: "Use jose", origin_task_id: id(4), related_to: [id(8)] }))
    tx.add("anchor", anAnchor(1, { key: "DB", related_to: [id(4)] }))
    for (let n = 10; n < 40; n++) tx.add("checkpoint", aCheckpoint(n, 0, { task_id: id(4) }))
  })
  return hive
}

function archiveOf(mems: readonly Mem[]): ArchivedMems {
  const byId = new Map(mems.map((mem) => [mem.id, mem]))
  return {
    size: () => mems.length,
    has: (each) => byId.has(each),
    get: (each) => byId.get(each),
    lookups: () => ({ get: (each) => byId.get(each), close: () => {} }),
    startingWith: (prefix) => mems.filter((mem) => mem.id.startsWith(prefix)),
    naming: async (text) => mems.filter((mem) => JSON.stringify(mem).includes(text)),
    walk: (isKnown) => mems.filter(({ id }) => !isKnown(id)).values(),
  }
}

describe("deep", () => {
  it("shows a task upwards, sideways, downwards, and across in both directions", async () => {
    const deep = await inspectDeep(await project(), null, "44444444")
    expect(deep).toMatchObject({
      kind: "task",
      id: "44444444",
      record: { title: "Login", status: "planned", expected_output: "it works" },
      path: ['11111111 plan "Auth" (active)', '22222222 phase "API" (active)'],
      siblings: ['55555555 task "Logout" (planned)'],
      children: ['66666666 task "Hash" (planned)', '77777777 task "Salt" (planned)'],
      linked_from: {
        "task.depends_on": ['55555555 task "Logout" (planned)'],
        "mem.origin_task_id": ['99999999 mem "Use jose" (active)', '88888888 mem "Use argon2" (active)'],
        "anchor.related_to": [expect.stringContaining('anchor "DB"')],
      },
    })
    expect(deep).not.toHaveProperty("links")
    expect(deep.record).not.toHaveProperty("parent_plan_id")
    expect(deep.record).not.toHaveProperty("depends_on")
  })

  it("lists the newest few of many and counts the others", async () => {
    const { linked_from } = await inspectDeep(await project(), null, id(4))
    const checkpoints = linked_from?.["checkpoint.task_id"] ?? []
    expect(checkpoints.at(-1)).toMatch(/^… \d+ more$/)
    expect(checkpoints.length + Number(/\d+/.exec(checkpoints.at(-1) ?? "")?.[0]) - 1).toBe(30)
  })

  it("follows links outwards: what a sub-task is part of, what a task waits for, what a mem rests on", async () => {
    const hive = await project()
    expect(await inspectDeep(hive, null, "77777777")).toMatchObject({
      path: [expect.any(String), expect.any(String), '44444444 task "Login" (planned)'],
      siblings: ['66666666 task "Hash" (planned)'],
    })
    expect((await inspectDeep(hive, null, "55555555")).links).toEqual({
      depends_on: ['44444444 task "Login" (planned)'],
    })
    expect(await inspectDeep(hive, null, "99999999")).toMatchObject({
      kind: "mem",
      path: [expect.any(String), expect.any(String), '44444444 task "Login" (planned)'],
      siblings: ['88888888 mem "Use argon2" (active)'],
      links: {
        origin_task_id: ['44444444 task "Login" (planned)'],
        related_to: ['88888888 mem "Use argon2" (active)'],
      },
    })
  })

  it("a plan has its phases below it and other plans beside it; a phase has its tasks below it", async () => {
    const hive = await project()
    await hive.store.write(by, (tx) => tx.add("plan", aPlan(99, { title: "Dashboard" })))
    expect(await inspectDeep(hive, null, "11111111")).toMatchObject({
      siblings: [expect.stringContaining('plan "Dashboard"')],
      children: ['22222222 phase "API" (active)', '33333333 phase "Docs" (active)'],
    })
    expect(await inspectDeep(hive, null, "22222222")).toMatchObject({
      path: ['11111111 plan "Auth" (active)'],
      siblings: ['33333333 phase "Docs" (active)'],
      children: ['44444444 task "Login" (planned)', '55555555 task "Logout" (planned)'],
    })
  })

  it("without an id it is the one at the read-head: its task, else its phase or plan; nowhere is a refusal", async () => {
    const hive = memoryHive()
    await expect(inspectDeep(hive, "ses_1", undefined)).rejects.toThrow(HiveError)
    await updateSession(hive, caller, { level: "tactic", content: "API" })
    expect(await inspectDeep(hive, "ses_1", undefined)).toMatchObject({
      kind: "phase",
      record: { title: "API" },
    })
    await updateSession(hive, caller, { level: "action", content: "Login" })
    expect(await inspectDeep(hive, "ses_1", undefined)).toMatchObject({
      kind: "task",
      record: { title: "Login" },
    })
  })

  it("a session is found by its stamp or by the host's id, with what it did and its position", async () => {
    const hive = memoryHive()
    const { stamp } = await startSession(hive, caller, { intent: "Add login" })
    for (const name of [stamp, "ses_1"]) {
      expect(await inspectDeep(hive, null, name)).toMatchObject({
        kind: "session",
        record: { stamp, host_id: "ses_1", intent: "Add login", status: "active" },
        linked_from: { "trajectory.session_id": [expect.stringContaining(`read-head of session ${stamp}`)] },
      })
    }
  })

  it("a mem that left for the archive is still found, by the start of its id too", async () => {
    const { store, ...rest } = await project()
    const away = aMem(0, { id: id(0).replace("00000000", "abcdef01"), content: "Once", supersedes: id(8) })
    const hive = { ...rest, store: { ...store, archive: archiveOf([away]) } }
    for (const name of ["abcdef01", away.id]) {
      expect(await inspectDeep(hive, null, name)).toMatchObject({
        kind: "mem",
        record: { content: "Once" },
        links: { supersedes: ['88888888 mem "Use argon2" (active)'] },
      })
    }
  })

  it("a link into the archive says so, and one into nothing too", async () => {
    const hive = await project()
    const { mem } = hive.store.read().state
    const away = defined(mem.get(id(8)))
    mem.delete(away.id)
    const related = async (archived: Mem[]) => {
      const withArchive = { ...hive.store, archive: archiveOf(archived) }
      return (await inspectDeep({ ...hive, store: withArchive }, null, "99999999")).links?.["related_to"]
    }
    expect(await related([])).toEqual(["88888888 mem (not there)"])
    expect(await related([away])).toEqual(["88888888 mem (archived)"])
  })

  it.each([
    ["what no id starts with", "deadbeef", "No id starts like that."],
    [
      "an id of nobody",
      "deadbeef-0000-4000-8000-000000000000",
      "Neither the graph nor the archive has this id.",
    ],
    ["a stamp of no session", "591231122025", "A stamp is looked up among the sessions."],
  ])("refuses %s", async (_, given, why) => {
    const hive = await project()
    await expect(inspectDeep(hive, null, given)).rejects.toMatchObject({ code: "not_found", why })
  })

  it("stays within its tokens however much hangs on a record, and shows stored text on one line", async () => {
    const hive = await project()
    const words = `${"many words and more ".repeat(40)}\nnext\u001b[2J`
    await hive.store.write(by, (tx) => {
      tx.set("task", id(4), {
        title: words.slice(0, 400),
        expected_output: words,
        evidence: words,
        reason: words,
      })
      for (let n = 100; n < 160; n++) {
        tx.add(
          "task",
          aTask(n, 0, 0, { parent_plan_id: id(1), parent_phase_id: id(2), title: words.slice(0, 400) }),
        )
        tx.add("mem", aMem(n + 100, { content: words, related_to: [id(4)], origin_task_id: id(4) }))
        tx.add("anchor", anAnchor(n + 200, { value: words, related_to: [id(4)] }))
      }
    })
    const text = JSON.stringify(await inspectDeep(hive, null, id(4)))
    expect(countTokens(text)).toBeLessThanOrEqual(1300)
    expect(text).not.toMatch(/\\u001b|\\n/)
  })
})
