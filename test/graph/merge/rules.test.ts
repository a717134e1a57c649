import { describe, expect, it } from "vitest"
import type { Transaction } from "../../../src/graph/transaction.ts"
import type { Conflict } from "../../../src/schemas/conflict.ts"
import type { Store } from "../../../src/store/store.ts"
import { cloneSource, exchange, sharedEntries, sharedGraph } from "../../support/clones.ts"
import { openMemoryStore } from "../../support/memory-store.ts"
import {
  aCheckpoint,
  aMem,
  anAnchor,
  anArtifact,
  aPhase,
  aPlan,
  aTask,
  by,
  uuid,
} from "../../support/records.ts"

type Build = (tx: Transaction) => void

describe("a field", () => {
  it("that both changed goes to the last writer, and what lost is noted", async () => {
    const { state, conflicts } = await met(
      (tx) => tx.set("task", uuid(3), { title: "Anna's" }),
      (tx) => tx.set("task", uuid(3), { title: "Bert's" }),
    )
    expect(state.task.get(uuid(3))?.title).toBe("Bert's")
    expect(conflicts).toMatchObject([
      { rule: "same_field", status: "noted", kept: { fields: { title: "Bert's" }, writer: "bert" } },
    ])
    expect(conflicts[0]?.lost.fields).toEqual({ title: "Anna's" })
  })

  it("that only one changed is kept beside what the other changed of the same record", async () => {
    const { state, conflicts } = await met(
      (tx) => tx.set("task", uuid(3), { title: "Anna's" }),
      (tx) => tx.set("task", uuid(3), { expected_output: "Bert's" }),
    )
    expect(state.task.get(uuid(3))).toMatchObject({ title: "Anna's", expected_output: "Bert's" })
    expect(conflicts).toEqual([])
  })

  it("that both changed alike is no conflict", async () => {
    const change: Build = (tx) => tx.set("task", uuid(3), { title: "The same" })
    expect((await met(change, change)).conflicts).toEqual([])
  })

  it("that was found in a file is no loss: the file tells", async () => {
    const { conflicts } = await met(
      (tx) => tx.set("artifact", anArtifact("a.md").id, { hash: "1".repeat(64) }),
      (tx) => tx.set("artifact", anArtifact("a.md").id, { hash: "2".repeat(64) }),
    )
    expect(conflicts).toEqual([])
  })
})

it("lists unite: what either adds is there, what either takes out is gone", async () => {
  const { state, conflicts } = await met(
    (tx) => tx.set("mem", uuid(10), { tags: ["kept", "older", "anna"] }),
    (tx) => tx.set("mem", uuid(10), { tags: ["kept", "old", "bert"] }),
  )
  expect(state.mem.get(uuid(10))?.tags).toEqual(["kept", "anna", "bert"])
  expect(conflicts).toEqual([])
})

describe("a task", () => {
  const done: Build = (tx) => tx.set("task", uuid(4), { status: "completed", evidence: "it works" })
  const failed: Build = (tx) => tx.set("task", uuid(4), { status: "failed", reason: "it broke" })

  it.each([
    ["here and failed there", done, failed],
    ["there and failed here", failed, done],
  ])("that is done %s counts as failed until it is settled", async (_, annas, berts) => {
    const { state, conflicts } = await met(annas, berts)
    expect(state.task.get(uuid(4))).toMatchObject({ status: "failed", reason: "it broke", evidence: null })
    expect(conflicts).toMatchObject([
      {
        rule: "ends",
        status: "open",
        kept: { fields: { status: "failed", reason: "it broke" } },
        lost: { fields: { status: "completed", evidence: "it works" } },
      },
    ])
  })

  it("that is over is not reopened by who did not know of it", async () => {
    const { state, conflicts } = await met(done, (tx) =>
      tx.set("task", uuid(4), { status: "blocked", reason: "waits" }),
    )
    expect(state.task.get(uuid(4))?.status).toBe("completed")
    expect(conflicts).toMatchObject([{ rule: "status", status: "noted" }])
  })

  it("that two sessions took is held by who was first", async () => {
    const take =
      (session: string): Build =>
      (tx) =>
        tx.set("task", uuid(3), { status: "active", assigned_session_id: session })
    const { state, conflicts } = await met(take("ses_anna"), take("ses_bert"))
    expect(state.task.get(uuid(3))?.assigned_session_id).toBe("ses_anna")
    expect(conflicts).toMatchObject([
      {
        rule: "held_twice",
        status: "open",
        lost: { fields: { assigned_session_id: "ses_bert" }, writer: "bert" },
      },
    ])
  })

  it("that who lost it has finished is finished", async () => {
    const { anna, bert } = await apart()
    await anna.write(by, (tx) =>
      tx.set("task", uuid(3), { status: "active", assigned_session_id: "ses_anna" }),
    )
    await bert.write(by, (tx) =>
      tx.set("task", uuid(3), { status: "active", assigned_session_id: "ses_bert" }),
    )
    await bert.write(by, (tx) => tx.set("task", uuid(3), { status: "completed", evidence: "done" }))
    await exchange([anna, bert])
    for (const each of [anna, bert]) expect(each.read().state.task.get(uuid(3))?.status).toBe("completed")
  })
})

