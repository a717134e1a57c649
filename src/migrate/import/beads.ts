import { inboxIdOf } from "../../graph/inbox.ts"
import { derivedId, type Source } from "../../shared/ids.ts"
import { circularParents } from "../records/dependency-order.ts"
import {
  cutAt,
  type Fields,
  listFrom,
  madeOf,
  noteOf,
  objectFrom,
  shortTextIn,
  tagsFrom,
  textIn,
  timeOf,
} from "../records/fields.ts"
import { type JsonLine, jsonLines } from "../records/json-items.ts"
import { memRecords, phaseRecord, planRecords, projectHead } from "../records/new-records.ts"
import type { SourceRecord } from "../records/report.ts"
import {
  factLine,
  joined,
  knownTime,
  minuteOf,
  type Note,
  otherFields,
  rankBy,
  section,
  textRecords,
  titleOf,
  type WorkItem,
  type WorkState,
  workRecords,
} from "./work-items.ts"

/** Reads issues of beads, a JSON object per line. All lines are read first, because links may point at later lines. */
export async function* readBeads(path: string, source: Source): AsyncGenerator<SourceRecord> {
  const now = new Date(source.now()).toISOString()
  const issues = new Map<string, Issue>()
  for await (const line of jsonLines(path)) {
    if ("quarantine" in line) {
      yield line
      continue
    }
    const { from, fields } = line
    const issue = issueOf(line)
    if (fields["_type"] === "memory") yield memoryRecord(from, fields, now)
    else if (issue === undefined) yield { from, quarantine: "an issue without an id", original: fields }
    else {
      const why = whyIgnored(issue)
      const there = issues.get(issue.name)
      if (why !== undefined) yield { from: placeOf(issue), ignore: why }
      else if (there === undefined) issues.set(issue.name, issue)
      else if (JSON.stringify(there.fields) === JSON.stringify(fields))
        yield { from: placeOf(issue), ignore: "a repeated line" }
      else {
        // A git merge can leave two lines for one issue. The one that was updated last is used.
        const [newer, older] = issue.updated > there.updated ? [issue, there] : [there, issue]
        issues.set(issue.name, newer)
        const quarantine = `an older version of the issue; the newer one is in line ${newer.number}`
        yield { from: placeOf(older), quarantine, original: older.fields }
      }
    }
  }
  const arranged = arrangeIssues(issues)
  const context: BeadsContext = { arranged, issues, now }
  for (const epic of arranged.epics) yield epicRecord(epic, context)
  for (const issue of arranged.mems) yield memRecord(issue, context)
  const items = new Map(arranged.tasks.map((issue) => [issue.name, workItem(issue, context)]))
  yield* workRecords({ id: "beads", name: "beads" }, items, now)
}

interface BeadsContext {
  arranged: ReturnType<typeof arrangeIssues>
  issues: ReadonlyMap<string, Issue>
  now: string
}

function placeOf({ from, name }: Issue): string {
  return `${from} (${name})`
}

function whyIgnored({ fields, status, type }: Issue): string | undefined {
  if (status === "tombstone") return "deleted in beads"
  if (fields["ephemeral"] === true || fields["wisp"] === true)
    return "a temporary issue, which beads does not export either"
  if (fields["is_template"] === true) return "a template, not an issue to work on"
  return AGENT_TYPES.has(type) ? `an issue of type ${type}, which beads uses to run agents` : undefined
}

function memoryRecord(from: string, fields: Fields, now: string): SourceRecord {
  const value = textIn(fields, "value")
  if (value === undefined) return { from, quarantine: "a memory without text", original: fields }
  const key = textIn(fields, "key") ?? ""
  const about = { key: `memory ${key}`, tags: [key], created: undefined, fallback: now }
  return { from: `${from} (${key})`, records: textRecords("beads", value, about) }
}

