import { expect, it } from "vitest"
import { openConflicts } from "../../../src/graph/open-conflicts.ts"
import type { Transaction } from "../../../src/graph/transaction.ts"
import type { Conflict } from "../../../src/schemas/conflict.ts"
import type { Mem } from "../../../src/schemas/knowledge.ts"
import type { Store } from "../../../src/store/store.ts"
import { cloneSource, exchange, sharedEntries, sharedGraph } from "../../support/clones.ts"
import { graphOf } from "../../support/graph.ts"
import { openMemoryStore } from "../../support/memory-store.ts"
import {
  aCheckpoint,
  addTask,
  aMem,
  anAnchor,
  anArtifact,
  aPlan,
  aTask,
  by,
  uuid,
} from "../../support/records.ts"

type Build = (tx: Transaction) => void

const set =
  (kind: "task" | "mem" | "artifact", id: number | string, to: object): Build =>
  (tx) =>
    tx.set(kind, typeof id === "number" ? uuid(id) : id, to)
const take = (session: string) => set("task", 3, { status: "active", assigned_session_id: session })
const done = set("task", 4, { status: "completed", evidence: "it works" })
const failed = set("task", 4, { status: "failed", reason: "it broke" })
const FAILED = { status: "failed", reason: "it broke", evidence: null }
const ENDS = {
  ...{ rule: "ends", status: "open" },
  kept: { fields: { status: "failed", reason: "it broke" } },
  lost: { fields: { status: "completed", evidence: "it works" } },
}
const EARLIER = "2020-01-01T00:00:00.000Z"
const file = anArtifact("a.md").id
const anchor =
  (n: number, key: string, value: string): Build =>
  (tx) =>
    tx.add("anchor", anAnchor(n, { key, value }))
const addCheckpoint: Build = (tx) => tx.add("checkpoint", aCheckpoint(30, 5))
const drop =
  (kind: "task" | "mem", n: number): Build =>
  (tx) =>
    tx.drop(kind, uuid(n))

const replace =
  (n: number, content: string, origin: Mem["origin"] = "saved", old = 10): Build =>
  (tx) => {
    tx.add("mem", aMem(n, { content, origin, supersedes: uuid(old) }))
    tx.set("mem", uuid(old), { status: "superseded" })
  }

interface Meeting {
  anna: Build
  bert: Build
  /** The expected fields of records after the merge; null for a record that no longer exists. */
  there?: [kind: "task" | "mem" | "anchor" | "checkpoint", n: number, fields: object | null][]
  conflicts?: object[]
}

