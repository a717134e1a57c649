import { inboxOf } from "../../src/graph/inbox.ts"
import { emptyState, type GraphState, recordsOf } from "../../src/graph/state.ts"
import type { Conflict } from "../../src/schemas/conflict.ts"
import type { Anchor, Artifact, Mem } from "../../src/schemas/knowledge.ts"
import type { Phase, Plan } from "../../src/schemas/plan.ts"
import type { Kind, RecordOf } from "../../src/schemas/records.ts"
import type { Trajectory } from "../../src/schemas/session.ts"
import type { Checkpoint, Delegation, Task } from "../../src/schemas/task.ts"
import {
  aCheckpoint,
  aConflict,
  aDelegation,
  aMem,
  anAnchor,
  anArtifact,
  aPhase,
  aPlan,
  aTask,
  T0,
} from "./records.ts"

/** An id whose first characters tell records apart, as those of real ones do. */
const idOf = (n: number): string => `${n.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`

/** Builds a graph by hand for the packer: plain records in maps, nothing checked. */
export function graphOf() {
  const state: GraphState = emptyState()
  let count = 0
  const next = () => idOf(++count)
  const put = <K extends Kind>(kind: K, record: RecordOf<K>): RecordOf<K> => {
    recordsOf(state, kind).set(record.id, record)
    return record
  }
  const at = (hours: number) => new Date(T0 + hours * 3_600_000).toISOString()
  return {
    state,
    at,
    plan(title: string, more: Partial<Plan> = {}): Plan {
      const plan = put("plan", aPlan(0, { id: next(), title, ...more }))
      put("phase", inboxOf(plan))
      return plan
    },
    phase(plan: Plan, title: string, more: Partial<Phase> = {}): Phase {
      return put("phase", aPhase(0, 0, { id: next(), parent_plan_id: plan.id, title, ...more }))
    },
    task(phase: Phase, title: string, more: Partial<Task> = {}): Task {
      const home = { parent_plan_id: phase.parent_plan_id, parent_phase_id: phase.id }
      const made = { id: next(), title, created_at: at(count / 1000) }
      return put("task", aTask(0, 0, 0, { ...made, ...home, ...more }))
    },
    mem(content: string, more: Partial<Mem> = {}): Mem {
      return put("mem", aMem(0, { id: next(), content, stale_at: at(72), ...more }))
    },
    anchor(key: string, value: string, more: Partial<Anchor> = {}): Anchor {
      return put("anchor", anAnchor(0, { id: next(), key, value, ...more }))
    },
    artifact(path: string, more: Partial<Artifact> = {}): Artifact {
      return put("artifact", anArtifact(path, more))
    },
    conflict(task: Task, more: Partial<Conflict> = {}): Conflict {
      return put("conflict", aConflict(0, { id: next(), record_id: task.id, ...more }))
    },
    checkpoint(task: Task, more: Partial<Checkpoint> = {}): Checkpoint {
      const made = { id: next(), task_id: task.id, created_at: at(count / 1000) }
      return put("checkpoint", aCheckpoint(0, 0, { ...made, ...more }))
    },
    delegation(task: Task, to: string): Delegation {
      const { id: task_id, created_at, updated_at } = task
      const ends = { from_agent: "hive-coordinator", to_agent: to }
      return put("delegation", aDelegation(0, 0, { id: next(), task_id, ...ends, created_at, updated_at }))
    },
    head(intent: string, plan?: Plan, phase?: Phase, ...tasks: Task[]): Trajectory {
      return {
        id: next(),
        session_id: null,
        active_plan_id: plan?.id ?? null,
        active_phase_id: phase?.id ?? null,
        active_task_ids: tasks.map((task) => task.id),
        intent,
        intent_about: null,
        intent_shift_at: null,
        created_at: at(0),
        updated_at: at(0),
        stamp: "301411022026",
      }
    },
  }
}
