import { isDoneTask } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import { countTasksIn } from "../../graph/tasks-in.ts"
import type { FileLook } from "../../project/document/file-look.ts"
import type { Phase, Plan } from "../../schemas/plan.ts"
import type { Task } from "../../schemas/task.ts"
import { shorten } from "../../shared/text/clean.ts"
import type { ItemRef } from "./item.ts"
import { planDocument } from "./plan-document.ts"
import { hashOf } from "./text-hash.ts"

/** What is told of a plan, phase or task besides its status and what it waits for. */
export interface Description {
  attributes: Readonly<Record<string, string | null | undefined>>
  words: string
}

/** Of a record that was shown in this role, as it is now; undefined where it is gone. */
export function describeRecord(
  state: GraphState,
  { kind, id }: ItemRef,
  role: string,
  files: FileLook,
): Description | undefined {
  if (kind === "phase") {
    const phase = state.phase.get(id)
    return phase && describePhase(state, phase)
  }
  if (kind === "plan") {
    const plan = state.plan.get(id)
    return plan && describePlan(state, plan, files)
  }
  const task = kind === "task" ? state.task.get(id) : undefined
  if (task === undefined) return undefined
  return role === "failed" ? describeFailed(task) : describeTask(task, role === "task")
}

export function describePlan(state: GraphState, plan: Plan, files: FileLook): Description {
  const { title, acceptance } = plan
  const criteria = acceptance.join("; ")
  return {
    attributes: { ...planDocument(state, plan, files) },
    words: criteria === "" ? title : `${title} — done when: ${criteria}`,
  }
}

export function describePhase(state: GraphState, { id, title }: Phase): Description {
  const done = countTasksIn(state, "phase", id, isDoneTask)
  const progress = `${done}/${state.task.by("parent_phase_id", id).size}`
  return { attributes: { progress }, words: title }
}

/** Whoever works on it has to know more. */
export function describeTask(task: Task, isAtHand: boolean): Description {
  const { title, expected_output, file, line } = task
  const isExpectedShown = isAtHand && expected_output !== title
  return {
    attributes: {
      ahead: task.ahead ? "yes" : undefined,
      to: task.assigned_to,
      verify: isAtHand ? task.verify : undefined,
      file: file === null ? undefined : `${file}${line === null ? "" : `:${line}`}`,
      locks: isAtHand ? locksText(task.file_locks) : undefined,
      held_back: task.held_back === null ? undefined : shorten(task.held_back, 120),
    },
    words: isExpectedShown ? `${title} — expected: ${expected_output}` : title,
  }
}

/** What was tried, and why it was given up. */
export function describeFailed({ title, reason }: Task): Description {
  return { attributes: {}, words: reason === null ? title : `${shorten(title, 120)} — ${reason}` }
}

/** To see whether anything about it has changed. */
export function descriptionHash({ attributes, words }: Description): string {
  return hashOf(JSON.stringify([attributes, words]))
}

/** Of very many the first few: the gate knows them all. */
function locksText(locks: readonly string[]): string {
  const more = locks.length - MAX_LOCKS
  return [...locks.slice(0, MAX_LOCKS), ...(more > 0 ? [`and ${more} more`] : [])].join(" ")
}

const MAX_LOCKS = 6
