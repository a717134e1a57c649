import { isDonePhase } from "../../graph/lifecycle.ts"
import { headIdOf } from "../../graph/read-head.ts"
import { type RecordNames, recordNames } from "../../graph/record-names.ts"
import type { GraphState } from "../../graph/state.ts"
import { isByRule } from "../../knowledge/memory/by-rule.ts"
import { type Entry, SYNC_TOOL } from "../../schemas/entry.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { isAddOf, type Op } from "../../schemas/op.ts"
import type { Session, Trajectory } from "../../schemas/session.ts"
import type { Task } from "../../schemas/task.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { INTENT_SHIFT } from "../../work/session/session.ts"

/** From the most telling kind to the least: an entry with several changes is told by the first of these. */
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
  // Bookkeeping.
  "small",
] as const
export type StepKind = (typeof STEP_KINDS)[number]

/** An entry of the log as the timeline shows it. */
export interface Step {
  kind: StepKind
  /** One sentence. */
  text: string
}

/** The entries of the log, told one step each. */
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
  const phrases = entry.ops.slice(0, MAX_OPS).flatMap((op) => phraseOf(op, entry, names) ?? [])
  const rank = ({ kind }: Phrase) => STEP_KINDS.indexOf(kind)
  // The change of course says more than the records that were made for it.
  const shift = entry.by.tool === INTENT_SHIFT ? phrases.find(({ kind }) => kind === "session") : undefined
  const first = shift ?? phrases.toSorted((a, b) => rank(a) - rank(b))[0]
  const kind = first?.kind ?? "small"
  const alike = phrases.filter((phrase) => phrase.kind === kind).length - 1
  const told = first === undefined ? `Bookkeeping (${entry.by.tool})` : textOf(first)
  const text = alike > 0 && kind !== "small" ? `${told}, and ${alike} more` : told
  if (entry.undoes !== undefined) return { kind: "undo", text: `Took back a change: ${text}` }
  if (entry.brought !== undefined) return { kind: "sync", text: `Came from ${entry.writer}: ${text}` }
  return { kind, text }
}

/** The line of a session's file about an entry: `finished “A”; started “B”`. Empty if the entry needs no line. */
export function sessionLine(entry: Entry, names: RecordNames, session: Session): string {
  const isOwn = entry.by.session === session.host_id
  // Of another session's entry, only the creation of this session counts.
  const ops = entry.ops.filter((op) => (isOwn ? needsLine(op, session) : createsSession(op, session)))
  const told = new Set<string>()
  const groups = new Map<string, Phrase[]>()
  for (const op of ops) {
    const phrase = phraseOf(op, entry, names)
    if (phrase === undefined || told.has(phrase.about)) continue
    told.add(phrase.about)
    const key = phrase.name === "" || phrase.detail !== "" ? phrase.about : phrase.verb
    groups.set(key, [...(groups.get(key) ?? []), phrase])
  }
  const lines = Array.from(groups.values(), groupText)
  return lines.map((line) => `${line.charAt(0).toLowerCase()}${line.slice(1)}`).join("; ")
}

export function createsSession(op: Op, { id }: Session): boolean {
  return isAddOf(op, "session") && op.record.id === id
}

/** Left out: other sessions, mems by rule (they repeat other lines), and checkpoints but commits and failed checks. */
function needsLine(op: Op, session: Session): boolean {
  if (op.op === "set") {
    // The report for the next compaction is bookkeeping.
    if (op.kind === "session") return op.id === session.id && op.to.next_report === undefined
    return op.kind !== "trajectory" || op.id === headIdOf(session.host_id)
  }
  if (op.op !== "add") return false
  if (op.kind === "session") return op.record.id === session.id
  if (op.kind === "mem") return !isByRule(op.record)
  if (op.kind !== "checkpoint") return true
  const { ok, did } = op.record
  return ok ? did.includes("commit") : did.some((each) => each !== "commit")
}

