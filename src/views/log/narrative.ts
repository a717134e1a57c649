import { headIdOf } from "../../graph/read-head.ts"
import { type RecordNames, recordNames } from "../../graph/record-names.ts"
import type { GraphState } from "../../graph/state.ts"
import { isByRule } from "../../knowledge/memory/by-rule.ts"
import { type Entry, SYNC_TOOL } from "../../schemas/entry.ts"
import { isAddOf, type Op, recordIdOf } from "../../schemas/op.ts"
import type { Session, Trajectory } from "../../schemas/session.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { INTENT_SHIFT } from "../../work/session/session.ts"

/** The kinds of steps, most important first. An entry with several changes is shown as the first kind that it has. */
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
  "small",
] as const
export type StepKind = (typeof STEP_KINDS)[number]

export interface Step {
  kind: StepKind
  text: string
}

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
  // The user's change of course matters more than the records that were made for it.
  const shift = entry.by.tool === INTENT_SHIFT ? phrases.find(({ kind }) => kind === "session") : undefined
  const first = shift ?? phrases.toSorted((a, b) => rank(a) - rank(b))[0]
  const kind = first?.kind ?? "small"
  const alike = phrases.filter((phrase) => phrase.kind === kind).length - 1
  const told = first === undefined ? `Bookkeeping (${entry.by.tool})` : textOf(first)
  const text = alike > 0 && kind !== "small" ? `${told}, and ${alike} more` : told
  if (entry.undoes !== undefined) return { kind: "undo", text: `Undid a change: ${text}` }
  if (entry.brought !== undefined) return { kind: "sync", text: `Came from ${entry.writer}: ${text}` }
  return { kind, text }
}

