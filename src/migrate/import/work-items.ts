import type { Task } from "../../schemas/task.ts"
import { derivedId } from "../../shared/ids.ts"
import { type Node, orderWork } from "../records/dependency-order.ts"
import {
  cutAt,
  type Fields,
  lineFrom,
  madeOf,
  noteOf,
  piecesOf,
  tagsFrom,
  textFrom,
  timeOf,
} from "../records/fields.ts"
import { memRecords, taskRecord } from "../records/new-records.ts"
import type { NewRecord, SourceRecord } from "../records/report.ts"

export interface WorkItem extends Node {
  from: string
  id: string
  name: string
  title: string
  text: readonly (string | undefined)[]
  /** Lines for the task's text, about fields that HiveMind's tasks do not have. */
  facts: readonly string[]
  /** Dependencies that HiveMind cannot store as links. They are written into the task's text. */
  words?: readonly { name: string; why: string }[]
  notes: readonly Note[]
  tags: readonly string[]
  plan: string
  phase: string
  state: WorkState | undefined
  stateWord: string
  /** True if the item waits for something that is not a task. */
  isWaiting?: boolean
  started?: string | null
  ended?: string | null
  created: unknown
  updated?: unknown
  task: Partial<Pick<Task, "evidence" | "reason" | "held_back" | "ahead" | "decisions">> & { rank: number }
  changes?: readonly (string | false)[]
  before?: readonly NewRecord[]
  after?: readonly NewRecord[]
}

export type WorkState = "planned" | "active" | "review" | "done" | "blocked" | "deferred" | "dropped"

export interface Note {
  text: string
  at?: unknown
}

export interface Tool {
  id: string
  name: string
}

/** Converts tasks to source records, each after its parent and dependencies. Of circular dependencies, one is dropped. */
export function* workRecords(
  tool: Tool,
  items: ReadonlyMap<string, WorkItem>,
  now: string,
): Generator<SourceRecord> {
  const { order, notWaitedFor } = orderWork(items)
  for (const key of order) {
    const item = items.get(key)
    if (item !== undefined) yield workRecord(tool, item, items, notWaitedFor.get(key) ?? new Set(), now)
  }
}

function workRecord(
  { id: tool, name: toolName }: Tool,
  item: WorkItem,
  items: ReadonlyMap<string, WorkItem>,
  notWaitedFor: ReadonlySet<string>,
  now: string,
): SourceRecord {
  const waits = item.waitsFor.flatMap((key) => (notWaitedFor.has(key) ? [] : (items.get(key) ?? [])))
  const left = [...notWaitedFor].flatMap((key) => items.get(key) ?? [])
  const circles = left.filter((other) => !isPartOf(other, item, items))
  const nameOf = ({ name, title }: WorkItem) => `${name} "${cutAt(title, MAX_NAMED)}"`
  const words = [
    ...left.map((other) => ({ name: nameOf(other), why: circles.includes(other) ? CIRCLE : PART })),
    ...item.waitsFor.flatMap((name) => (items.has(name) ? [] : { name, why: "there is no such task" })),
    ...(item.words ?? []),
  ]
  const facts = [...item.facts, ...words.map(({ name, why }) => `waits for ${name} (not linked: ${why})`)]
  const { line: title, whole } = titleOf(item)
  const [expected_output, ...more] = piecesOf(joined([whole, ...item.text, facts.join("\n")]), MAX_CONTENT)
  const made = madeOf({ created: item.created, updated: item.updated }, now)
  const task = taskRecord({
    ...{ id: item.id, title, expected_output, ...made },
    ...{ parent_plan_id: item.plan, parent_phase_id: item.phase },
    parent_task_id: items.get(item.parent ?? "")?.id ?? null,
    ...stateFields(toolName, item, item.isWaiting === true || waits.some(({ state }) => state !== "done")),
    ...item.task,
    depends_on: waits.map(({ id }) => id),
  })
  const about = { tags: [item.name, ...item.tags], fallback: made.created_at, origin_task_id: item.id }
  const notes = [...more.map((text): Note => ({ text })), ...item.notes]
  const mems = notes.flatMap(({ text, at }) => textRecords(tool, text, { ...about, created: at }))
  return {
    from: item.from,
    records: [...(item.before ?? []), task, ...mems, ...(item.after ?? [])],
    note: noteOf(
      item.title.trim() === "" && "a task had no title: its id is used",
      knownTime(item.created) === null && "a task had no date: the date of the import is used",
      whole !== undefined && "a long title was cut; the whole title is in the task's text",
      more.length > 0 && "a long text was split: its beginning is in the task, the rest in mems of the task",
      circles.length > 0 &&
        "dependencies form a circle: one of them is not linked and only named in the task's text",
      words.length > circles.length &&
        "a dependency that was not imported as a task is only named in the text",
      item.state === undefined && `the unknown status "${item.stateWord}" counts as planned`,
      ...(item.changes ?? []),
    ),
  }
}

