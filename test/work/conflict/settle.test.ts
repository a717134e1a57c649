import { describe, expect, it } from "vitest"
import { isMemInForce } from "../../../src/graph/lifecycle.ts"
import { describeConflict, isOpenConflict, openConflicts } from "../../../src/graph/open-conflicts.ts"
import type { Transaction } from "../../../src/graph/transaction.ts"
import type { Hive } from "../../../src/hive/hive.ts"
import type { Conflict } from "../../../src/schemas/conflict.ts"
import { settleConflict, type Take } from "../../../src/work/conflict/settle.ts"
import { cloneSource, exchange, sharedGraph } from "../../support/clones.ts"
import { memoryHive } from "../../support/hive.ts"
import { openMemoryStore } from "../../support/memory-store.ts"
import { addTask, aMem, anAnchor, aTask, by, uuid } from "../../support/records.ts"

type Build = (tx: Transaction) => void
const caller = { session: "ses_1", agent: null, tool: "test" }
const [IDLE, ACTIVE, BLOCKED, MEM] = [uuid(3), uuid(4), uuid(5), uuid(10)]

const done: Build = (tx) => tx.set("task", ACTIVE, { status: "completed", evidence: "it works" })
const failed: Build = (tx) => tx.set("task", ACTIVE, { status: "failed", reason: "it broke" })

describe("done here, failed there", () => {
  it("keeping the current value settles the conflict and changes nothing else", async () => {
    const { anna, settle, conflict } = await clash(done, failed)
    const before = anna.store.read().state.task.get(ACTIVE)
    expect(await settle("kept")).toMatchObject({ id: conflict.id, status: "settled" })
    expect(anna.store.read().state.task.get(ACTIVE)).toBe(before)
  })

  it("taking the lost value can complete a failed task, and frees its dependents in all clones", async () => {
    const { anna, bert, settle } = await clash(done, failed)
    expect(anna.store.read().state.task.get(ACTIVE)?.status).toBe("failed")
    await settle("lost")
    await exchange([anna.store, bert.store])
    for (const { store } of [anna, bert]) {
      const { state } = store.read()
      expect(state.task.get(ACTIVE)).toMatchObject({ status: "completed", evidence: "it works" })
      expect(state.task.get(BLOCKED)?.status).toBe("planned")
      expect(openConflicts(state)).toEqual([])
    }
    expect(sharedGraph(anna.store)).toEqual(sharedGraph(bert.store))
  })

  it("after another change of the task the lost value is refused, and the kept one still settles the conflict", async () => {
    const { anna, settle, conflict } = await clash(done, failed)
    await anna.store.write(by, (tx) => tx.set("task", ACTIVE, { status: "active" }))
    expect(isOpenConflict(conflict, anna.store.read().state)).toBe(false)
    await expect(settle("lost")).rejects.toMatchObject({
      code: "conflict",
      what: "The lost version cannot be taken: it is out of date.",
    })
    expect(await settle("kept")).toMatchObject({ status: "settled" })
    await expect(settle("kept")).rejects.toMatchObject({ what: "This conflict is settled already." })
  })
})

const drop: Build = (tx) => tx.drop("task", IDLE)

it("a record that one clone removed and another changed is added again, with the change", async () => {
  const { anna, settle } = await clash((tx) => tx.set("task", IDLE, { title: "Better" }), drop)
  expect(anna.store.read().state.task.has(IDLE)).toBe(false)
  await settle("lost")
  expect(anna.store.read().state.task.get(IDLE)).toMatchObject({ title: "Better", status: "planned" })
})

it("if two links form a circle, the lost one is refused until the other is removed", async () => {
  const { anna, settle, conflict } = await clash(
    (tx) => tx.set("task", IDLE, { depends_on: [BLOCKED] }),
    (tx) => tx.set("task", BLOCKED, { depends_on: [ACTIVE, IDLE] }),
  )
  expect(conflict.rule).toBe("circle")
  await expect(settle("lost")).rejects.toMatchObject({
    code: "cycle",
    use_instead: expect.stringContaining("Remove another link"),
  })
  await anna.store.write(by, (tx) => tx.set("task", IDLE, { depends_on: [] }))
  expect(isOpenConflict(conflict, anna.store.read().state)).toBe(true)
  await settle("lost")
  expect(anna.store.read().state.task.get(BLOCKED)?.depends_on).toEqual([ACTIVE, IDLE])
})