describe("links", () => {
  it("that are a circle together: the later one is left out", async () => {
    const { state, conflicts } = await met(
      (tx) => tx.set("task", uuid(3), { depends_on: [uuid(4)] }),
      (tx) => tx.set("task", uuid(4), { depends_on: [uuid(3), uuid(5)] }),
    )
    expect(state.task.get(uuid(3))?.depends_on).toEqual([uuid(4)])
    expect(state.task.get(uuid(4))?.depends_on).toEqual([uuid(5)])
    expect(conflicts).toMatchObject([
      {
        rule: "circle",
        status: "open",
        record_id: uuid(4),
        lost: { fields: { depends_on: [uuid(3), uuid(5)] } },
      },
    ])
  })

  it("that are a circle of parents: the later one is left out, too", async () => {
    const { state, conflicts } = await met(
      (tx) => tx.set("task", uuid(3), { parent_task_id: uuid(4) }),
      (tx) => tx.set("task", uuid(4), { parent_task_id: uuid(3) }),
    )
    expect(state.task.get(uuid(3))?.parent_task_id).toBe(uuid(4))
    expect(state.task.get(uuid(4))?.parent_task_id).toBeNull()
    expect(conflicts).toMatchObject([{ rule: "circle", status: "open", record_id: uuid(4) }])
  })
})

describe("anchors", () => {
  it("with one key: the later one stands, and both values are shown", async () => {
    const { state, conflicts } = await met(
      (tx) => tx.add("anchor", anAnchor(20, { key: "Port", value: "4000" })),
      (tx) => tx.add("anchor", anAnchor(21, { key: "port ", value: "5000" })),
    )
    expect([...state.anchor.values()].map(({ value, status }) => `${value} ${status}`).sort()).toEqual([
      "4000 removed",
      "5000 active",
    ])
    expect(conflicts).toMatchObject([
      {
        rule: "anchor_key",
        status: "open",
        kept: { fields: { value: "5000" } },
        lost: { fields: { value: "4000" } },
      },
    ])
  })

  it("with one key and one value are one, without a word", async () => {
    const save =
      (n: number): Build =>
      (tx) =>
        tx.add("anchor", anAnchor(n, { key: "Port", value: "4000" }))
    const { state, conflicts } = await met(save(20), save(21))
    expect([...state.anchor.values()].filter(({ status }) => status === "active")).toHaveLength(1)
    expect(conflicts).toEqual([])
  })
})

describe("what one takes away", () => {
  it("and another has changed is gone, and the change is kept in the conflict", async () => {
    const { state, conflicts } = await met(
      (tx) => tx.drop("mem", uuid(10)),
      (tx) => tx.set("mem", uuid(10), { content: "worth knowing" }),
    )
    expect(state.mem.has(uuid(10))).toBe(false)
    expect(conflicts).toMatchObject([
      { rule: "dropped", status: "open", lost: { fields: { content: "worth knowing" } } },
    ])
  })

  it("after another has changed it is gone, with the whole record in the conflict", async () => {
    const { state, conflicts } = await met(
      (tx) => tx.set("mem", uuid(10), { content: "worth knowing" }),
      (tx) => tx.drop("mem", uuid(10)),
    )
    expect(state.mem.has(uuid(10))).toBe(false)
    expect(conflicts).toMatchObject([
      { rule: "dropped", lost: { fields: { record: { content: "worth knowing" } } } },
    ])
  })

  it("and another has begun to use stays", async () => {
    const { state, conflicts } = await met(
      (tx) => tx.add("checkpoint", aCheckpoint(30, 5)),
      (tx) => tx.drop("task", uuid(5)),
    )
    expect([state.task.has(uuid(5)), state.checkpoint.has(uuid(30))]).toEqual([true, true])
    expect(conflicts).toMatchObject([{ rule: "dropped", kind: "task", status: "open" }])
  })

  it("before another uses it: what needs it is kept in the conflict, not lost", async () => {
    const { state, conflicts } = await met(
      (tx) => tx.drop("task", uuid(5)),
      (tx) => tx.add("checkpoint", aCheckpoint(30, 5)),
    )
    expect(state.checkpoint.has(uuid(30))).toBe(false)
    expect(conflicts).toMatchObject([
      { rule: "dropped", kind: "checkpoint", status: "open", lost: { fields: { record: { id: uuid(30) } } } },
    ])
  })
})

