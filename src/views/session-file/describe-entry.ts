import { isDonePhase, isOverPlan } from "../../graph/lifecycle.ts"
import { headIdOf } from "../../graph/read-head.ts"
import type { RecordNames } from "../../graph/record-names.ts"
import { isByRule } from "../../knowledge/memory/by-rule.ts"
import type { Entry } from "../../schemas/entry.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import type { Op } from "../../schemas/op.ts"
import type { Session, Trajectory } from "../../schemas/session.ts"
import type { Checkpoint, Delegation, Task } from "../../schemas/task.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { createsSession } from "./entries.ts"

/** What an entry did, for people: `completed the task "A"; started the task "B"`. Empty if it is not worth a line. */
export function describeEntry(entry: Entry, names: RecordNames, session: Session): string {
  const groups = new Map<string, Phrase[]>()
  const described = new Set<string>()
  const isOwn = entry.by.session === session.host_id
  // Of another session's entry, only the creation of this one counts.
  for (const op of isOwn ? entry.ops : entry.ops.filter((each) => createsSession(each, session))) {
    const phrase = phraseOf(op, names, session)
    if (phrase === undefined || described.has(phrase.about)) continue
    described.add(phrase.about)
    const key = phrase.noun === undefined ? phrase.about : `${phrase.verb} ${phrase.noun}`
    groups.set(key, [...(groups.get(key) ?? []), phrase])
  }
  return [...groups.values()].map(sentence).join("; ")
}

/** `verb the noun name`: phrases of the same verb and noun become one. Without a noun, `verb` and `name` as they are. */
interface Phrase {
  /** What it is about, mostly the id of a record. Each gets one phrase per entry. */
  about: string
  verb: string
  noun?: string
  name: string
}

/** `closed: "All done"`, or `closed` if there is no text. */
function withText(about: string, verb: string, text: string | null | undefined): Phrase {
  return { about, verb, name: text == null ? "" : `: ${quoted(text)}` }
}

function phraseOf(op: Op, names: RecordNames, session: Session): Phrase | undefined {
  if (op.op === "add") return addPhrase(op, names, session)
  if (op.op === "set") return setPhrase(op, names, session)
  return undefined
}

function addPhrase(op: Extract<Op, { op: "add" }>, names: RecordNames, session: Session): Phrase | undefined {
  const about = op.record.id
  const named = (verb: string, noun: string) => ({ about, verb, noun, name: names.titleOf(about) ?? about })
  switch (op.kind) {
    case "session":
      return about === session.id ? withText(about, "began", op.record.intent) : undefined
    case "plan":
      return named("made", "plan")
    case "phase":
      return op.record.inbox ? undefined : named("made", "phase")
    case "task":
      return named(op.record.status === "active" ? "started" : "planned", "task")
    case "mem": {
      // A mem made by rule repeats what other lines say.
      if (isByRule(op.record)) return undefined
      const { kind, content } = op.record
      return { about, verb: "noted", noun: kind.replaceAll("_", " "), name: quoted(content) }
    }
    case "anchor":
      return withText(about, `anchored ${short(op.record.key)}`, op.record.value)
    case "checkpoint":
      return checkpointPhrase(op.record)
    case "delegation": {
      const { task_id, to_agent } = op.record
      return { about, verb: "handed", name: ` ${nameOf(names, task_id)} to ${short(to_agent)}` }
    }
    default:
      return undefined
  }
}

function setPhrase(op: Extract<Op, { op: "set" }>, names: RecordNames, session: Session): Phrase | undefined {
  const { id } = op
  const name = names.titleOf(id) ?? shortId(id)
  const phrase = (verb: string | undefined, reason?: string | null): Phrase | undefined =>
    verb === undefined ? undefined : { about: id, verb, noun: op.kind, name: withReason(name, reason) }
  switch (op.kind) {
    case "session":
      return id === session.id ? sessionPhrase(id, op.to, op.was) : undefined
    case "trajectory":
      return id === headIdOf(session.host_id) ? movePhrase(op.to, names) : undefined
    case "plan":
      return isOverPlan(op.to) ? phrase(op.to.status, op.to.reason) : undefined
    case "phase":
      return isDonePhase(op.to) ? phrase("completed") : undefined
    case "task": {
      const { status, reason } = op.to
      const isPutBack = status === "planned" && op.was.status === "active"
      return phrase(isPutBack ? "put back" : status && TASK_VERBS[status], reason)
    }
    case "mem": {
      const { kind, status, reason } = op.to
      return phrase(kind === "false_path" ? "marked as a false path" : status && MEM_VERBS[status], reason)
    }
    case "anchor": {
      const { status, value } = op.to
      if (status === "removed") return phrase("removed")
      return value === undefined ? undefined : withText(id, `changed the anchor ${name}`, value)
    }
    case "delegation": {
      const { status, result, reason } = op.to
      const verb = status && DELEGATION_VERBS[status]
      if (verb === undefined) return undefined
      return withText(id, `the delegation to ${name} ${verb}`, result ?? reason)
    }
    default:
      return undefined
  }
}

function sessionPhrase(about: string, to: Partial<Session>, was: Partial<Session>): Phrase | undefined {
  if (to.status === "closed") return withText(about, "closed", to.summary)
  if (to.status === "active") return withText(about, "taken up again", null)
  const isNewIntent = to.intent != null && to.intent !== was.intent
  return isNewIntent ? withText(`intent of ${about}`, "a new intent", to.intent) : undefined
}

/** The deepest record that the read-head moved to; leaving one gets no phrase. */
function movePhrase(to: Partial<Trajectory>, names: RecordNames): Phrase | undefined {
  const about = to.active_task_ids?.[0] ?? to.active_phase_id ?? to.active_plan_id
  return about == null ? undefined : { about, verb: "moved to", name: ` ${nameOf(names, about)}` }
}

/** Only commits and failed checks get a line; the rest is in the task's checkpoints. */
function checkpointPhrase({ id, ok, command, did }: Checkpoint): Phrase | undefined {
  if (ok) return did.includes("commit") ? withText(id, "committed", command) : undefined
  return did.some((each) => each !== "commit") ? withText(id, "a check failed", command) : undefined
}

function sentence(group: Phrase[]): string {
  const [first] = group
  if (first === undefined) return ""
  const { verb, noun, name } = first
  if (noun === undefined) return `${verb}${name}`
  if (group.length === 1) return `${verb} the ${noun} ${name}`
  const shown = group.slice(0, MAX_NAMED).map((phrase) => phrase.name)
  const more = group.length - shown.length
  return `${verb} ${group.length} ${noun}s: ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}

function withReason(name: string, reason: string | null | undefined): string {
  return reason == null ? name : `${name} (${short(reason)})`
}

function nameOf(names: RecordNames, id: string): string {
  return `the ${names.nameOfAny(id) ?? shortId(id)}`
}

function quoted(text: string): string {
  return `"${short(text)}"`
}

function short(text: string): string {
  return shorten(text, MAX_TEXT)
}

const TASK_VERBS: Partial<Record<Task["status"], string>> = {
  active: "started",
  review: "put up for review",
  completed: "completed",
  failed: "failed",
  invalidated: "gave up",
}
const MEM_VERBS: Partial<Record<Mem["status"], string>> = { invalidated: "took back", purged: "purged" }
const DELEGATION_VERBS: Partial<Record<Delegation["status"], string>> = {
  returned: "returned",
  recalled: "was recalled",
  failed: "failed",
}
const MAX_TEXT = 120
const MAX_NAMED = 3