it("two anchors with the same key: taking the lost value sets it on the remaining anchor", async () => {
  const { anna, settle } = await clash(
    (tx) => tx.add("anchor", anAnchor(20, { key: "DB", value: "Postgres" })),
    (tx) => tx.add("anchor", anAnchor(21, { key: "db", value: "MySQL" })),
  )
  await settle("lost")
  expect([...anna.store.read().state.anchor.values()].map(({ value, status }) => [value, status])).toEqual([
    ["Postgres", "removed"],
    ["Postgres", "active"],
  ])
})

describe("a mem replaced here and replaced there", () => {
  const replace =
    (n: number): Build =>
    (tx) => {
      tx.add("mem", aMem(n, { supersedes: MEM }))
      tx.set("mem", MEM, { status: "superseded" })
    }
  const inForce = ({ store }: Hive) =>
    [30, 31].filter((n) => store.read().state.mem.get(uuid(n))?.status === "active")

  it.each<[Take, number]>([
    ["kept", 31],
    ["lost", 30],
  ])("taking the %s one leaves only that one in force, in all clones", async (take, left) => {
    const { anna, bert, settle } = await clash(replace(30), replace(31))
    expect([inForce(anna), openConflicts(anna.store.read().state).length]).toEqual([[30, 31], 1])
    await settle(take)
    await exchange([anna.store, bert.store])
    for (const hive of [anna, bert])
      expect([inForce(hive), openConflicts(hive.store.read().state)]).toEqual([[left], []])
  })

  it("an edit of one of the two leaves the conflict open, and choosing the other ends the edited one", async () => {
    const { anna, settle } = await clash(replace(30), replace(31))
    await anna.store.write(by, (tx) => {
      tx.add("mem", aMem(32, { supersedes: uuid(30) }))
      tx.set("mem", uuid(30), { status: "superseded" })
    })
    const { state } = anna.store.read()
    expect(openConflicts(state).map((each) => describeConflict(each, state))).toMatchObject([
      { stands: 'content "Mem 31"', lost: 'content "Mem 32"' },
    ])
    await settle("kept")
    expect(openConflicts(state)).toEqual([])
    expect([...state.mem.values()].filter(isMemInForce).map(({ id }) => id)).toEqual([uuid(31)])
  })

  it("once one of the two is no longer in force, nothing is left to decide", async () => {
    const { anna, settle } = await clash(replace(30), replace(31))
    await anna.store.write(by, (tx) => tx.set("mem", uuid(30), { status: "purged" }))
    expect(openConflicts(anna.store.read().state)).toEqual([])
    await expect(settle("lost")).rejects.toMatchObject({
      what: "The lost version cannot be taken: it is out of date.",
    })
    await settle("kept")
    expect(inForce(anna)).toEqual([31])
  })

  it("where two clones choose differently, the first choice stands and one mem is left", async () => {
    const { anna, bert, conflict, settle } = await clash(replace(30), replace(31))
    await settle("kept")
    await settleConflict(bert, caller, { conflict: conflict.id, take: "lost" })
    await exchange([anna.store, bert.store])
    for (const hive of [anna, bert]) expect(inForce(hive)).toEqual([31])
    expect(sharedGraph(anna.store)).toEqual(sharedGraph(bert.store))
  })
})

async function clash(annas: Build, berts: Build) {
  // Both clones share a clock, so the later write has the later time.
  const { now } = cloneSource("time")
  const [anna, bert] = [cloneHive("anna", now), cloneHive("bert", now)]
  await anna.store.write(by, (tx) => {
    addTask(tx)
    tx.add("task", aTask(4, 1, 2, { status: "active" }))
    tx.add("task", aTask(5, 1, 2, { status: "blocked", depends_on: [ACTIVE] }))
    tx.add("mem", aMem(10))
  })
  await exchange([anna.store, bert.store])
  await anna.store.write(by, annas)
  await bert.store.write(by, berts)
  await exchange([anna.store, bert.store])
  const conflict = [...anna.store.read().state.conflict.values()][0] as Conflict
  expect(conflict).toBeDefined()
  const settle = (take: Take) => settleConflict(anna, caller, { conflict: conflict.id, take })
  return { anna, bert, conflict, settle }
}

function cloneHive(name: string, now: () => number): Hive {
  const source = { ...cloneSource(name), now }
  return { ...memoryHive(), source, store: openMemoryStore(source, name) }
}
