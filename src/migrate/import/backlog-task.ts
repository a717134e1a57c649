import type { Task } from "../../schemas/task.ts"
import { tagsFrom, textFrom } from "../fields.ts"
import type { Taken } from "../found.ts"
import { type Section, sectionsOf } from "./front-matter.ts"
import type { Node } from "./order.ts"
import { headTaken } from "./records.ts"
import { type Remark, rankBy, takeWork } from "./work-item.ts"

type Fields = Record<string, unknown>
export type Folder = "tasks" | "completed" | "drafts" | "archive/tasks" | "archive/drafts"

/** A task of Backlog.md as its file has it. */
export interface TaskPage extends Node {
  id: string
  name: string
  /** Another one has its id: ids are given again when a task was archived. */
  isSecond: boolean
  fields: Fields
  body: string
  folder: Folder
  from: string
  parent: string | null
}

interface Around {
  plan: string
  phase: string
  tasks: ReadonlyMap<string, TaskPage>
  /** What it no longer waits for, because that ran in a circle. */
  left: ReadonlySet<string>
  /** Those of the project, in their order. */
  statuses: readonly string[]
  now: string
  /** When the oldest task was made. */
  first: string
  /** Among the others, by number: many dates have days only. */
  place: number
}

export function takeTask(task: TaskPage, around: Around): { take: Taken[]; note?: string } {
  const { fields, name } = task
  const { plan, phase, tasks, left, statuses, now, first } = around
  const waits = task.waitsFor.flatMap((key) => (left.has(key) ? [] : (tasks.get(key) ?? [])))
  const missing = task.waitsFor.filter((key) => !tasks.has(key))
  const isWaiting = waits.some((other) => standingOf(other, statuses) !== "completed")
  const standing = standingOf(task, statuses)
  const sections = sectionsOf(task.body)
  const created = dateOf(fields["created_date"])
  const updated = dateOf(fields["updated_date"])
  const words = [
    ...[...left].map((key) => `waits for ${key} (in words only: they waited for each other in a circle)`),
    ...missing.map((key) => `waits for ${key} (in words only: there is no such task)`),
  ]
  const { take, changes } = takeWork(
    "backlog",
    {
      id: task.id,
      name,
      title: textFrom(fields["title"]) ?? "",
      text: [...textsOf(sections), [factsOf(task), ...words].join("\n")],
      notes: remarksOf(sections, standing === "completed"),
      tags: tagsFrom(fields["labels"]),
      plan,
      phase,
      parent: tasks.get(task.parent ?? "")?.id ?? null,
      created,
      updated,
      task: {
        ...fieldsOf(standing, task, isWaiting, updated ?? null),
        evidence: standing === "completed" ? (sectionText(sections, SUMMARY) ?? null) : null,
        depends_on: waits.map(({ id }) => id),
        rank: rankOf(task, created ?? first, first, around.place),
      },
    },
    now,
  )
  const notes = [
    ...changes,
    ...(task.isSecond ? ["another task has its id: taken beside that"] : []),
    ...(left.size === 0
      ? []
      : ["dependencies ran in a circle: one was left out, and stands in the task's text"]),
    ...(missing.length === 0 ? [] : ["a dependency on a task that is not there stands in the text"]),
    ...(standing === "unknown"
      ? [`the status "${textFrom(fields["status"]) ?? ""}" is not known: taken as not begun`]
      : []),
  ]
  const head = standing === "active" ? [headTaken(plan, now)] : []
  return { take: [...take, ...head], ...(notes.length === 0 ? {} : { note: notes.join("; ") }) }
}

/** Names that differ in case or in leading zeros only are one. */
export function nameOf(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/(?<=[^\d]|^)0+(?=\d)/g, "")
}

export function waitsOf(fields: Fields): Node {
  const list = Array.isArray(fields["dependencies"]) ? fields["dependencies"] : []
  const parent = textFrom(fields["parent_task_id"])
  return {
    parent: parent === undefined ? null : nameOf(parent),
    waitsFor: [...new Set(list.flatMap((each) => textFrom(each) ?? []).map(nameOf))],
  }
}

/** A date of theirs, which is in UTC, as a time; undefined where there is none. */
export function dateOf(value: unknown): string | undefined {
  const text = textFrom(value) ?? ""
  const [, year, month, day, time] = /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d:\d\d))?/.exec(text) ?? []
  const [, oldDay, oldMonth, oldYear] = /^(\d\d)[-/.](\d\d)[-/.](\d\d)$/.exec(text) ?? []
  const ms =
    year === undefined
      ? Date.parse(`20${oldYear}-${oldMonth}-${oldDay}T00:00Z`)
      : Date.parse(`${year}-${month}-${day}T${time ?? "00:00"}Z`)
  return Number.isFinite(ms) ? new Date(ms).toISOString() : undefined
}

export function isOpen(task: TaskPage, statuses: readonly string[]): boolean {
  const standing = standingOf(task, statuses)
  return standing !== "completed" && standing !== "invalidated"
}

type Standing = Task["status"] | "unknown"

/** Projects name their statuses themselves; the last one of their list is the end. */
function standingOf({ fields, folder }: TaskPage, statuses: readonly string[]): Standing {
  const status = textFrom(fields["status"])?.toLowerCase() ?? ""
  const isLast = statuses.length > 1 && status === statuses.at(-1)?.toLowerCase()
  const found = WORDS.find(([words]) => words.test(status))?.[1]
  const own: Standing =
    found ?? (isLast ? "completed" : status === statuses[0]?.toLowerCase() ? "planned" : "unknown")
  if (folder === "completed") return own === "invalidated" ? own : "completed"
  if (folder.startsWith("archive")) return own === "completed" ? own : "invalidated"
  return own
}