function workItem(issue: Issue, context: BeadsContext): WorkItem {
  const { arranged, now, issues } = context
  const { fields, name, id, state, status } = issue
  const { plan, phase } = arranged.placeOf(issue)
  const { tasks, decisions, words } = arranged.waitsOf(issue)
  const parent = arranged.parentOf(issue)
  const priority = typeof fields["priority"] === "number" ? fields["priority"] : USUAL_PRIORITY
  const steps = Math.min(4, Math.max(0, priority)) - USUAL_PRIORITY
  const updated = knownTime(fields["updated_at"])
  const started = knownTime(fields["started_at"])
  const until = textIn(fields, "defer_until")
  const made = madeOf({ created: fields["created_at"] }, now)
  const title = "Beads: issues without an epic"
  return {
    ...{ from: placeOf(issue), id, name, title: textIn(fields, "title") ?? "", plan, phase },
    ...{ text: textsOf(fields), facts: factsOf(issue, context), notes: notesOf(fields) },
    words: words.map(({ name: other, why }) => ({ name: withTitle(other, issues), why })),
    tags: tagsFrom(fields["labels"]),
    parent: parent !== undefined && arranged.roleOf(parent) === "task" ? parent.name : null,
    waitsFor: tasks,
    ...{ state, stateWord: status, created: fields["created_at"], updated: fields["updated_at"] },
    isWaiting: decisions.some((other) => other.state !== "done"),
    started: state === "done" ? started : (started ?? updated),
    ended: knownTime(fields["closed_at"]) ?? updated,
    task: {
      decisions: decisions.map((each) => each.id),
      // Issues of the same second are ordered by their lines in the file.
      rank: rankBy(timeOf(fields["created_at"], now), steps, issue.number / 100),
      ...(state === "done" && { evidence: textIn(fields, "close_reason") ?? null }),
      ...(state === "deferred" && until !== undefined && { held_back: `Deferred in beads until ${until}.` }),
    },
    changes: [issue.isPartById && PART_BY_ID],
    before: plan === LOOSE_PLAN ? planRecords({ id: plan, title, ...made }) : [],
    after: arranged.current === issue ? [projectHead(plan, madeOf({ created: now }, now))] : [],
  }
}

function epicRecord(issue: Issue, context: BeadsContext): SourceRecord {
  const { arranged, now } = context
  const { fields, name, id, state } = issue
  const made = madeOf({ created: fields["created_at"], updated: fields["updated_at"] }, now)
  const { line: title, whole } = titleOf({ title: textIn(fields, "title") ?? "", name })
  const isOver = arranged.isDone(issue)
  const { words } = arranged.waitsOf(issue)
  const ours =
    arranged.roleOf(issue) === "plan"
      ? planRecords({
          ...{ id, title, ...made, acceptance: criteriaOf(fields) },
          owned_by: shortTextIn(fields, 480, "owner"),
          status: isOver ? "archived" : "active",
          completed_at: isOver ? (knownTime(fields["closed_at"]) ?? knownTime(fields["updated_at"])) : null,
        })
      : [
          phaseRecord({
            ...{ id, title, ...made, parent_plan_id: arranged.placeOf(issue).plan },
            order: arranged.epics.filter((each) => arranged.roleOf(each) === "phase").indexOf(issue) + 1,
            status: isOver ? "completed" : state === "active" ? "active" : "planned",
          }),
        ]
  const texts = joined([whole, ...textsOf(fields), closeReason(fields)])
  const facts = [...factsOf(issue, context), ...waitLines(issue, context)].join("\n")
  // An epic that only has a type, a priority and an author gets no mem.
  const text = texts === "" && SAYS_NOTHING.test(facts) ? "" : joined([`${title}:`, texts, facts])
  const about = { tags: [name, ...tagsFrom(fields["labels"])], related_to: [id], fallback: made.created_at }
  return {
    from: placeOf(issue),
    records: [
      ...ours,
      ...textRecords("beads", text, { ...about, kind: "fact", created: fields["created_at"] }),
      ...notesOf(fields).flatMap((note) => textRecords("beads", note.text, { ...about, created: note.at })),
    ],
    note: noteOf(
      state === "done" && !isOver && "a closed epic with open tasks stays open",
      words.length > 0 && "a dependency that was not imported as a task is only named in the text",
      issue.isPartById && PART_BY_ID,
    ),
  }
}

function memRecord(issue: Issue, context: BeadsContext): SourceRecord {
  const { fields, id, name } = issue
  const { words } = context.arranged.waitsOf(issue)
  const facts = [...factsOf(issue, context), ...waitLines(issue, context)].join("\n")
  const content = joined([textIn(fields, "title"), ...textsOf(fields), closeReason(fields), facts])
  const tags = [name, ...tagsFrom(fields["labels"])]
  const kind =
    issue.type === "decision"
      ? ({ kind: "decision", shelf: "decisions", resolved: issue.state === "done" } as const)
      : ({ kind: "fact", shelf: "beads" } as const)
  const made = madeOf({ created: fields["created_at"] }, context.now)
  const about = { key: id, tags, fallback: made.created_at, related_to: [id] }
  return {
    from: placeOf(issue),
    records: [
      ...memRecords({ id, content, ...kind, tags: tagsFrom(["beads", ...tags]), ...made }),
      ...notesOf(fields).flatMap((note) => textRecords("beads", note.text, { ...about, created: note.at })),
    ],
    note: noteOf(
      words.length > 0 && "a dependency that was not imported as a task is only named in the text",
      issue.isPartById && PART_BY_ID,
    ),
  }
}

