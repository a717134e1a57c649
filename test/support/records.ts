import type { Conflict } from "../../src/schemas/conflict.ts"
import type { Author } from "../../src/schemas/entry.ts"
import type { Anchor, Artifact, Mem } from "../../src/schemas/knowledge.ts"
import type { Phase, Plan } from "../../src/schemas/plan.ts"
import type { Checkpoint, Task } from "../../src/schemas/task.ts"
import { derivedId, type Source } from "../../src/shared/ids.ts"

export const by: Author = { tool: "test", session: null, agent: null }
export const T0 = Date.UTC(2026, 1, 11, 14, 30)

/** A clock that moves one second with every look, and ids that count up: the same in every run. */
export function countingSource(start = T0): Source & { seconds: number } {
  let ids = 0
  const source = {
    seconds: 0,
    now: () => start + source.seconds++ * 1000,
    newId: () => uuid(++ids),
  }
  return source
}

export function uuid(n: number): string {
  return `00000000-0000-4000-8000-${n.toString(16).padStart(12, "0")}`
}

const at = new Date(T0).toISOString()
const made = { created_at: at, updated_at: at, stamp: "301411022026" }

export function aPlan(n: number, more: Partial<Plan> = {}): Plan {
  return {
    id: uuid(n),
    title: `Plan ${n}`,
    purpose: "work",
    acceptance: [],
    sot_document_path: null,
    depends_on: [],
    owned_by: null,
    status: "active",
    reason: null,
    completed_at: null,
    summary: null,
    branch: null,
    ...made,
    ...more,
  }
}

export function aPhase(n: number, plan: number, more: Partial<Phase> = {}): Phase {
  return {
    id: uuid(n),
    parent_plan_id: uuid(plan),
    title: `Phase ${n}`,
    order: n,
    inbox: false,
    status: "active",
    summary: null,
    ...made,
    ...more,
  }
}

export function aTask(n: number, plan: number, phase: number, more: Partial<Task> = {}): Task {
  return {
    id: uuid(n),
    parent_plan_id: uuid(plan),
    parent_phase_id: uuid(phase),
    parent_task_id: null,
    type: "main",
    title: `Task ${n}`,
    purpose: "work",
    expected_output: "it works",
    status: "planned",
    depends_on: [],
    temporal_gate: null,
    held_back: null,
    rank: null,
    delegated_by: null,
    assigned_to: null,
    assigned_session_id: null,
    allowed_tools: null,
    file_locks: [],
    verify: null,
    decisions: [],
    ahead: false,
    file: null,
    line: null,
    evidence: null,
    reason: null,
    started_at: null,
    completed_at: null,
    branch: null,
    ...made,
    ...more,
  }
}

export function aMem(n: number, more: Partial<Mem> = {}): Mem {
  return {
    id: uuid(n),
    origin_task_id: null,
    session_id: null,
    shelf: "context",
    origin: "saved",
    kind: "insight",
    status: "active",
    content: `Mem ${n}`,
    tags: [],
    evidence: [],
    confidence: 1,
    resolved: null,
    supersedes: null,
    parent_mem_id: null,
    related_to: [],
    reason: null,
    stale_at: null,
    branch: null,
    ...made,
    ...more,
  }
}

export function anAnchor(n: number, more: Partial<Anchor> = {}): Anchor {
  return {
    id: uuid(n),
    key: `KEY_${n}`,
    value: "value",
    priority: "medium",
    type: "context",
    status: "active",
    session_id: null,
    related_to: [],
    branch: null,
    ...made,
    ...more,
  }
}

export function anArtifact(path: string, more: Partial<Artifact> = {}): Artifact {
  return {
    id: derivedId("file", path),
    path,
    task_id: null,
    plan_id: null,
    hash: "0".repeat(64),
    sections: [],
    status: "current",
    superseded_by: null,
    ...made,
    ...more,
  }
}

/** About task 3: done in one clone, failed in another. */
export function aConflict(n: number, more: Partial<Conflict> = {}): Conflict {
  return {
    id: uuid(n),
    rule: "ends",
    kind: "task",
    record_id: uuid(3),
    kept: { fields: { status: "failed", reason: "it broke" }, writer: "bbbbbbbb" },
    lost: { fields: { status: "completed", evidence: "it works" }, writer: null },
    status: "open",
    created_at: at,
    updated_at: at,
    ...more,
  }
}

export function aCheckpoint(n: number, task: number, more: Partial<Checkpoint> = {}): Checkpoint {
  return {
    id: uuid(n),
    task_id: uuid(task),
    session_id: null,
    tool: "write",
    summary: "wrote a file",
    files: ["src/a.ts"],
    command: null,
    removed: [],
    did: [],
    run: null,
    ok: true,
    branch: null,
    ...made,
    ...more,
  }
}