function isPartOf(other: WorkItem, item: WorkItem, items: ReadonlyMap<string, WorkItem>): boolean {
  for (let at = items.get(other.parent ?? ""); at !== undefined; at = items.get(at.parent ?? ""))
    if (at === item) return true
  return false
}

function stateFields(
  tool: string,
  { state, started = null, ended = null }: WorkItem,
  isWaiting: boolean,
): Partial<Task> {
  switch (state) {
    case "done":
      return { status: "completed", started_at: started, completed_at: ended }
    case "dropped":
      return { status: "invalidated", reason: `Cancelled in ${tool}.` }
    case "active":
    case "review":
      return { status: state, started_at: started }
    case "deferred":
      return { status: "blocked", held_back: `Deferred in ${tool}.` }
    case "blocked":
      return { status: "blocked", held_back: isWaiting ? null : `Blocked in ${tool}.` }
    default:
      return { status: isWaiting ? "blocked" : "planned" }
  }
}

export function titleOf({ title, name }: { title: string; name: string }): ReturnType<typeof lineFrom> {
  const text = title.trim() === "" ? name : title
  const suffix = text.includes(name) ? "" : ` (${name})`
  const { line, whole } = lineFrom(text, MAX_TITLE - suffix.length)
  return { line: `${line}${suffix}`, whole }
}

interface About extends Partial<Omit<Parameters<typeof memRecords>[0], "id" | "content" | "tags">> {
  /** Tells equal texts apart, as part of the mem's id. By default, the id of the task or record that the text belongs to. */
  key?: string
  tags: readonly (string | undefined)[]
  created: unknown
  fallback: string
}

export function textRecords(
  tool: string,
  content: string,
  { key, tags, created, fallback, ...rest }: About,
): NewRecord[] {
  if (content.trim() === "") return []
  const owner = key ?? rest.origin_task_id ?? rest.related_to?.[0] ?? ""
  // The id leaves out `fallback`, which is the time of the import and differs in every run.
  const id = derivedId(tool, "text", owner, minuteOf(created), content)
  const mem = { shelf: tool, id, ...madeOf({ created }, fallback), ...rest, content }
  return memRecords({ ...mem, tags: tagsFrom([tool, ...tags]) })
}

export function knownTime(value: unknown): string | null {
  return timeOf(value, "") || null
}

/** Cuts a time to the minute, as part of an id: versions of a tool write one time with different precision. */
export function minuteOf(created: unknown): string {
  return timeOf(created, "").slice(0, "2026-05-04T08:00".length)
}

export function joined(parts: readonly (string | undefined)[]): string {
  return parts.flatMap((part) => (part === undefined || part.trim() === "" ? [] : part.trim())).join("\n\n")
}

/** A paragraph with a heading, or undefined if the field is empty. */
export function section(heading: string, value: unknown): string | undefined {
  const text = Array.isArray(value) ? value.map((each) => `- ${String(each)}`).join("\n") : textFrom(value)
  return text === undefined || text === "" ? undefined : `${heading}:\n${text}`
}

/** Short fields as one line: `bd-42 in beads: bug; priority 1; assigned to ada.` */
export function factLine(first: string, fields: Fields, names: Readonly<Record<string, string>>): string {
  const facts = Object.entries(names).flatMap(([field, words]) => {
    const value = fields[field]
    const text = Array.isArray(value) ? value.map(String).join(", ") : textFrom(value)
    return text === undefined || text === "" ? [] : [`${words} ${text}`]
  })
  return `${[first, ...facts].join("; ")}.`
}

/** Copies unknown fields into one line of JSON, so that they are not lost. */
export function otherFields(fields: Fields, known: ReadonlySet<string>): string[] {
  const isEmpty = (value: unknown) =>
    value === null || value === "" || (Array.isArray(value) && value.length === 0)
  const others = Object.entries(fields).filter(([name, value]) => !known.has(name) && !isEmpty(value))
  return others.length === 0 ? [] : [`Also: ${JSON.stringify(Object.fromEntries(others))}`]
}

/** The sort key of a task in ms. A step of priority is ten years, so priority counts more than age. */
export function rankBy(created: string, steps: number, place: number): number {
  return Date.parse(created) + steps * STEP_MS + place
}

const CIRCLE = "the dependencies form a circle"
const PART = "it is a sub-task of this task"
// Less than the limits of the schemas, because masking a secret can make the text longer.
export const MAX_TITLE = 480
const MAX_CONTENT = 95_000
const MAX_NAMED = 120
const STEP_MS = 10 * 365 * 24 * 3_600_000
