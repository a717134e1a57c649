import { basename, join } from "node:path"
import { inboxIdOf } from "../../graph/inbox.ts"
import { projectPath } from "../../project/project-path.ts"
import { derivedId, type Source } from "../../shared/ids.ts"
import { circularParents, freeNames } from "../records/dependency-order.ts"
import { lineFrom, type Made, madeOf, tagsFrom, textFrom, textIn } from "../records/fields.ts"
import { phaseRecord, planRecords, projectHead } from "../records/new-records.ts"
import type { NewRecord, SourceRecord } from "../records/report.ts"
import { dateOf, type Page, pagesIn, readConfig, type Section, sectionsOf } from "./backlog-pages.ts"
import {
  factLine,
  joined,
  MAX_TITLE,
  type Note,
  otherFields,
  rankBy,
  textRecords,
  type WorkItem,
  type WorkState,
  workRecords,
} from "./work-items.ts"

/** Reads Backlog.md: the project becomes a plan, milestones become phases, decisions and documents become mems. */
export async function* readBacklog(root: string, source: Source, dir: string): AsyncGenerator<SourceRecord> {
  const now = new Date(source.now()).toISOString()
  const { name, statuses, found } = await readConfig(root)
  const tasks = new Map<string, TaskPage>()
  yield* readTasks(root, statuses, tasks)
  const dates = [...tasks.values()].flatMap(({ fields }) => dateOf(fields["created_date"]) ?? [])
  // A project has no date, so it gets the date of its oldest task.
  const made = madeOf({ created: dates.sort()[0] }, now)
  const plan = derivedId("backlog", name)
  // Any of these records may be refused, so each brings the plan along. The plan is written once.
  const planOnly = planRecords({ id: plan, title: lineFrom(name, MAX_TITLE).line, ...made })
  if (found !== undefined) yield "records" in found ? { ...found, records: planOnly } : found

  const project: Project = { plan, planOnly, phases: new Map(), tasks, now, made }
  yield* pageRecords(root, "milestones", (page) => milestoneRecord(page, project))
  yield* pageRecords(root, "archive/milestones", (page) => milestoneRecord(page, project))
  // Tasks of the same day are ordered by their numbers.
  const byNumber = new Intl.Collator("en", { numeric: true }).compare
  const places = new Map([...tasks.keys()].sort(byNumber).map((key, at) => [key, at]))
  const items = [...tasks].map(([key, task]) => [key, workItem(task, project, places.get(key) ?? 0)] as const)
  yield* workRecords({ id: "backlog", name: "Backlog.md" }, new Map(items), now)
  yield* pageRecords(root, "decisions", (page) => decisionRecord(page, now))
  yield* pageRecords(root, "docs", (page) => documentRecord(page, root, dir, now))
}

async function* pageRecords(
  root: string,
  folder: string,
  read: (page: Page) => SourceRecord,
): AsyncGenerator<SourceRecord> {
  for await (const page of pagesIn(root, folder)) yield "fields" in page ? read(page) : page
}

interface Project {
  plan: string
  planOnly: NewRecord[]
  phases: Map<string, string>
  tasks: ReadonlyMap<string, TaskPage>
  now: string
  made: Made
}

interface TaskPage extends Page {
  id: string
  name: string
  /** True if another task has the same id: Backlog.md reuses the ids of archived tasks. */
  isSecond: boolean
  folder: (typeof TASK_FOLDERS)[number]
  state: WorkState | undefined
  parent: string | null
  waitsFor: string[]
}

