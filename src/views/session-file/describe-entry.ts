import { headIdOf } from "../../graph/read-head.ts"
import type { RecordNames } from "../../graph/record-names.ts"
import { isByRule } from "../../knowledge/memory/by-rule.ts"
import type { Entry } from "../../schemas/journal.ts"
import type { Session } from "../../schemas/session.ts"
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
function withText(about: string, verb: string, value: unknown): Phrase {
  return { about, verb, name: typeof value === "string" ? `: ${quoted(value)}` : "" }
}

type Fields = Record<string, unknown>
type Op = Entry["ops"][number]
type Change = Extract<Op, { op: "set" }>

function phraseOf(op: Op, names: RecordNames, session: Session): Phrase | undefined {
  if (op.op === "add") return added(op.kind, op.record, names, session)
  if (op.op === "set") return changed(op, names, session)
  return undefined
}

function added(kind: string, record: Fields, names: RecordNames, session: Session): Phrase | undefined {
  const about = String(record["id"])
  const named = (verb: string, noun: string) => ({ about, verb, noun, name: names.titleOf(about) ?? about })
  switch (kind) {
    case "session":
      return about === session.id ? withText(about, "began", record["intent"]) : undefined
    case "plan":
      return named("made", "plan")
    case "phase":
      return record["inbox"] === true ? undefined : named("made", "phase")
    case "task":
      return named(record["status"] === "active" ? "started" : "planned", "task")
    case "mem":
      // A mem made by rule repeats what other lines say.
      if (isByRule({ confidence: Number(record["confidence"]) })) return undefined
      return { about, verb: "noted", noun: words(record["kind"]), name: quoted(record["content"]) }
    case "anchor":
      return withText(about, `anchored ${text(record["key"])}`, record["value"])
    case "checkpoint":
      return checkpointPhrase(about, record)
    case "delegation":
      return {
        about,
        verb: "handed",
        name: ` ${nameOf(names, record["task_id"])} to ${text(record["to_agent"])}`,
      }
    default:
      return undefined
  }
}

function changed(op: Change, names: RecordNames, session: Session): Phrase | undefined {
  const { kind, id } = op
  const to: Fields = op.to
  const was: Fields = op.was
  const name = names.titleOf(id) ?? shortId(id)
  const status = text(to["status"])
  switch (kind) {
    case "session":
      return id === session.id ? sessionPhrase(id, to, was) : undefined
    case "trajectory":
      return id === headIdOf(session.host_id) ? movePhrase(to, names) : undefined
    case "plan":
      return OVER_PLAN.has(status)
        ? { about: id, verb: status, noun: kind, name: withReason(name, to) }
        : undefined
    case "phase":
      return status === "completed" ? { about: id, verb: status, noun: kind, name } : undefined
    case "task": {
      const verb = status === "planned" && was["status"] === "active" ? "put back" : TASK_VERBS[status]
      return verb === undefined ? undefined : { about: id, verb, noun: kind, name: withReason(name, to) }
    }
    case "mem": {
      const verb = to["kind"] === "false_path" ? "marked as a false path" : MEM_VERBS[status]
      return verb === undefined ? undefined : { about: id, verb, noun: kind, name: withReason(name, to) }
    }
    case "anchor": {
      if (status === "removed") return { about: id, verb: "removed", noun: kind, name }
      return to["value"] === undefined ? undefined : withText(id, `changed the anchor ${name}`, to["value"])
    }
    case "delegation": {
      const verb = DELEGATION_VERBS[status]
      if (verb === undefined) return undefined
      return withText(id, `the delegation to ${name} ${verb}`, to["result"] ?? to["reason"])
    }
    default:
      return undefined
  }
}

function sessionPhrase(about: string, to: Fields, was: Fields): Phrase | undefined {
  if (to["status"] === "closed") return withText(about, "closed", to["summary"])
  if (to["status"] === "active") return withText(about, "taken up again", null)
  const isNewIntent = typeof to["intent"] === "string" && to["intent"] !== was["intent"]
  return isNewIntent ? withText(`intent of ${about}`, "a new intent", to["intent"]) : undefined
}

/** The deepest record that the read-head moved to; leaving one gets no phrase. */
function movePhrase(to: Fields, names: RecordNames): Phrase | undefined {
  const tasks = to["active_task_ids"]
  const task = Array.isArray(tasks) ? tasks[0] : undefined
  const about = [task, to["active_phase_id"], to["active_plan_id"]].find((id) => typeof id === "string")
  return about === undefined ? undefined : { about, verb: "moved to", name: ` ${nameOf(names, about)}` }
}

/** Only commits and failed checks get a line; the rest is in the task's checkpoints. */
function checkpointPhrase(about: string, record: Fields): Phrase | undefined {
  const command = text(record["command"])
  if (record["ok"] === true) return COMMIT.test(command) ? withText(about, "committed", command) : undefined
  return CHECK.test(text(record["summary"])) ? withText(about, "a check failed", command) : undefined
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

function withReason(name: string, { reason }: Fields): string {
  return typeof reason === "string" ? `${name} (${text(reason)})` : name
}

function nameOf(names: RecordNames, id: unknown): string {
  return `the ${names.nameOfAny(String(id)) ?? shortId(String(id))}`
}

function quoted(value: unknown): string {
  return `"${text(value)}"`
}

function text(value: unknown): string {
  return typeof value === "string" ? shorten(value, MAX_TEXT) : ""
}

function words(value: unknown): string {
  return text(value).replaceAll("_", " ")
}

const OVER_PLAN = new Set(["completed", "archived", "abandoned"])
const DELEGATION_VERBS: Record<string, string> = {
  returned: "returned",
  recalled: "was recalled",
  failed: "failed",
}
const TASK_VERBS: Record<string, string> = {
  active: "started",
  review: "put up for review",
  completed: "completed",
  failed: "failed",
  invalidated: "gave up",
}
const MEM_VERBS: Record<string, string> = { invalidated: "took back", purged: "purged" }
const COMMIT = /\bgit\b[^|;&]*\scommit\b/
const CHECK = /^(verify|test|build): /
const MAX_TEXT = 120
const MAX_NAMED = 3
