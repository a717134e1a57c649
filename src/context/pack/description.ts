import {
  isDonePlan,
  isDoneTask,
  isGoneDocument,
  isOpenDecision,
  isOpenPlan,
  isOverTask,
} from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import { countTasksIn } from "../../graph/tasks-in.ts"
import type { FileStatusLookup } from "../../project/document/file-status.ts"
import { documentOfPlan, isUnchanged, wasWrittenByTask } from "../../project/document/record-file.ts"
import { describeDiff, diffSections } from "../../project/document/sections.ts"
import type { Phase, Plan } from "../../schemas/plan.ts"
import type { Task } from "../../schemas/task.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { hashOf, type ItemRef } from "./item.ts"

export interface Description {
  status: string
  waits: Waits
  attributes: Readonly<Record<string, string | null | undefined>>
  words: string
}

/** Unmet dependencies as attributes: short ids, separated by spaces. */
export interface Waits {
  waits_for: string
  needs_decision: string
}

export function describeRecord(
  state: GraphState,
  { kind, id }: ItemRef,
  role: string,
  files: FileStatusLookup,
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
  return role === "failed" ? describeFailed(state, task) : describeTask(state, task, role === "task")
}

export function describePlan(state: GraphState, plan: Plan, files: FileStatusLookup): Description {
  const { title, acceptance, status, depends_on } = plan
  const criteria = acceptance.join("; ")
  const missing = isOpenPlan(plan) ? depends_on.filter((id) => !isDonePlan(state.plan.get(id))) : []
  return {
    status,
    waits: { waits_for: shortIds(missing), needs_decision: "" },
    attributes: { ...planDocument(state, plan, files) },
    words: criteria === "" ? title : `${title} — done when: ${criteria}`,
  }
}

/** The path of a plan's document, and which of its sections were edited outside of HiveMind. */
function planDocument(
  state: GraphState,
  plan: Plan,
  look: FileStatusLookup,
): { document?: string | null; document_changed?: string } {
  const artifact = documentOfPlan(state, plan)
  const document = artifact?.path ?? plan.sot_document_path
  if (document === null || isGoneDocument(artifact)) return {}
  // Reads the file, not the record: at a session's first message, no check has updated the record yet.
  const now = look(document)
  if (now === null) return {}
  if (artifact === undefined || artifact.hash === null) return { document }
  if (now === undefined)
    return artifact.status === "changed" ? { document, document_changed: "yes" } : { document }
  if (isUnchanged(artifact, now) || wasWrittenByTask(state, artifact)) return { document }
  return { document, document_changed: describeDiff(diffSections(artifact.sections, now.sections)) }
}

export function describePhase(state: GraphState, { id, title, status }: Phase): Description {
  const done = countTasksIn(state, "phase", id, isDoneTask)
  const progress = `${done}/${state.task.by("parent_phase_id", id).size}`
  return { status, waits: NO_WAITS, attributes: { progress }, words: title }
}

export function describeTask(state: GraphState, task: Task, isAtHand: boolean): Description {
  const { title, expected_output, file, line, status } = task
  return {
    status,
    waits: taskWaits(state, task),
    attributes: {
      ahead: task.ahead ? "yes" : undefined,
      to: task.assigned_to,
      verify: isAtHand ? task.verify : undefined,
      file: file === null ? undefined : `${file}${line === null ? "" : `:${line}`}`,
      locks: isAtHand ? locksText(task.file_locks) : undefined,
      held_back: task.held_back === null ? undefined : shorten(task.held_back, 120),
    },
    words: isAtHand && expected_output !== title ? `${title} — expected: ${expected_output}` : title,
  }
}

export function describeFailed(state: GraphState, task: Task): Description {
  const { title, reason, status } = task
  const words = reason === null ? title : `${shorten(title, 120)} — ${reason}`
  return { status, waits: taskWaits(state, task), attributes: {}, words }
}

export function descriptionHash({ attributes, words }: Description): string {
  return hashOf(JSON.stringify([attributes, words]))
}

function locksText(locks: readonly string[]): string {
  const more = locks.length - MAX_LOCKS
  return [...locks.slice(0, MAX_LOCKS), ...(more > 0 ? [`and ${more} more`] : [])].join(" ")
}

function taskWaits(state: GraphState, task: Task): Waits {
  if (isOverTask(task)) return NO_WAITS
  const gate = task.temporal_gate === null ? [] : [task.temporal_gate.after_task_id]
  const missing = [...task.depends_on, ...gate].filter((id) => !isDoneTask(state.task.get(id)))
  const open = task.decisions.filter((id) => isOpenDecision(state.mem.get(id)))
  return { waits_for: shortIds(missing), needs_decision: shortIds(open) }
}

export function waitsText({ waits_for, needs_decision }: Waits): string {
  return waits_for + needs_decision === "" ? "" : `${waits_for} / ${needs_decision}`
}

const shortIds = (ids: readonly string[]): string => [...new Set(ids)].map(shortId).join(" ")

export const NO_WAITS: Waits = { waits_for: "", needs_decision: "" }
const MAX_LOCKS = 6