function textsOf(fields: Fields): (string | undefined)[] {
  const criteria = section("Acceptance criteria", fields["acceptance_criteria"])
  return [textIn(fields, "description"), criteria, section("Design", fields["design"])]
}

function closeReason(fields: Fields): string | undefined {
  const reason = textIn(fields, "close_reason")
  return reason === undefined ? undefined : `Closed: ${reason}`
}

function criteriaOf(fields: Fields): string[] {
  const lines = (textIn(fields, "acceptance_criteria") ?? "").split("\n")
  return listFrom(
    lines.map((line) => line.replace(/^\s*(?:[-*+]|\d+[.)])\s*(?:\[[ xX]\]\s*)?/, "")),
    2000,
  )
}

function notesOf(fields: Fields): Note[] {
  const notes = textIn(fields, "notes")
  const comments = Array.isArray(fields["comments"]) ? fields["comments"] : []
  return [
    ...(notes === undefined ? [] : [{ text: notes }]),
    ...comments.flatMap((each) => {
      const comment = objectFrom(each)
      const [text, author] = [textIn(comment, "text"), textIn(comment, "author")]
      if (text === undefined) return []
      return [{ text: author === undefined ? text : `${author}: ${text}`, at: comment?.["created_at"] }]
    }),
  ]
}

function factsOf(issue: Issue, { arranged, issues }: BeadsContext): string[] {
  const { fields, name, type, status, links } = issue
  const parent = arranged.parentOf(issue)?.name
  const own = STATES.has(status) ? "" : `; status ${status}`
  const others = links.filter(
    ({ type: kind, to }) => !WAITS.has(kind) && !(kind === "parent-child" && to === parent),
  )
  return [
    factLine(`${name} in beads: ${type}${own}`, fields, FACTS),
    ...others.map((link) => `${link.type}: ${withTitle(link.to, issues)}`),
    ...otherFields(fields, KNOWN_FIELDS),
  ]
}

function waitLines(issue: Issue, { arranged, issues }: BeadsContext): string[] {
  const { words } = arranged.waitsOf(issue)
  return words.map(({ name, why }) => `waits for ${withTitle(name, issues)} (not linked: ${why})`)
}

function withTitle(name: string, issues: ReadonlyMap<string, Issue>): string {
  return `${name} "${cutAt(textIn(issues.get(name)?.fields, "title") ?? "not in the file", 120)}"`
}

interface Issue extends JsonLine {
  name: string
  id: string
  type: string
  status: string
  state: WorkState | undefined
  parent: string | null
  /** True if the parent is only known from the id, such as `bd-a1.3`. */
  isPartById: boolean
  links: { type: string; to: string }[]
  updated: number
}

type Role = "plan" | "phase" | "task" | "mem"

function issueOf(line: JsonLine): Issue | undefined {
  const { fields } = line
  const name = textIn(fields, "id")
  if (name === undefined) return undefined
  const list = Array.isArray(fields["dependencies"]) ? fields["dependencies"] : []
  const links = list.flatMap((each) => {
    const link = objectFrom(each)
    const to = textIn(link, "depends_on_id")
    return to === undefined ? [] : { type: textIn(link, "type") ?? "blocks", to }
  })
  const status = textIn(fields, "status")?.toLowerCase() ?? "open"
  // A project can define its own statuses. An issue with such a status is done if it has a closing time.
  const isOver = !STATES.has(status) && textIn(fields, "closed_at") !== undefined
  return {
    ...{ ...line, name, status, links, isPartById: false },
    // Issues of two projects can have the same name, so the minute of creation is part of the id.
    id: derivedId("beads", name, minuteOf(fields["created_at"])),
    type: textIn(fields, "issue_type")?.toLowerCase() ?? "task",
    state: isOver ? "done" : STATES.get(status),
    parent: links.find(({ type }) => type === "parent-child")?.to ?? textIn(fields, "parent") ?? null,
    updated: Date.parse(textIn(fields, "updated_at") ?? "") || 0,
  }
}