const MEETINGS: Record<string, Meeting> = {
  "a field that both changed goes to the last writer, and the lost value is noted": {
    anna: set("task", 3, { title: "Anna's" }),
    bert: set("task", 3, { title: "Bert's" }),
    there: [["task", 3, { title: "Bert's" }]],
    conflicts: [
      {
        ...{ rule: "same_field", status: "noted", lost: { fields: { title: "Anna's" } } },
        kept: { fields: { title: "Bert's" }, writer: "bert" },
      },
    ],
  },
  "fields that only one of them changed are both kept": {
    // The earlier time is that of an undo.
    anna: set("task", 3, { title: "Anna's", updated_at: EARLIER }),
    bert: set("task", 3, { expected_output: "Bert's" }),
    there: [["task", 3, { title: "Anna's", expected_output: "Bert's", updated_at: EARLIER }]],
  },
  "a field that both changed alike is no conflict": {
    anna: set("task", 3, { title: "The same" }),
    bert: set("task", 3, { title: "The same" }),
  },
  "a field that was read from a file is no loss": {
    anna: set("artifact", file, { hash: "1".repeat(64) }),
    bert: set("artifact", file, { hash: "2".repeat(64) }),
  },
  "lists unite: additions are added, removals are removed": {
    anna: set("mem", 10, { tags: ["kept", "older", "anna"] }),
    bert: set("mem", 10, { tags: ["kept", "old", "bert"] }),
    there: [["mem", 10, { tags: ["kept", "anna", "bert"] }]],
  },
  "a task that is done here and failed there counts as failed until it is settled": {
    ...{ anna: done, bert: failed, there: [["task", 4, FAILED]], conflicts: [ENDS] },
  },
  "a task that failed here and is done there counts as failed as well": {
    ...{ anna: failed, bert: done, there: [["task", 4, FAILED]], conflicts: [ENDS] },
  },
  "a task that is over is not reopened by a clone that did not know": {
    anna: done,
    bert: set("task", 4, { status: "blocked", reason: "waits" }),
    there: [["task", 4, { status: "completed" }]],
    conflicts: [{ rule: "status", status: "noted" }],
  },
  "a task that two sessions took is held by the first": {
    anna: take("ses_anna"),
    bert: take("ses_bert"),
    there: [["task", 3, { assigned_session_id: "ses_anna" }]],
    conflicts: [
      {
        ...{ rule: "held_twice", status: "open" },
        lost: { fields: { assigned_session_id: "ses_bert" }, writer: "bert" },
      },
    ],
  },
  "of dependencies that are a circle together the later one is left out": {
    anna: set("task", 3, { depends_on: [uuid(4)] }),
    bert: set("task", 4, { depends_on: [uuid(3), uuid(5)] }),
    there: [
      ["task", 3, { depends_on: [uuid(4)] }],
      ["task", 4, { depends_on: [uuid(5)] }],
    ],
    conflicts: [
      {
        ...{ rule: "circle", status: "open", record_id: uuid(4) },
        lost: { fields: { depends_on: [uuid(3), uuid(5)] } },
      },
    ],
  },
  "of parents that are a circle together the later one is left out": {
    anna: set("task", 3, { parent_task_id: uuid(4) }),
    bert: set("task", 4, { parent_task_id: uuid(3) }),
    there: [
      ["task", 3, { parent_task_id: uuid(4) }],
      ["task", 4, { parent_task_id: null }],
    ],
    conflicts: [{ rule: "circle", status: "open", record_id: uuid(4) }],
  },
  "a dropped mem that another clone changed is gone, with the change in the conflict": {
    anna: drop("mem", 10),
    bert: set("mem", 10, { content: "worth knowing" }),
    there: [["mem", 10, null]],
    conflicts: [{ rule: "dropped", status: "open", lost: { fields: { content: "worth knowing" } } }],
  },
  "a mem that is dropped after another clone changed it is gone, with the record in the conflict": {
    anna: set("mem", 10, { content: "worth knowing" }),
    bert: drop("mem", 10),
    there: [["mem", 10, null]],
    conflicts: [{ rule: "dropped", lost: { fields: { record: { content: "worth knowing" } } } }],
  },
  "of a mem that both replaced there are two, until somebody chooses": {
    anna: replace(31, "Anna's"),
    bert: replace(32, "Bert's"),
    there: [
      ["mem", 10, { status: "superseded" }],
      ["mem", 31, { status: "active" }],
      ["mem", 32, { status: "active" }],
    ],
    conflicts: [
      {
        ...{ rule: "replaced_twice", status: "open", record_id: uuid(32) },
        kept: { fields: { content: "Bert's" }, writer: "bert" },
        lost: { fields: { id: uuid(31), content: "Anna's" } },
      },
    ],
  },
  "a mem that both replaced by the same words is no conflict": {
    anna: replace(31, "The same"),
    bert: replace(32, "The same"),
  },
  "a fact that a scan found again on another commit is no conflict": {
    anna: replace(31, "Anna's", "scan"),
    bert: replace(32, "Bert's", "scan"),
  },
  "of two anchors with the same key the later wins, and both values are shown": {
    anna: anchor(20, "Port", "4000"),
    bert: anchor(21, "port ", "5000"),
    there: [
      ["anchor", 20, { value: "4000", status: "removed" }],
      ["anchor", 21, { value: "5000", status: "active" }],
    ],
    conflicts: [
      {
        ...{ rule: "anchor_key", status: "open" },
        ...{ kept: { fields: { value: "5000" } }, lost: { fields: { value: "4000" } } },
      },
    ],
  },
  "a dropped task that another clone has begun to use stays": {
    anna: addCheckpoint,
    bert: drop("task", 5),
    there: [
      ["task", 5, {}],
      ["checkpoint", 30, {}],
    ],
    conflicts: [{ rule: "dropped", kind: "task", status: "open" }],
  },
  "a record that needs a task dropped before is kept in the conflict": {
    anna: drop("task", 5),
    bert: addCheckpoint,
    there: [["checkpoint", 30, null]],
    conflicts: [
      {
        ...{ rule: "dropped", kind: "checkpoint", status: "open" },
        lost: { fields: { record: { id: uuid(30) } } },
      },
    ],
  },
}

it.each(Object.entries(MEETINGS))("%s", async (_, { anna, bert, there = [], conflicts = [] }) => {
  const met = await meet(anna, bert)
  for (const [kind, n, fields] of there)
    if (fields === null) expect(met.state[kind].has(uuid(n))).toBe(false)
    else expect(met.state[kind].get(uuid(n))).toMatchObject(fields)
  expect(met.conflicts).toMatchObject(conflicts)
})

it("a task that was finished by the session that lost it is finished", async () => {
  const { anna, bert } = await apart()
  await anna.write(by, take("ses_anna"))
  await bert.write(by, take("ses_bert"))
  await bert.write(by, set("task", 3, { status: "completed", evidence: "done" }))
  await exchange([anna, bert])
  for (const each of [anna, bert]) expect(each.read().state.task.get(uuid(3))?.status).toBe("completed")
})