async function* readTasks(
  root: string,
  statuses: readonly string[],
  tasks: Map<string, TaskPage>,
): AsyncGenerator<SourceRecord> {
  const free = freeNames()
  for (const folder of TASK_FOLDERS)
    for await (const page of pagesIn(root, folder)) {
      if (!("fields" in page)) {
        yield page
        continue
      }
      const { from, fields, body } = page
      const name = textIn(fields, "id")
      if (name === undefined) {
        yield { from, quarantine: "a task without an id", original: fields }
        continue
      }
      const first = tasks.get(keyOf(name))
      if (first?.body === body && first.fields["title"] === fields["title"]) {
        yield { from, ignore: "the same task is in another folder too" }
        continue
      }
      const key = free(keyOf(name))
      const parent = textIn(fields, "parent_task_id")
      const waits = [fields["dependencies"] ?? []].flat().flatMap((each) => textFrom(each) ?? [])
      tasks.set(key, {
        ...{ ...page, name, folder, isSecond: first !== undefined },
        id: derivedId("backlog", key, textIn(fields, "created_date") ?? ""),
        state: stateOf(textIn(fields, "status")?.toLowerCase() ?? "", folder, statuses),
        parent: parent === undefined ? null : keyOf(parent),
        waitsFor: [...new Set(waits.map(keyOf))],
      })
    }
  // A task without a parent field may have one by its number: 2.1 is a sub-task of 2.
  for (const [key, task] of tasks) {
    const above = key.replace(/\.\d+(#\d+)?$/, "")
    if (task.parent === null && above !== key && tasks.has(above)) task.parent = above
  }
  for (const key of circularParents(tasks)) (tasks.get(key) as TaskPage).parent = null
}

function keyOf(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/(?<=[^\d]|^)0+(?=\d)/g, "")
}

/** Converts a status. Projects define their own statuses, and the last one means done. */
function stateOf(word: string, folder: TaskPage["folder"], statuses: readonly string[]) {
  const isLast = statuses.length > 1 && word === statuses.at(-1)?.toLowerCase()
  const isFirst = word === statuses[0]?.toLowerCase()
  const known = STATE_WORDS.find(([words]) => words.test(word))?.[1]
  const state = known ?? (isLast ? "done" : isFirst ? "planned" : undefined)
  if (folder === "completed") return state === "dropped" ? state : "done"
  if (folder.startsWith("archive")) return state === "done" ? state : "dropped"
  return state
}

function workItem(task: TaskPage, project: Project, place: number): WorkItem {
  const { fields, name, folder, state, parent } = task
  const { plan, planOnly, phases, tasks, now, made } = project
  const milestone = milestoneOf(task, tasks)
  const known = milestone === undefined ? inboxIdOf(plan) : phases.get(milestone.toLowerCase())
  const phase = known ?? milestoneId(plan, milestone ?? "")
  // Older projects have no files for milestones, so the phase is created from the milestone's name.
  const phaseTitle = lineFrom(milestone ?? "", MAX_TITLE).line
  const ownPhase =
    known === undefined ? [phaseRecord({ id: phase, parent_plan_id: plan, title: phaseTitle, ...made })] : []
  const sections = sectionsOf(task.body)
  const [created, updated] = [dateOf(fields["created_date"]), dateOf(fields["updated_date"]) ?? null]
  const status = textIn(fields, "status") ?? ""
  const isArchived = folder.startsWith("archive")
  const isDone = state === "done"
  return {
    from: `${task.from} (${name})`,
    ...{ id: task.id, name, title: textIn(fields, "title") ?? "", plan, phase },
    ...{ parent, waitsFor: task.waitsFor, text: textsOf(sections), notes: notesOf(sections, isDone) },
    facts: [
      factLine(`${name} in Backlog.md: ${status === "" ? "without a status" : status}`, fields, FACTS),
      ...otherFields(fields, KNOWN_FIELDS),
    ],
    tags: tagsFrom(fields["labels"]),
    ...{ state, stateWord: status, created, updated, started: isDone ? null : updated, ended: updated },
    task: {
      rank: rankOf(task, created ?? made.created_at, made.created_at, place),
      ahead: folder === "drafts",
      evidence: isDone ? (sectionText(sections, SUMMARY) ?? null) : null,
      ...(state === "dropped" && { reason: `${isArchived ? "Archived" : "Given up"} in Backlog.md.` }),
    },
    changes: [task.isSecond && "two tasks have the same id: both were imported"],
    before: [...planOnly, ...ownPhase],
    after: state === "active" ? [projectHead(plan, madeOf({ created: now }, now))] : [],
  }
}

/** The sort key of a task: priority first, then its position on the board or else its age. Drafts come last. */
function rankOf({ fields, folder }: TaskPage, created: string, first: string, place: number): number {
  const steps =
    (PRIORITIES[textIn(fields, "priority")?.toLowerCase() ?? ""] ?? 0) + (folder === "drafts" ? 3 : 0)
  const ordinal = Number(fields["ordinal"] ?? Number.NaN)
  return Number.isFinite(ordinal) ? rankBy(first, steps, ordinal) : rankBy(created, steps, place)
}

function textsOf(sections: readonly Section[]): string[] {
  return sections
    .filter(({ title }) => !NOTES.has(title.toLowerCase()))
    .map(({ title, text }) => (title === "" || title === "Description" ? text : `${title}:\n${text}`))
}

function sectionText(sections: readonly Section[], name: string): string | undefined {
  return sections.find(({ title }) => title.toLowerCase() === name)?.text
}

function notesOf(sections: readonly Section[], isDone: boolean): Note[] {
  const names = ["implementation notes", ...(isDone ? [] : [SUMMARY])]
  const texts = names.flatMap((name) => sectionText(sections, name) ?? [])
  return [...texts.map((text) => ({ text })), ...commentsOf(sectionText(sections, "comments") ?? "")]
}

/** Splits a comments section. Each comment is a head with author and date, a line of dashes, and a text. */
function commentsOf(text: string): Note[] {
  const parts = text.replaceAll(/^\s*<!-- COMMENT:(BEGIN|END) -->\s*$/gm, "").split(/^---\s*$/m)
  const notes: Note[] = []
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [head = "", body = ""] = [parts[at], parts[at + 1]?.trim()]
    const author = /^author:\s*(.+)$/m.exec(head)?.[1]?.trim()
    const date = dateOf(/^created:\s*'?(.+?)'?\s*$/m.exec(head)?.[1])
    if (body !== "") notes.push({ text: author === undefined ? body : `${author}: ${body}`, at: date })
  }
  return notes.length === 0 && text !== "" ? [{ text }] : notes
}