/** Decides what each issue becomes: an epic a plan or phase, a decision a mem, any other issue a task or sub-task. */
function arrangeIssues(issues: ReadonlyMap<string, Issue>) {
  for (const issue of issues.values()) {
    const above = issue.name.replace(/\.\d+$/, "")
    if (issue.parent !== null || above === issue.name || !issues.has(above)) continue
    issue.parent = above
    issue.isPartById = true
  }
  for (const name of circularParents(issues)) (issues.get(name) as Issue).parent = null
  const roles = new Map<Issue, Role>()
  const above = (issue: Issue) => issues.get(issue.parent ?? "")
  const roleOf = (issue: Issue): Role => roles.get(issue) ?? "task"
  for (const issue of issues.values()) {
    const way: Issue[] = []
    for (let at: Issue | undefined = issue; at !== undefined && !roles.has(at); at = above(at)) way.push(at)
    for (const each of way.reverse()) {
      const parent = above(each)
      roles.set(each, ownRole(each, parent && roleOf(parent)))
    }
  }
  /** The parent of an issue; undefined if the parent becomes a mem. */
  const parentOf = (issue: Issue): Issue | undefined => {
    const parent = above(issue)
    return parent !== undefined && roleOf(parent) === "mem" ? undefined : parent
  }
  const parentsOf = (issue: Issue): Issue[] => {
    const parents: Issue[] = []
    for (let at = parentOf(issue); at !== undefined; at = parentOf(at)) parents.push(at)
    return parents
  }
  const withOpenWork = new Set<Issue>()
  for (const issue of issues.values())
    if (issue.state !== "done" && roleOf(issue) !== "mem")
      for (const each of parentsOf(issue)) withOpenWork.add(each)

  /** The dependencies of an issue. A task can depend on tasks and decisions; any other dependency becomes text (`words`). */
  function waitsOf(issue: Issue) {
    const words: { name: string; why: string }[] = []
    const waits = { tasks: [] as string[], decisions: [] as Issue[], words }
    for (const name of new Set(issue.links.filter(({ type }) => WAITS.has(type)).map(({ to }) => to))) {
      const other = issues.get(name)
      if (other === undefined) waits.words.push({ name, why: "not imported" })
      else if (roleOf(issue) === "task" && roleOf(other) === "task") waits.tasks.push(name)
      else if (roleOf(issue) === "task" && other.type === "decision") waits.decisions.push(other)
      else waits.words.push({ name, why: `a ${roleOf(issue)} cannot wait for a ${roleOf(other)}` })
    }
    return waits
  }

  const is = (...wanted: Role[]) => [...issues.values()].filter((issue) => wanted.includes(roleOf(issue)))
  const inProgress = is("task").filter(({ state }) => state === "active")
  return {
    epics: is("plan", "phase").sort((a, b) => parentsOf(a).length - parentsOf(b).length),
    mems: is("mem"),
    tasks: is("task"),
    roleOf,
    parentOf,
    waitsOf,
    isDone: (epic: Issue) => epic.state === "done" && !withOpenWork.has(epic),
    current: inProgress.sort((a, b) => b.updated - a.updated)[0],
    placeOf(issue: Issue): { plan: string; phase: string } {
      const parents = [issue, ...parentsOf(issue)]
      const plan = parents.find((each) => roleOf(each) === "plan")?.id ?? LOOSE_PLAN
      return { plan, phase: parents.find((each) => roleOf(each) === "phase")?.id ?? inboxIdOf(plan) }
    },
  }
}

function ownRole({ type, status }: Issue, above: Role | undefined): Role {
  if (type === "decision" || status === "pinned") return "mem"
  if (type !== "epic" && type !== "molecule") return "task"
  if (above === undefined || above === "mem") return "plan"
  return above === "task" ? "task" : "phase"
}

const LOOSE_PLAN = derivedId("beads", "without an epic")
const WAITS: ReadonlySet<string> = new Set(["blocks", "blocked-by", "waits-for"])
const STATES: ReadonlyMap<string, WorkState> = new Map(
  Object.entries({
    ...{ open: "planned", pinned: "planned", in_progress: "active", hooked: "active" },
    ...{ blocked: "blocked", deferred: "deferred", closed: "done" },
  }),
)
const PART_BY_ID = "an issue's parent is only known from the issue's id"
const AGENT_TYPES: ReadonlySet<string> = new Set("event agent role rig message slot convoy".split(" "))
const SAYS_NOTHING = /^\S+ in beads: [\w-]+(; priority \d)?(; created by [^;\n]+)?\.$/
const FACTS = {
  ...{ priority: "priority", labels: "labels", assignee: "assigned to", owner: "owned by" },
  ...{ created_by: "created by", due_at: "due", estimated_minutes: "minutes estimated" },
  ...{ external_ref: "elsewhere", spec_id: "spec" },
}
// Fields that are used above or that beads computes. All others are copied into the text.
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(FACTS),
  ...["_type", "id", "title", "description", "design", "acceptance_criteria", "notes", "status"],
  ...["issue_type", "created_at", "updated_at", "started_at", "closed_at", "close_reason", "defer_until"],
  "dependencies",
  ...["comments", "parent", "dependency_count", "dependent_count", "comment_count", "content_hash"],
  ...["source_repo", "work_type", "compaction_level", "original_size", "compacted_at", "compacted_at_commit"],
  ...["pinned", "deleted_at", "deleted_by", "delete_reason", "original_type"],
])
const USUAL_PRIORITY = 2