it("counters are each clone's own", async () => {
  const { anna, bert } = await apart()
  await anna.append(by, (tx) => tx.count("ses_1", "turns", 2))
  await bert.append(by, (tx) => tx.count("ses_1", "turns", 3))
  await exchange([anna, bert])
  expect([anna, bert].map((each) => each.read().state.metrics.get("ses_1")?.counts["turns"])).toEqual([2, 3])
})

it("where a session stands is each clone's own", async () => {
  const { anna, bert } = await apart()
  const head = {
    id: uuid(50),
    session_id: null,
    active_plan_id: uuid(1),
    active_phase_id: null,
    active_task_ids: [],
    intent: null,
    intent_about: null,
    intent_shift_at: null,
    created_at: "2026-02-11T14:30:00.000Z",
    updated_at: "2026-02-11T14:30:00.000Z",
    stamp: "301411022026",
  }
  await anna.write(by, (tx) => tx.add("trajectory", head))
  await exchange([anna, bert])
  expect(bert.read().state.trajectory.size).toBe(0)
})

it("a conflict settled in one clone is settled in all", async () => {
  const { anna, bert } = await apart()
  await anna.write(by, (tx) => tx.set("task", uuid(4), { status: "completed", evidence: "it works" }))
  await bert.write(by, (tx) => tx.set("task", uuid(4), { status: "failed", reason: "it broke" }))
  await exchange([anna, bert])
  const [conflict] = conflictsOf(bert)
  await bert.write(by, (tx) => tx.set("conflict", conflict?.id ?? "", { status: "settled" }))
  await anna.write(by, (tx) => tx.set("task", uuid(3), { title: "meanwhile" }))
  await exchange([anna, bert])
  for (const each of [anna, bert]) expect(conflictsOf(each)).toMatchObject([{ status: "settled" }])
  expect(sharedGraph(anna)).toEqual(sharedGraph(bert))
})

/** Two clones with the same plan of three tasks (the second under way) and a mem, who do not know of each other. */
async function apart(): Promise<{ anna: Store; bert: Store }> {
  // One time for both: who writes later comes later.
  const { now, newId } = cloneSource("anna")
  const anna = openMemoryStore({ now, newId }, "anna")
  const bert = openMemoryStore({ ...cloneSource("bert"), now }, "bert")
  await anna.write(by, (tx) => {
    tx.add("plan", aPlan(1))
    tx.add("phase", aPhase(2, 1))
    tx.add("task", aTask(3, 1, 2))
    tx.add("task", aTask(4, 1, 2, { status: "active", assigned_session_id: "ses_anna" }))
    tx.add("task", aTask(5, 1, 2))
    tx.add("mem", aMem(10, { tags: ["kept", "old", "older"] }))
    tx.add("artifact", anArtifact("a.md"))
  })
  await exchange([anna, bert])
  return { anna, bert }
}

/** Both write once, then meet: in either order, both have the same graph. Anna comes first in the order. */
async function met(annas: Build, berts: Build) {
  const { anna, bert } = await apart()
  await anna.write(by, annas)
  await bert.write(by, berts)
  const [fromAnna, fromBert] = [await sharedEntries(anna), await sharedEntries(bert)]
  await anna.merge(fromBert)
  await bert.merge(fromAnna)
  expect(sharedGraph(anna)).toEqual(sharedGraph(bert))
  return { state: bert.read().state, conflicts: conflictsOf(bert) }
}

function conflictsOf(store: Store): Conflict[] {
  return [...store.read().state.conflict.values()]
}
