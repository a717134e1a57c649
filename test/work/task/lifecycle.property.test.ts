import fc from "fast-check"
import { expect, it } from "vitest"
import { lookupIn, obstaclesOf } from "../../../src/graph/obstacles.ts"
import type { GraphState } from "../../../src/graph/state.ts"
import { memoryHive } from "../../support/hive.ts"
import { callTool } from "../../tools/call-tool.ts"

const pick = fc.nat(11)
const step = fc.oneof(
  fc.record({ do: fc.constant("plan" as const), depends: fc.option(pick, { nil: undefined }) }),
  fc.record({
    do: fc.constant("tasks" as const),
    plan: pick,
    depends: fc.option(pick, { nil: undefined }),
    gate: fc.option(pick, { nil: undefined }),
    parent: fc.option(pick, { nil: undefined }),
    decision: fc.boolean(),
    lock: fc.option(fc.constantFrom("src", "src/a.ts", "docs"), { nil: undefined }),
    ahead: fc.boolean(),
  }),
  fc.record({
    do: fc.constantFrom("start" as const, "complete" as const, "fail" as const, "review" as const),
    task: pick,
  }),
  fc.record({ do: fc.constant("archive" as const), plan: pick }),
  fc.record({ do: fc.constant("abandon" as const), plan: pick }),
  fc.record({ do: fc.constant("decide" as const), task: pick }),
)

it("no sequence of plan and task actions, from three sessions, reaches an illegal state", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(step, fc.constantFrom("ses_1", "ses_2", "ses_3")), { maxLength: 40 }),
      async (steps) => {
        const hive = memoryHive()
        const idAt = (kind: "plan" | "task", n: number) => {
          const ids = [...hive.store.read().state[kind].keys()]
          return ids[n % Math.max(1, ids.length)] ?? "00000000-0000-4000-8000-00000000dead"
        }
        for (const [each, session] of steps) {
          const call = (tool: string, args: object) => callTool(hive, tool, args, session)
          if (each.do === "plan") {
            const depends_on = each.depends === undefined ? [] : [idAt("plan", each.depends)]
            await call("plan", { action: "create", title: "P", acceptance: [], depends_on })
          } else if (each.do === "tasks") {
            const one = {
              title: "T",
              expected_output: "x",
              depends_on: each.depends === undefined ? [] : [idAt("task", each.depends)],
              temporal_gate:
                each.gate === undefined ? undefined : { after_task_id: idAt("task", each.gate), reason: "r" },
              parent_task_id: each.parent === undefined ? undefined : idAt("task", each.parent),
              decisions: each.decision ? ["Which way?"] : [],
              file_locks: each.lock === undefined ? [] : [each.lock],
              ahead: each.ahead,
            }
            const plan_id = idAt("plan", each.plan)
            await call("plan", {
              action: "plan_tasks",
              plan_id,
              tasks: [one, { ...one, depends_on: ["#0"] }],
            })
          } else if (each.do === "archive")
            await call("plan", { action: "archive", plan_id: idAt("plan", each.plan) })
          else if (each.do === "abandon") {
            await call("plan", { action: "abandon", plan_id: idAt("plan", each.plan), reason: "r" })
          } else if (each.do === "decide") {
            const open = hive.store.read().state.task.get(idAt("task", each.task))?.decisions[0]
            if (open !== undefined)
              await call("memory", { action: "save", kind: "decision", content: "So", supersedes: open })
          } else {
            const more =
              each.do === "complete" ? { evidence: "e" } : each.do === "fail" ? { reason: "r" } : {}
            await call("task", { action: each.do, task_id: idAt("task", each.task), ...more })
          }
          expectLegal(hive.store.read().state)
        }
      },
    ),
    { numRuns: 120, seed: 13 },
  )
})

function expectLegal(state: GraphState): void {
  const tasks = [...state.task.values()]
  const get = lookupIn(state)
  for (const task of tasks) {
    const held = obstaclesOf(task, get).filter(({ kind }) => kind !== "plan")
    if (task.status === "planned")
      expect(
        obstaclesOf(task, get)
          .map(({ kind }) => kind)
          .filter((kind) => kind !== "plan"),
      ).toEqual([])
    if (task.status === "active" || task.status === "completed") expect(held).toEqual([])
    if (task.status === "completed") expect([task.evidence, task.completed_at]).not.toContain(null)
    if (task.status === "active") expect([task.started_at, task.assigned_session_id]).not.toContain(null)
    expect(state.phase.get(task.parent_phase_id)?.parent_plan_id).toBe(task.parent_plan_id)
  }
  const active = tasks.filter(({ status }) => status === "active")
  for (const a of active) {
    for (const b of active) {
      if (a.id >= b.id) continue
      for (const lock of a.file_locks) {
        for (const other of b.file_locks) {
          expect(lock === other || lock.startsWith(`${other}/`) || other.startsWith(`${lock}/`)).toBe(false)
        }
      }
    }
  }
  for (const head of state.trajectory.values()) {
    for (const id of head.active_task_ids) {
      expect(["active", "review", "planned", "blocked"]).toContain(state.task.get(id)?.status)
    }
  }
}