/** The line about an entry in a session's file: `finished “A”; started “B”`. Empty if the entry needs no line. */
export function sessionLine(entry: Entry, names: RecordNames, session: Session): string {
  const isOwn = entry.by.session === session.host_id
  // An entry of another session is only shown if it created this session.
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

/** False for other sessions, mems made by rule (they repeat other lines), and checkpoints except commits and failed checks. */
function needsLine(op: Op, session: Session): boolean {
  if (op.op === "set") {
    // The report for the next compaction needs no line.
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

/** One change in words, such as `Started “Build login”` or `Gave up “Lock”: no key`. */
interface Phrase {
  kind: StepKind
  /** The id of the changed record. A session's line has one phrase per record. */
  about: string
  verb: string
  name: string
  detail: string
}

function textOf({ verb, name, detail }: Phrase): string {
  return `${verb}${name === "" ? "" : ` ${name}`}${detail === "" ? "" : `: ${detail}`}`
}

/** Joins phrases with the same verb: `planned “A”, “B”, “C” and 1 more`. */
function groupText(group: Phrase[]): string {
  const [first] = group
  if (first === undefined) return ""
  const shown = group.slice(0, MAX_NAMED).map(({ name }) => name)
  const more = group.length > shown.length ? ` and ${group.length - shown.length} more` : ""
  return textOf({ ...first, name: `${shown.join(", ")}${more}` })
}

/** A phrase to which the record's title is still to be added: after the verb, if `isNamed` is true. */
interface Told {
  kind: StepKind
  verb: string
  isNamed?: boolean
  detail?: string | null | undefined
  /** The id of the record. Default: the record of the op. */
  about?: string
}

type TitleOf = (id: string) => string

function phraseOf(op: Op, { by }: Entry, names: RecordNames): Phrase | undefined {
  const titleOf: TitleOf = (id) => `“${(names.titleOf(id) ?? shortId(id)).replace(/^"|"$/g, "")}”`
  const told = toldOf(op, by.tool, titleOf)
  if (told === undefined) return undefined
  const { kind, verb, isNamed, detail, about = "kind" in op ? recordIdOf(op) : "" } = told
  return { kind, about, verb, name: isNamed ? titleOf(about) : "", detail: short(detail ?? "") }
}

function toldOf(op: Op, tool: string, titleOf: TitleOf): Told | undefined {
  switch (op.op) {
    case "add":
      return toldOfAdd(op, titleOf)
    case "set":
      return op.kind === "trajectory" ? toldOfMove(op.to, tool, titleOf) : toldOfSet(op, titleOf(op.id))
    case "compaction":
      return told("context", "The conversation was replaced by a summary")
    case "outside_edit":
      return told("small", "The session's file was edited by hand")
    case "drop":
      return told(tool === SYNC_TOOL ? "sync" : "small", `Removed a ${op.kind}`)
    default:
      return undefined
  }
}

const told = (kind: StepKind, verb: string, detail?: string | null): Told => ({ kind, verb, detail })

function named(kind: StepKind, verb: string, detail?: string | null): Told {
  return { kind, verb, detail, isNamed: true }
}

function toldOfAdd(op: Extract<Op, { op: "add" }>, titleOf: TitleOf): Told | undefined {
  switch (op.kind) {
    case "plan":
      return named("plan", "Made the plan")
    case "phase":
      return op.record.inbox ? undefined : named("small", "Made the phase")
    case "task":
      return op.record.status === "active" ? named("task", "Started") : named("plan", "Planned")
    case "mem": {
      const { kind, resolved, content } = op.record
      if (kind === "decision") return told("decision", resolved === false ? "Asked" : "Decided", content)
      if (kind === "false_path") return told("failure", "A false path", content)
      return told("mem", isByRule(op.record) ? "Noted" : "Learned", content)
    }
    case "anchor":
      return told("mem", `Anchored ${op.record.key}`, op.record.value)
    case "checkpoint": {
      const { ok, summary } = op.record
      if (ok) return told("checkpoint", short(summary))
      return told("failure", "Failed", summary.replace(/ \(failed\)$/, ""))
    }
    case "delegation":
      return told("task", `Delegated ${titleOf(op.record.task_id)} to ${short(op.record.to_agent)}`)
    case "session":
      return told("session", "A session began", op.record.intent)
    case "conflict":
      return told("sync", `Two clones disagreed on ${titleOf(op.record.record_id)}`)
    default:
      return undefined
  }
}

type Outcome = Partial<
  Record<"id" | "status", string> & Record<"result" | "reason" | "summary", string | null>
>

function toldOfSet(op: Extract<Op, { op: "set" }>, name: string): Told | undefined {
  if (op.kind === "task" && op.to.held_back != null) return named("task", "A person blocked", op.to.held_back)
  if (op.kind === "task" && op.to.held_back === null && op.was.held_back != null)
    return named("task", "A person unblocked")
  if (op.kind === "session" && op.to.continued_in != null)
    return told("context", "The context window was nearly full: the work goes on in a fresh session")
  const { status, result, reason, summary }: Outcome = op.to
  const atStatus = AT_STATUS[`${op.kind} ${status}`]
  if (atStatus === undefined) return toldOfFields(op, name)
  const [kind, words, hasDetail] = atStatus
  const detail = hasDetail && (result ?? reason ?? summary)
  const verb = words.replace(/ \{\}$/, "")
  return { kind, verb: verb.replace("{}", () => name), isNamed: verb !== words, detail: detail || null }
}

/** The phrase for a record that gets a status. `{}` stands for the record's title; `true` adds its result or reason. */
const AT_STATUS: Readonly<Record<string, readonly [kind: StepKind, words: string, hasDetail?: true]>> = {
  "task completed": ["done", "Finished {}"],
  "task failed": ["failure", "Gave up {}", true],
  "task invalidated": ["failure", "Gave up {}", true],
  "task active": ["task", "Started {}"],
  "task review": ["task", "Submitted {}"],
  "plan completed": ["done", "Finished the plan {}"],
  "plan abandoned": ["failure", "Gave up the plan {}", true],
  "plan archived": ["plan", "Archived the plan {}"],
  "phase completed": ["small", "Finished the phase {}"],
  "mem invalidated": ["mem", "Taken back: {}", true],
  "mem superseded": ["mem", "Replaced: {}"],
  "anchor removed": ["mem", "Removed the anchor {}"],
  "delegation returned": ["task", "{} has returned its work", true],
  "delegation recalled": ["task", "Recalled the work of {}", true],
  "delegation failed": ["failure", "{} failed", true],
  "conflict settled": ["sync", "A conflict was settled"],
  "session closed": ["session", "The session was closed", true],
  "session active": ["session", "The session was resumed"],
}

function toldOfFields(op: Extract<Op, { op: "set" }>, name: string): Told | undefined {
  switch (op.kind) {
    case "task": {
      const { to, was } = op
      if (to.status === "planned")
        return told("task", was.status === "active" ? `Stopped ${name}` : `${name} can be started`)
      if (to.title !== undefined || to.expected_output !== undefined || to.verify !== undefined)
        return named("plan", "Edited")
      return to.rank === undefined ? undefined : told("plan", `Moved ${name} in its plan`)
    }
    case "mem":
      return op.to.kind === "false_path" ? named("failure", "A false path:", op.to.reason) : undefined
    case "anchor":
      return op.to.value === undefined ? undefined : named("mem", "Changed the anchor", op.to.value)
    case "session":
      if (op.to.intent != null) return { ...told("small", "The new intent", op.to.intent), about: "intent" }
      return op.to.next_report === undefined
        ? undefined
        : told("small", "Saved a text for the next compaction to keep")
    default:
      return undefined
  }
}

/** The phrase for a move of the read-head to a task, else a phase, else a plan. Leaving a record gets no phrase. */
function toldOfMove(to: Partial<Trajectory>, tool: string, titleOf: TitleOf): Told | undefined {
  const about = to.active_task_ids?.[0] ?? to.active_phase_id ?? to.active_plan_id
  if (about == null) return undefined
  if (tool === INTENT_SHIFT)
    return { ...told("session", `The user's words changed the course to ${titleOf(about)}`), about }
  return { ...named("small", "Moved to"), about }
}

const short = (text: string): string => shorten(text, MAX_TEXT)

// The limit matters for entries that a sync brought: they may have thousands of ops.
const MAX_OPS = 200
const MAX_TEXT = 160
const MAX_NAMED = 3