function milestoneRecord({ from, fields, body }: Page, project: Project): SourceRecord {
  const { plan, planOnly, phases, tasks, made } = project
  const name = textIn(fields, "id") ?? basename(from, ".md")
  const title = textIn(fields, "title") ?? name
  const id = milestoneId(plan, name)
  const names = [name, title].map((each) => each.toLowerCase())
  for (const each of names) phases.set(each, id)
  const isArchived = from.startsWith("archive")
  const isOpenHere = (task: TaskPage) =>
    task.state !== "done" &&
    task.state !== "dropped" &&
    names.includes(milestoneOf(task, tasks)?.toLowerCase() ?? "")
  const hasOpenTasks = [...tasks.values()].some(isOpenHere)
  const phase = phaseRecord({
    ...{ id, parent_plan_id: plan, title: lineFrom(title, MAX_TITLE).line, order: phases.size, ...made },
    status: isArchived && !hasOpenTasks ? "completed" : "planned",
  })
  const due = textIn(fields, "due_date")
  // Backlog.md writes `Milestone: <title>` if a milestone has no description.
  const said = sectionsOf(body).flatMap(({ text }) => (text === `Milestone: ${title}` ? [] : text))
  const own = [...said, ...(due === undefined ? [] : [`Due ${due}`])]
  const text = own.length === 0 ? "" : joined([`${name} "${title}":`, ...own])
  const about = { tags: [name], created: undefined, fallback: made.created_at, related_to: [id] }
  return {
    from: `${from} (${name})`,
    records: [...planOnly, phase, ...textRecords("backlog", text, { ...about, kind: "fact" })],
    note: isArchived && hasOpenTasks ? "an archived milestone with open tasks stays open" : undefined,
  }
}