/** One change in words: `Started “Build login”`, `Gave up “Lock”: no key`. */
interface Phrase {
  kind: StepKind
  /** The id of its record: a session's line has one phrase for each. */
  about: string
  verb: string
  name: string
  detail: string
}

function textOf({ verb, name, detail }: Phrase): string {
  return `${verb}${name === "" ? "" : ` ${name}`}${detail === "" ? "" : `: ${detail}`}`
}

/** `planned “A”, “B”, “C” and 1 more`: phrases of the same verb become one. */
function groupText(group: Phrase[]): string {
  const [first] = group
  if (first === undefined) return ""
  const shown = group.slice(0, MAX_NAMED).map(({ name }) => name)
  const more = group.length > shown.length ? ` and ${group.length - shown.length} more` : ""
  return textOf({ ...first, name: `${shown.join(", ")}${more}` })
}

/** Makes the phrase of one record, with its title where `named` asks for it. */
type Tell = (
  kind: StepKind,
  verb: string,
  more?: { named?: boolean; detail?: string | null | undefined },
) => Phrase

function phraseOf(op: Op, { by }: Entry, names: RecordNames): Phrase | undefined {
  const titleOf = (id: string) => `“${(names.titleOf(id) ?? shortId(id)).replace(/^"|"$/g, "")}”`
  const tellOf =
    (about: string): Tell =>
    (kind, verb, { named = false, detail } = {}) => ({
      ...{ kind, about, verb },
      name: named ? titleOf(about) : "",
      detail: short(detail ?? ""),
    })
  switch (op.op) {
    case "add":
      return addPhrase(op, tellOf(op.record.id), titleOf)
    case "set":
      return op.kind === "trajectory"
        ? movePhrase(op.to, by.tool, tellOf, titleOf)
        : setPhrase(op, tellOf(op.id), titleOf(op.id))
    case "compaction":
      return tellOf("")("context", "The conversation was replaced by a summary")
    case "outside_edit":
      return tellOf("")("small", "The session's file was edited by hand")
    case "drop":
      return tellOf(op.id)(by.tool === SYNC_TOOL ? "sync" : "small", `Removed a ${op.kind}`)
    default:
      return undefined
  }
}

function addPhrase(
  op: Extract<Op, { op: "add" }>,
  tell: Tell,
  titleOf: (id: string) => string,
): Phrase | undefined {
  switch (op.kind) {
    case "plan":
      return tell("plan", "Made the plan", { named: true })
    case "phase":
      return op.record.inbox ? undefined : tell("small", "Made the phase", { named: true })
    case "task":
      return op.record.status === "active"
        ? tell("task", "Started", { named: true })
        : tell("plan", "Planned", { named: true })
    case "mem":
      return savedPhrase(op.record, tell)
    case "anchor":
      return tell("mem", `Anchored ${op.record.key}`, { detail: op.record.value })
    case "checkpoint": {
      const { ok, summary } = op.record
      if (ok) return tell("checkpoint", short(summary))
      return tell("failure", "Failed", { detail: summary.replace(/ \(failed\)$/, "") })
    }
    case "delegation":
      return tell("task", `Handed ${titleOf(op.record.task_id)} to ${short(op.record.to_agent)}`)
    case "session":
      return tell("session", "A session began", { detail: op.record.intent })
    case "conflict":
      return tell("sync", `Two clones disagreed on ${titleOf(op.record.record_id)}`)
    default:
      return undefined
  }
}

function savedPhrase(mem: Mem, tell: Tell): Phrase {
  const detail = mem.content
  if (mem.kind === "decision")
    return tell("decision", mem.resolved === false ? "Asked" : "Decided", { detail })
  if (mem.kind === "false_path") return tell("failure", "A false path", { detail })
  return tell("mem", isByRule(mem) ? "Noted" : "Learned", { detail })
}