function fieldsOf(
  standing: Standing,
  { folder }: TaskPage,
  isWaiting: boolean,
  at: string | null,
): Partial<Task> {
  const ahead = folder === "drafts"
  switch (standing) {
    case "completed":
      return { status: standing, completed_at: at }
    case "invalidated":
      return {
        status: standing,
        reason: folder.startsWith("archive") ? "Archived in Backlog.md." : "Given up in Backlog.md.",
      }
    case "active":
    case "review":
      return { status: standing, started_at: at, ahead }
    case "blocked":
      return { status: standing, held_back: isWaiting ? null : "Blocked in Backlog.md.", ahead }
    default:
      return { status: isWaiting ? "blocked" : "planned", ahead }
  }
}

/** By importance, then where people have put it on their board; else by age and number, drafts last. */
function rankOf({ fields, folder }: TaskPage, created: string, first: string, place: number): number {
  const steps =
    (PRIORITIES[textFrom(fields["priority"])?.toLowerCase() ?? ""] ?? 0) + (folder === "drafts" ? 3 : 0)
  const ordinal = Number(fields["ordinal"] ?? Number.NaN)
  const isPlaced = Number.isFinite(ordinal)
  const from = isPlaced ? first : created
  return (rankBy(from, steps) ?? Date.parse(from)) + (isPlaced ? ordinal : place)
}

function textsOf(sections: readonly Section[]): string[] {
  return sections
    .filter(({ title }) => !REMARKS.has(title.toLowerCase()))
    .map(({ title, text }) => (title === "" || title === "Description" ? text : `${title}:\n${text}`))
}

function sectionText(sections: readonly Section[], name: string): string | undefined {
  return sections.find(({ title }) => title.toLowerCase() === name)?.text
}

/** Notes and comments. */
function remarksOf(sections: readonly Section[], isDone: boolean): Remark[] {
  const notes = sectionText(sections, "implementation notes")
  const summary = isDone ? undefined : sectionText(sections, SUMMARY)
  return [
    ...(notes === undefined ? [] : [{ text: notes }]),
    ...(summary === undefined ? [] : [{ text: summary }]),
    ...commentsOf(sectionText(sections, "comments") ?? ""),
  ]
}

/** By turns a head with author and date, and a text, each closed by a line of dashes. */
function commentsOf(text: string): Remark[] {
  const parts = text.replaceAll(/^\s*<!-- COMMENT:(BEGIN|END) -->\s*$/gm, "").split(/^---\s*$/m)
  const remarks: Remark[] = []
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [head = "", body = ""] = [parts[at], parts[at + 1]?.trim()]
    const author = /^author:\s*(.+)$/m.exec(head)?.[1]?.trim()
    const date = dateOf(/^created:\s*'?(.+?)'?\s*$/m.exec(head)?.[1])
    if (body !== "") remarks.push({ text: author === undefined ? body : `${author}: ${body}`, at: date })
  }
  return remarks.length === 0 && text !== "" ? [{ text }] : remarks
}

function factsOf({ name, fields }: TaskPage): string {
  const say = (words: string, field: string) => {
    const value = fields[field]
    const text = Array.isArray(value) ? value.map(String).join(", ") : textFrom(value)
    return text === undefined || text === "" ? [] : [`${words} ${text}`]
  }
  const facts = [
    `${name} in Backlog.md: ${textFrom(fields["status"]) ?? "without a status"}`,
    ...say("type", "type"),
    ...say("priority", "priority"),
    ...say("labels", "labels"),
    ...say("assigned to", "assignee"),
    ...say("reported by", "reporter"),
    ...say("due", "due_date"),
    ...say("references", "references"),
    ...say("documentation", "documentation"),
    ...say("files", "modified_files"),
  ]
  const others = Object.entries(fields).filter(([name, value]) => !KNOWN_FIELDS.has(name) && !isEmpty(value))
  const also = others.length === 0 ? [] : [`Also: ${JSON.stringify(Object.fromEntries(others))}`]
  return [`${facts.join("; ")}.`, ...also].join("\n")
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0)
}

const SUMMARY = "final summary"
const REMARKS: ReadonlySet<string> = new Set(["implementation notes", SUMMARY, "comments"])
const WORDS: readonly (readonly [RegExp, Standing])[] = [
  [/cancel|won.?t|reject|abandon|duplicate|obsolete/, "invalidated"],
  [/^(done|complete|completed|closed|finished|resolved|shipped|released|merged)$/, "completed"],
  [/progress|doing|started|^wip$|^active$/, "active"],
  [/review|testing|^qa$|verif/, "review"],
  [/block|hold|waiting/, "blocked"],
  [/^(to ?do|backlog|open|new|planned|ready|draft)$/, "planned"],
]
const PRIORITIES: Readonly<Record<string, number>> = {
  critical: -2,
  highest: -2,
  high: -1,
  low: 1,
  lowest: 2,
}
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ..."id title status assignee reporter created_date updated_date due_date labels milestone dependencies".split(
    " ",
  ),
  ..."references documentation modified_files parent_task_id subtasks priority type ordinal".split(" "),
])