function milestoneId(plan: string, name: string): string {
  return derivedId("backlog", "milestone", plan, name.toLowerCase())
}

/** The milestone of a task or of its nearest ancestor that has one. */
function milestoneOf(task: TaskPage, tasks: ReadonlyMap<string, TaskPage>): string | undefined {
  for (let at: TaskPage | undefined = task; at !== undefined; at = tasks.get(at.parent ?? "")) {
    const milestone = textIn(at.fields, "milestone")
    if (milestone !== undefined) return milestone
  }
  return undefined
}

function decisionRecord({ from, fields, body }: Page, now: string): SourceRecord {
  const name = textIn(fields, "id") ?? basename(from, ".md")
  const said = textIn(fields, "status")?.toLowerCase() ?? "proposed"
  const text = joined(sectionsOf(body).map(({ title, text }) => (title === "" ? text : `${title}: ${text}`)))
  const content = joined([textIn(fields, "title") ?? name, text, `${name} in Backlog.md: ${said}.`])
  const records = textRecords("backlog", content, {
    ...{ key: name, tags: [name, ...tagsFrom(fields["tags"])], fallback: now },
    created: dateOf(fields["date"] ?? fields["created_date"]),
    ...{ kind: "decision", shelf: "decisions", resolved: said !== "proposed", ...NOT_IN_FORCE[said] },
  })
  return { from: `${from} (${name})`, records }
}

/** A mem with the path of a document, or with its text if the file is outside of the project. */
function documentRecord({ from, fields, body }: Page, root: string, dir: string, now: string): SourceRecord {
  const path = projectPath(dir, join(root, from))
  const title = textIn(fields, "title") ?? basename(from, ".md")
  const name = textIn(fields, "id") ?? title
  const what = `Document "${title}" (${textIn(fields, "type") ?? "other"})`
  const content = path === undefined ? joined([`${what}, ${name} in Backlog.md:`, body]) : `${what}: ${path}`
  const records = textRecords("backlog", content, {
    ...{ key: from, tags: [name, ...tagsFrom(fields["tags"])], fallback: now, kind: "fact" },
    created: dateOf(fields["created_date"]),
  })
  return { from, records }
}

const TASK_FOLDERS = ["tasks", "completed", "drafts", "archive/tasks", "archive/drafts"] as const
const SUMMARY = "final summary"
const NOTES: ReadonlySet<string> = new Set(["implementation notes", SUMMARY, "comments"])
const STATE_WORDS: readonly (readonly [RegExp, WorkState])[] = [
  [/cancel|won.?t|reject|abandon|duplicate|obsolete/, "dropped"],
  [/^(done|complete|completed|closed|finished|resolved|shipped|released|merged)$/, "done"],
  [/progress|doing|started|^wip$|^active$/, "active"],
  [/review|testing|^qa$|verif/, "review"],
  [/block|hold|waiting/, "blocked"],
  [/^(to ?do|backlog|open|new|planned|ready|draft)$/, "planned"],
]
const PRIORITIES: Readonly<Record<string, number>> = {
  ...{ critical: -2, highest: -2, high: -1, low: 1, lowest: 2 },
}
const NOT_IN_FORCE: Readonly<Record<string, { status: "superseded" | "invalidated"; reason: string }>> = {
  superseded: { status: "superseded", reason: "Superseded in Backlog.md." },
  deprecated: { status: "superseded", reason: "Deprecated in Backlog.md." },
  rejected: { status: "invalidated", reason: "Rejected in Backlog.md." },
}
const FACTS = {
  ...{ type: "type", priority: "priority", labels: "labels", assignee: "assigned to" },
  ...{ reporter: "reported by", due_date: "due", references: "references" },
  ...{ documentation: "documentation", modified_files: "files" },
}
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(FACTS),
  ...["id", "title", "status", "created_date", "updated_date", "milestone", "dependencies"],
  ...["parent_task_id", "subtasks", "ordinal"],
])