function setPhrase(op: Extract<Op, { op: "set" }>, tell: Tell, name: string): Phrase | undefined {
  switch (op.kind) {
    case "task":
      return taskPhrase(op.to, op.was, tell, name)
    case "plan":
      if (op.to.status === "completed") return tell("done", "Finished the plan", { named: true })
      if (op.to.status === "abandoned")
        return tell("failure", "Gave up the plan", { named: true, detail: op.to.reason })
      return op.to.status === "archived" ? tell("plan", `Put the plan ${name} away`) : undefined
    case "phase":
      return isDonePhase(op.to) ? tell("small", "Finished the phase", { named: true }) : undefined
    case "mem":
      if (op.to.status === "invalidated")
        return tell("mem", "Taken back:", { named: true, detail: op.to.reason })
      if (op.to.status === "superseded") return tell("mem", "Replaced:", { named: true })
      return op.to.kind === "false_path"
        ? tell("failure", "A false path:", { named: true, detail: op.to.reason })
        : undefined
    case "anchor":
      if (op.to.status === "removed") return tell("mem", "Removed the anchor", { named: true })
      return op.to.value === undefined
        ? undefined
        : tell("mem", "Changed the anchor", { named: true, detail: op.to.value })
    case "delegation":
      return delegationPhrase(op.to, tell, name)
    case "conflict":
      return op.to.status === "settled" ? tell("sync", "A conflict was settled") : undefined
    case "session":
      return sessionPhrase(op.to, tell)
    default:
      return undefined
  }
}

function delegationPhrase(
  { status, result, reason }: { status?: string; result?: string | null; reason?: string | null },
  tell: Tell,
  agent: string,
): Phrase | undefined {
  const detail = result ?? reason
  if (status === "returned") return tell("task", `${agent} has returned its work`, { detail })
  if (status === "recalled") return tell("task", `Recalled the work of ${agent}`, { detail })
  return status === "failed" ? tell("failure", `${agent} failed`, { detail }) : undefined
}

function sessionPhrase(to: Partial<Session>, tell: Tell): Phrase | undefined {
  if (to.continued_in != null)
    return tell("context", "The window was nearly full: the work goes on in a fresh session")
  if (to.status === "closed") return tell("session", "The session was closed", { detail: to.summary })
  if (to.status === "active") return tell("session", "The session was resumed")
  if (to.intent != null) return { ...tell("small", "The new intent", { detail: to.intent }), about: "intent" }
  return to.next_report === undefined
    ? undefined
    : tell("small", "Noted text that the next compaction has to keep")
}

function taskPhrase(to: Partial<Task>, was: Partial<Task>, tell: Tell, name: string): Phrase | undefined {
  if (to.held_back != null) return tell("task", "A person blocked", { named: true, detail: to.held_back })
  if (to.held_back === null && was.held_back != null)
    return tell("task", "A person unblocked", { named: true })
  switch (to.status) {
    case "completed":
      return tell("done", "Finished", { named: true })
    case "failed":
    case "invalidated":
      return tell("failure", "Gave up", { named: true, detail: to.reason })
    case "active":
      return tell("task", "Started", { named: true })
    case "review":
      return tell("task", "Handed in", { named: true })
    case "planned":
      return tell("task", was.status === "active" ? `Put ${name} back` : `${name} can be started`)
    default:
  }
  if (to.title !== undefined || to.expected_output !== undefined || to.verify !== undefined)
    return tell("plan", "Edited", { named: true })
  return to.rank === undefined ? undefined : tell("plan", `Moved ${name} in its plan`)
}

/** The deepest record that the read-head moved to; leaving one gets no phrase. */
function movePhrase(
  to: Partial<Trajectory>,
  tool: string,
  tellOf: (about: string) => Tell,
  titleOf: (id: string) => string,
): Phrase | undefined {
  const about = to.active_task_ids?.[0] ?? to.active_phase_id ?? to.active_plan_id
  if (about == null) return undefined
  if (tool === INTENT_SHIFT)
    return tellOf(about)("session", `The user's words changed the course to ${titleOf(about)}`)
  return tellOf(about)("small", "Moved to", { named: true })
}

function short(text: string): string {
  return shorten(text, MAX_TEXT)
}

// An entry that a sync brought may have thousands.
const MAX_OPS = 200
const MAX_TEXT = 160
const MAX_NAMED = 3
