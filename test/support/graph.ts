import { inboxOf } from "../../src/graph/inbox.ts"
import { emptyState, type GraphState } from "../../src/graph/state.ts"
import type { Conflict } from "../../src/schemas/conflict.ts"
import type { Anchor, Artifact, Mem } from "../../src/schemas/knowledge.ts"
import type { Phase, Plan } from "../../src/schemas/plan.ts"
import type { Trajectory } from "../../src/schemas/session.ts"
import type { Checkpoint, Delegation, Task } from "../../src/schemas/task.ts"
import { aCheckpoint, aConflict, aMem, anAnchor, anArtifact, aPhase, aPlan, aTask, T0 } from "./records.ts"

/** An id whose first characters tell records apart, as those of real ones do. */
function idOf(n: number): string {
  return `${n.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`
}

/** Builds a graph by hand for the packer: plain records in maps, nothing checked. */
export function graphOf() {
  const state: GraphState = emptyState()
  let count = 0
  const next = () => idOf(++count)
  const at = (hours: number) => new Date(T0 + hours * 3_600_000).toISOString()
  return {
    state,
    at,
    plan(title: string, more: Partial<Plan> = {}): Plan {
      const plan = aPlan(0, { id: next(), title, ...more })
      state.plan.set(plan.id, plan)
      const inbox = inboxOf(plan)
      state.phase.set(inbox.id, inbox)
      return plan
    },
    phase(plan: Plan, title: string, more: Partial<Phase> = {}): Phase {
      const phase = aPhase(0, 0, { id: next(), parent_plan_id: plan.id, title, ...more })
      state.phase.set(phase.id, phase)
      return phase
    },
    task(phase: Phase, title: string, more: Partial<Task> = {}): Task {
      const home = { parent_plan_id: phase.parent_plan_id, parent_phase_id: phase.id }
      const task = aTask(0, 0, 0, { id: next(), ...home, title, created_at: at(count / 1000), ...more })
      state.task.set(task.id, task)
      return task
    },
    mem(content: string, more: Partial<Mem> = {}): Mem {
      const mem = aMem(0, { id: next(), content, stale_at: at(72), ...more })
      state.mem.set(mem.id, mem)
      return mem
    },
    anchor(key: string, value: string, more: Partial<Anchor> = {}): Anchor {
      const anchor = anAnchor(0, { id: next(), key, value, ...more })
      state.anchor.set(anchor.id, anchor)
      return anchor
    },
    artifact(path: string, more: Partial<Artifact> = {}): Artifact {
      const artifact = anArtifact(path, more)
      state.artifact.set(artifact.id, artifact)
      return artifact
    },
    conflict(task: Task, more: Partial<Conflict> = {}): Conflict {
      const conflict = aConflict(0, { id: next(), record_id: task.id, ...more })
      state.conflict.set(conflict.id, conflict)
      return conflict
    },
    checkpoint(task: Task, more: Partial<Checkpoint> = {}): Checkpoint {
      const checkpoint = aCheckpoint(0, 0, {
        id: next(),
        task_id: task.id,
        created_at: at(count / 1000),
        ...more,
      })
      state.checkpoint.set(checkpoint.id, checkpoint)
      return checkpoint
    },
    delegation(task: Task, to: string): Delegation {
      const { created_at, updated_at, stamp } = task
      const delegation: Delegation = {
        id: next(),
        task_id: task.id,
        from_agent: "hive-coordinator",
        to_agent: to,
        session_id: null,
        child_session_id: null,
        allowed_tools: null,
        depth: 1,
        status: "running",
        result: null,
        reason: null,
        created_at,
        updated_at,
        stamp,
      }
      state.delegation.set(delegation.id, delegation)
      return delegation
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