it("two anchors with the same key and value become one; they and a removed one are no conflict", async () => {
  const { anna, bert } = await apart()
  await anna.write(by, anchor(19, "Port", "3000"))
  await anna.write(by, (tx) => tx.set("anchor", uuid(19), { status: "removed" }))
  await anna.write(by, anchor(20, "Port", "4000"))
  await bert.write(by, anchor(21, "Port", "4000"))
  await exchange([anna, bert])
  const anchors = [...bert.read().state.anchor.values()]
  expect(anchors.filter(({ status }) => status === "active")).toHaveLength(1)
  expect(conflictsOf(bert)).toEqual([])
})

it("each clone keeps its own counters and read-heads", async () => {
  const { anna, bert } = await apart()
  await anna.append(by, (tx) => tx.count("ses_1", "turns", 2))
  await bert.append(by, (tx) => tx.count("ses_1", "turns", 3))
  await anna.write(by, (tx) => tx.add("trajectory", graphOf().head("Ship", aPlan(1))))
  await exchange([anna, bert])
  expect([anna, bert].map((each) => each.read().state.metrics.get("ses_1")?.counts["turns"])).toEqual([2, 3])
  expect([anna, bert].map((each) => each.read().state.trajectory.size)).toEqual([1, 0])
})

it("of a mem that three clones replaced, each later mem is in conflict with each earlier one", async () => {
  const { anna, bert } = await apart()
  const carl = openMemoryStore(cloneSource("carl"), "carl")
  await exchange([anna, bert, carl])
  for (const [n, each] of [anna, bert, carl].entries()) await each.write(by, replace(31 + n, `Text ${n}`))
  await exchange([anna, bert, carl])
  expect(conflictsOf(carl)).toHaveLength(3)
  for (const each of [bert, carl]) expect(sharedGraph(each)).toEqual(sharedGraph(anna))
})

it("a mem that one clone replaced and edited again is in conflict with the other clone's, whoever was first", async () => {
  for (const isAnnaFirst of [true, false]) {
    const { anna, bert } = await apart()
    const annas = async () => {
      await anna.write(by, replace(31, "Anna's"))
      await anna.write(by, replace(33, "Anna's second", "saved", 31))
    }
    if (isAnnaFirst) await annas()
    await bert.write(by, replace(32, "Bert's"))
    if (!isAnnaFirst) await annas()
    await exchange([anna, bert])
    for (const { read } of [anna, bert]) expect(openConflicts(read().state)).toHaveLength(1)
    expect(sharedGraph(anna)).toEqual(sharedGraph(bert))
  }
})

it("a mem that was replaced before, and knowingly again, is no conflict", async () => {
  const { anna, bert } = await apart()
  await anna.write(by, replace(31, "Anna's"))
  await exchange([anna, bert])
  await bert.write(by, replace(32, "Bert's"))
  await exchange([anna, bert])
  expect(conflictsOf(anna)).toEqual([])
})

it("a conflict settled in one clone is settled in all", async () => {
  const { anna, bert } = await apart()
  await anna.write(by, done)
  await bert.write(by, failed)
  await exchange([anna, bert])
  const [conflict] = conflictsOf(bert)
  await bert.write(by, (tx) => tx.set("conflict", conflict?.id ?? "", { status: "settled" }))
  await anna.write(by, (tx) => tx.set("task", uuid(3), { title: "meanwhile" }))
  await exchange([anna, bert])
  for (const each of [anna, bert]) expect(conflictsOf(each)).toMatchObject([{ status: "settled" }])
  expect(sharedGraph(anna)).toEqual(sharedGraph(bert))
})

async function apart(): Promise<{ anna: Store; bert: Store }> {
  // Both clones use one clock, so the later write has the later time.
  const { now, newId } = cloneSource("anna")
  const anna = openMemoryStore({ now, newId }, "anna")
  const bert = openMemoryStore({ ...cloneSource("bert"), now }, "bert")
  await anna.write(by, (tx) => {
    addTask(tx)
    tx.add("task", aTask(4, 1, 2, { status: "active", assigned_session_id: "ses_anna" }))
    tx.add("task", aTask(5, 1, 2))
    tx.add("mem", aMem(10, { tags: ["kept", "old", "older"] }))
    tx.add("artifact", anArtifact("a.md"))
  })
  await exchange([anna, bert])
  return { anna, bert }
}

async function meet(annas: Build, berts: Build) {
  const { anna, bert } = await apart()
  await anna.write(by, annas)
  await bert.write(by, berts)
  const [fromAnna, fromBert] = [await sharedEntries(anna), await sharedEntries(bert)]
  await anna.merge(fromBert)
  await bert.merge(fromAnna)
  expect(sharedGraph(anna)).toEqual(sharedGraph(bert))
  return { state: bert.read().state, conflicts: conflictsOf(bert) }
}

const conflictsOf = (store: Store): Conflict[] => [...store.read().state.conflict.values()]
