import { type RecordNames, recordNames } from "../../graph/record-names.ts"
import type { GraphState } from "../../graph/state.ts"
import { isByRule } from "../../knowledge/memory/by-rule.ts"
import { type Entry, SYNC_TOOL } from "../../schemas/entry.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import type { Op } from "../../schemas/op.ts"
import type { Task } from "../../schemas/task.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { INTENT_SHIFT } from "../../work/session/shift-head.ts"

/** What a step of the story is, the most telling first: an entry of several changes is told by that one. */
const STEP_KINDS = [
  "undo",
  "decision",
  "failure",
  "done",
  "context",
  "plan",
  "session",
  "task",
  "mem",
  "sync",
  "checkpoint",
  // Bookkeeping, which nobody reads a story for.
  "small",
] as const
export type StepKind = (typeof STEP_KINDS)[number]

export interface Step {
  kind: StepKind
  /** One sentence. */
  text: string
}

/** Entries in the order of the log, as steps of the story. */
export function storySteps(all: readonly Entry[], state: GraphState): Map<Entry, Step> {
  const names = recordNames(state)
  return new Map(
    all.map((entry) => {
      for (const op of entry.ops) names.follow(op)
      return [entry, storyStep(entry, names)]
    }),
  )
}

function storyStep(entry: Entry, names: RecordNames): Step {
  const steps = entry.ops.slice(0, MAX_OPS).flatMap((op) => stepOf(op, entry, names) ?? [])
  const rank = ({ kind }: Step) => STEP_KINDS.indexOf(kind)
  // That the course was changed says more than what was made for it.
  const shift = entry.by.tool === INTENT_SHIFT ? steps.find(({ kind }) => kind === "session") : undefined
  const first = shift ?? steps.toSorted((a, b) => rank(a) - rank(b))[0]
  const alike = steps.filter(({ kind }) => kind === first?.kind).length - 1
  const step = first ?? { kind: "small", text: `Bookkeeping (${entry.by.tool})` }
  const text = alike > 0 && step.kind !== "small" ? `${step.text}, and ${alike} more` : step.text
  if (entry.undoes !== undefined) return { kind: "undo", text: `Took back a change: ${text}` }
  if (entry.brought !== undefined) return { kind: "sync", text: `Came from ${entry.writer}: ${text}` }
  return { kind: step.kind, text }
}

function stepOf(op: Op, { by }: Entry, names: RecordNames): Step | undefined {
  const named = (id: string) => `“${(names.titleOf(id) ?? shortId(id)).replace(/^"|"$/g, "")}”`
  switch (op.op) {
    case "add":
      return addedStep(op, named)
    case "set":
      return by.tool === INTENT_SHIFT && op.kind === "trajectory"
        ? shiftStep(op.to, named)
        : changedStep(op, named)
    case "compaction":
      return { kind: "context", text: "The conversation was replaced by a summary" }
    case "outside_edit":
      return { kind: "small", text: "Somebody changed the session's file" }
    case "drop":
      return { kind: by.tool === SYNC_TOOL ? "sync" : "small", text: `Removed a ${op.kind}` }
    default:
      return undefined
  }
}

type Named = (id: string) => string

function addedStep(op: Extract<Op, { op: "add" }>, named: Named): Step | undefined {
  switch (op.kind) {
    case "plan":
      return { kind: "plan", text: `Made the plan ${named(op.record.id)}` }
    case "task":
      return op.record.status === "active"
        ? { kind: "task", text: `Started ${named(op.record.id)}` }
        : { kind: "plan", text: `Planned ${named(op.record.id)}` }
    case "mem":
      return savedStep(op.record)
    case "anchor":
      return { kind: "mem", text: `Anchored ${op.record.key}: ${short(op.record.value)}` }
    case "checkpoint":
      return op.record.ok
        ? { kind: "checkpoint", text: short(op.record.summary) }
        : { kind: "failure", text: `Failed: ${short(op.record.summary).replace(/ \(failed\)$/, "")}` }
    case "delegation":
      return { kind: "task", text: `Handed ${named(op.record.task_id)} to ${short(op.record.to_agent)}` }
    case "session":
      return {
        kind: "session",
        text: op.record.intent === null ? "A session began" : `A session began: ${short(op.record.intent)}`,
      }
    case "conflict":
      return { kind: "sync", text: `Two clones disagreed on ${named(op.record.record_id)}` }
    default:
      return undefined
  }
}

