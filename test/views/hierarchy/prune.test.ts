import { describe, expect, it } from "vitest"
import { pack } from "../../../src/context/pack/pack.ts"
import { headOf } from "../../../src/graph/read-head.ts"
import type { GraphState } from "../../../src/graph/state.ts"
import type { Hive } from "../../../src/hive/hive.ts"
import { kinds } from "../../../src/schemas/records.ts"
import { renderTree } from "../../../src/views/hierarchy/render.ts"
import { foldable, prune, treeOf } from "../../../src/views/hierarchy/tree.ts"
import { leaveEvidence } from "../../support/evidence.ts"
import { graphOf } from "../../support/graph.ts"
import { memoryHive } from "../../support/hive.ts"
import { aPhase, aPlan, aTask, by, T0, uuid } from "../../support/records.ts"
import { callTool } from "../../tools/call-tool.ts"

const caller = { session: "ses_1", agent: "build", tool: "hivemind_hierarchy.prune" }

/** Plan 1: phase 2 with tasks 10 (done) and 11 (failed), phase 3 with task 12 (active). Plan 4 with task 13 in phase 5. */
async function project() {
  const hive = memoryHive()
  await hive.store.write(by, (tx) => {
    tx.add("plan", aPlan(1, { title: "Auth" }))
    tx.add("phase", aPhase(2, 1, { title: "Schema" }))
    tx.add("phase", aPhase(3, 1, { title: "API" }))
    for (const n of [10, 11, 12]) tx.add("task", aTask(n, 1, n < 12 ? 2 : 3, { status: "active" }))
    tx.add("plan", aPlan(4, { title: "Spike" }))
    tx.add("phase", aPhase(5, 4, { title: "Look" }))
    tx.add("task", aTask(13, 4, 5))
  })
  await finish(hive, 10)
  await finish(hive, 11, "failed")
  return hive
}

async function finish(hive: Hive, n: number, status: "completed" | "failed" = "completed") {
  await hive.store.write(by, (tx) => tx.set("task", uuid(n), { status, completed_at: null }))
}

const text = (state: GraphState) => renderTree(treeOf(state, undefined), { width: 80, limit: 50 }).join("\n")
const copyOf = (state: GraphState) =>
  structuredClone(Object.fromEntries(kinds.map((kind) => [kind, state[kind]])))

describe("prune", () => {
  it("folds a finished phase into one line and leaves open work alone", async () => {
    const hive = await project()
    const { folded } = await prune(hive, caller)
    expect(folded).toEqual([
      {
        kind: "phase",
        id: uuid(2),
        title: "Schema",
        tasks: 2,
        summary: "2 tasks: 1 completed, 1 failed: Task 10; Task 11 (failed)",
      },
    ])
    expect(text(hive.store.read().state)).toMatchInlineSnapshot(`
      "[>] Auth  00000000
      ├── [>] Schema: 2 tasks: 1 completed, 1 failed: Task 10; Task 11…  00000000
      └── [>] API  00000000
          └── [>] Task 12  00000000
      [>] Spike  00000000
      └── [>] Look  00000000
          └── [ ] Task 13  00000000"
    `)
  })

  it("folds a finished plan with its reason, but not while one of its tasks is open", async () => {
    const hive = await project()
    await hive.store.write(by, (tx) => tx.set("plan", uuid(4), { status: "abandoned", reason: "too slow" }))
    expect(foldable(hive.store.read().state).map(({ title }) => title)).toEqual(["Schema"])
    await hive.store.write(by, (tx) => tx.set("task", uuid(13), { status: "invalidated" }))
    expect((await prune(hive, caller)).folded).toMatchObject([
      { title: "Schema" },
      { kind: "plan", title: "Spike", summary: "too slow — 1 task: 1 invalidated: Task 13 (invalidated)" },
    ])
    expect(text(hive.store.read().state)).toContain("[-] Spike: too slow — 1 task")
    expect(text(hive.store.read().state)).not.toContain("Look")
  })

  it("undo restores the graph; nothing was deleted", async () => {
    const hive = await project()
    const before = copyOf(hive.store.read().state)
    const { entry } = await prune(hive, caller)
    expect(hive.store.read().state.task.size).toBe(4)
    expect(copyOf(hive.store.read().state)).not.toEqual(before)
    await hive.store.undo(entry?.id ?? "", by)
    expect(copyOf(hive.store.read().state)).toEqual(before)
  })

  it("a folded branch unfolds for new work until it is folded again", async () => {
    const hive = await project()
    await prune(hive, caller)
    await hive.store.write(by, (tx) => tx.add("task", aTask(14, 1, 2, { status: "active", title: "New" })))
    expect(text(hive.store.read().state)).toMatch(/\[>\] Schema .*\n.*Task 10.*\n.*Task 11.*\n.*\[>\] New/)
    await finish(hive, 14)
    expect(text(hive.store.read().state)).toContain("[x] New")
    expect((await prune(hive, caller)).folded).toMatchObject([{ title: "Schema", tasks: 3 }])
    expect(text(hive.store.read().state)).toContain("Schema: 3 tasks: 2 completed, 1 failed")
    expect(text(hive.store.read().state)).not.toContain("[x] New")
  })

  it("never hides open work, even with a hand-edited summary", async () => {
    const hive = await project()
    await hive.store.write(by, (tx) =>
      tx.set("phase", uuid(3), { summary: "1 task: 1 active: Task 12 (active)" }),
    )
    expect(text(hive.store.read().state)).toContain("[>] Task 12")
  })
})

describe("the packed state", () => {
  it("is the same before and after pruning, wherever the read-head is", async () => {
    const hive = await project()
    const head = { ...graphOf().head("x"), active_plan_id: uuid(1) }
    const heads = [
      { ...head, active_phase_id: uuid(3), active_task_ids: [uuid(12)] },
      { ...head, active_phase_id: uuid(2) },
    ]
    const packed = () => heads.map((head) => pack(hive.store.read().state, head, { now: T0 }).xml)
    const before = packed()
    await prune(hive, caller)
    expect(packed()).toEqual(before)
    expect(before[1]).toContain('progress="1/2"')
  })

  it("keeps offering work added to a folded phase", async () => {
    const hive = memoryHive()
    const created = { action: "create", title: "P", acceptance: [], phases: ["A"] }
    const { entity_id: plan_id } = await callTool(hive, "plan", created)
    const planOne = (title: string) => {
      const tasks = [{ title, expected_output: "x", phase: "A" }]
      return callTool(hive, "plan", { action: "plan_tasks", plan_id, tasks })
    }
    const first = await planOne("First")
    await callTool(hive, "task", { action: "start", task_id: first.entity_id })
    await leaveEvidence(hive)
    await callTool(hive, "task", { action: "complete", evidence: "done" })
    expect((await prune(hive, caller)).folded).toHaveLength(1)
    await planOne("Second")
    const { state } = hive.store.read()
    expect(pack(state, headOf(state, "ses_1"), { now: T0 }).xml).toMatch(/<next [^>]*>Second<\/next>/)
  })
})
