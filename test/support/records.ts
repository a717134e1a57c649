import type { Transaction } from "../../src/graph/transaction.ts"
import type { Conflict } from "../../src/schemas/conflict.ts"
import type { Author, Entry } from "../../src/schemas/entry.ts"
import type { Anchor, Artifact, Mem } from "../../src/schemas/knowledge.ts"
import type { Phase, Plan } from "../../src/schemas/plan.ts"
import type { Checkpoint, Delegation, Task } from "../../src/schemas/task.ts"
import type { Usage } from "../../src/schemas/usage.ts"
import { derivedId, type Source } from "../../src/shared/ids.ts"
import * as defaults from "./record-defaults.mjs"

export const by: Author = { tool: "test", session: null, agent: null }
export const T0 = Date.UTC(2026, 1, 11, 14, 30)

/** A clock that moves one second with every look, and ids that count up: the same in every run. */
export function countingSource(start = T0): Source & { seconds: number } {
  let ids = 0
  const source = { seconds: 0, now: () => start + source.seconds++ * 1000, newId: () => uuid(++ids) }
  return source
}

export const uuid = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`

export function aPlan(n: number, more: Partial<Plan> = {}): Plan {
  return { id: uuid(n), title: `Plan ${n}`, ...defaults.plan, ...more }
}

export function aPhase(n: number, plan: number, more: Partial<Phase> = {}): Phase {
  const place = { id: uuid(n), parent_plan_id: uuid(plan), order: n }
  return { ...place, title: `Phase ${n}`, ...defaults.phase, ...more }
}

export function aTask(n: number, plan: number, phase: number, more: Partial<Task> = {}): Task {
  const place = { id: uuid(n), parent_plan_id: uuid(plan), parent_phase_id: uuid(phase) }
  return { ...place, title: `Task ${n}`, ...defaults.task, ...more }
}

export function aMem(n: number, more: Partial<Mem> = {}): Mem {
  return { id: uuid(n), content: `Mem ${n}`, ...defaults.mem, ...more }
}

export function aCheckpoint(n: number, task: number, more: Partial<Checkpoint> = {}): Checkpoint {
  return { id: uuid(n), task_id: uuid(task), ...defaults.checkpoint, ...more }
}

export function aDelegation(n: number, task: number, more: Partial<Delegation> = {}): Delegation {
  return {
    id: uuid(n),
    task_id: uuid(task),
    from_agent: "build",
    to_agent: "general",
    session_id: null,
    child_session_id: null,
    allowed_tools: null,
    depth: 1,
    status: "running",
    result: null,
    reason: null,
    ...defaults.made,
    ...more,
  }
}

export function anAnchor(n: number, more: Partial<Anchor> = {}): Anchor {
  const kind = { priority: "medium", type: "context", status: "active" } as const
  const links = { session_id: null, related_to: [], branch: null }
  return { id: uuid(n), key: `KEY_${n}`, value: "value", ...kind, ...links, ...defaults.made, ...more }
}

export function anArtifact(path: string, more: Partial<Artifact> = {}): Artifact {
  const links = { task_id: null, plan_id: null, superseded_by: null }
  const content = { hash: "0".repeat(64), sections: [], status: "current" as const }
  return { id: derivedId("file", path), path, ...links, ...content, ...defaults.made, ...more }
}

/** About task 3: done in one clone, failed in another. */
export function aConflict(n: number, more: Partial<Conflict> = {}): Conflict {
  const { created_at, updated_at } = defaults.made
  const kept = { fields: { status: "failed", reason: "it broke" }, writer: "bbbbbbbb" }
  const lost = { fields: { status: "completed", evidence: "it works" }, writer: null }
  const about = { rule: "ends", kind: "task", record_id: uuid(3), status: "open" } as const
  return { id: uuid(n), ...about, kept, lost, created_at, updated_at, ...more }
}

/** One answer of a model. */
export function aUsage(message: string, more: Partial<Usage> = {}): Usage {
  const place = { session: "ses_1", parent: null, agent: "build", task: null, plan: null, delegation: null }
  const counts = { input: 100, cache_write: 10, cache_read: 1000, output: 20, reasoning: 5, cost: 0.5 }
  return { at: "2026-11-15T10:00:00.000Z", message, model: "test/one", ...place, ...counts, ...more }
}

/** A line of another process's log. */
export function anEntry(n: number, ops: Entry["ops"] = [{ op: "add", kind: "mem", record: aMem(n) }]): Entry {
  return { id: uuid(n), at: new Date(T0).toISOString(), by, writer: "other", clock: n, ops }
}

export function addPlan(tx: Transaction): void {
  tx.add("plan", aPlan(1))
  tx.add("phase", aPhase(2, 1))
}

export function addTask(tx: Transaction): void {
  addPlan(tx)
  tx.add("task", aTask(3, 1, 2))
}