function savedStep(mem: Mem): Step {
  const content = short(mem.content)
  if (mem.kind === "decision")
    return { kind: "decision", text: mem.resolved === false ? `Asked: ${content}` : `Decided: ${content}` }
  if (mem.kind === "false_path") return { kind: "failure", text: `A false path: ${content}` }
  return { kind: "mem", text: `${isByRule(mem) ? "Noted" : "Learned"}: ${content}` }
}

function changedStep(op: Extract<Op, { op: "set" }>, named: Named): Step | undefined {
  const name = named(op.id)
  switch (op.kind) {
    case "task":
      return taskStep(op.to, op.was, name)
    case "plan":
      if (op.to.status === "completed") return { kind: "done", text: `Finished the plan ${name}` }
      if (op.to.status === "abandoned")
        return { kind: "failure", text: because(`Gave up the plan ${name}`, op.to) }
      return op.to.status === "archived" ? { kind: "plan", text: `Put the plan ${name} away` } : undefined
    case "mem":
      if (op.to.status === "invalidated") return { kind: "mem", text: because(`Taken back: ${name}`, op.to) }
      if (op.to.status === "superseded") return { kind: "mem", text: `Replaced: ${name}` }
      return op.to.kind === "false_path"
        ? { kind: "failure", text: because(`A false path: ${name}`, op.to) }
        : undefined
    case "anchor":
      if (op.to.status === "removed") return { kind: "mem", text: `Removed the anchor ${name}` }
      return op.to.value === undefined ? undefined : { kind: "mem", text: `Changed the anchor ${name}` }
    case "delegation":
      if (op.to.status === "returned") return { kind: "task", text: `${name} has returned its work` }
      return op.to.status === "failed"
        ? { kind: "failure", text: because(`${name} failed`, op.to) }
        : undefined
    case "conflict":
      return op.to.status === "settled" ? { kind: "sync", text: "A conflict was settled" } : undefined
    case "session":
      if (op.to.continued_in != null)
        return { kind: "context", text: "The window was nearly full: the work goes on in a fresh session" }
      if (op.to.status === "closed") return { kind: "session", text: "The session was closed" }
      return op.to.next_report === undefined
        ? undefined
        : { kind: "small", text: "Noted what the next compaction has to keep" }
    default:
      return undefined
  }
}

function taskStep(to: Partial<Task>, was: Partial<Task>, name: string): Step | undefined {
  if (to.held_back != null) return { kind: "task", text: `A person blocked ${name}: ${short(to.held_back)}` }
  if (to.held_back === null && was.held_back != null)
    return { kind: "task", text: `A person unblocked ${name}` }
  switch (to.status) {
    case "completed":
      return { kind: "done", text: `Finished ${name}` }
    case "failed":
    case "invalidated":
      return { kind: "failure", text: because(`Gave up ${name}`, to) }
    case "active":
      return { kind: "task", text: `Started ${name}` }
    case "review":
      return { kind: "task", text: `Handed in ${name}` }
    case "planned":
      return was.status === "active"
        ? { kind: "task", text: `Put ${name} back` }
        : { kind: "task", text: `${name} can be started` }
    default:
  }
  if (to.title !== undefined || to.expected_output !== undefined || to.verify !== undefined)
    return { kind: "plan", text: `Edited ${name}` }
  return to.rank === undefined ? undefined : { kind: "plan", text: `Moved ${name} in its plan` }
}

function shiftStep(
  to: { active_task_ids?: string[]; active_plan_id?: string | null },
  named: Named,
): Step | undefined {
  const about = to.active_task_ids?.[0] ?? to.active_plan_id
  return about == null
    ? undefined
    : { kind: "session", text: `The user's words changed the course to ${named(about)}` }
}

function because(text: string, { reason }: { reason?: string | null }): string {
  return reason == null ? text : `${text}: ${short(reason)}`
}

function short(text: string): string {
  return shorten(text, MAX_TEXT)
}

// One that was brought along may have thousands.
const MAX_OPS = 200
const MAX_TEXT = 160
