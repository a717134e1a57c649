import type { Task } from "../../schemas/task.ts"
import { derivedId } from "../../shared/ids.ts"
import { lineFrom, madeOf, piecesOf, tagsFrom, timeOf } from "../fields.ts"
import type { Taken } from "../found.ts"
import { memTaken, taskTaken } from "./records.ts"

/** A piece of work of another tool, in our words. */
export interface WorkItem {
  id: string
  /** What the tool calls it, such as `bd-42`: people look for it by that. */
  name: string
  title: string
  /** What is to come of it, and what else the tool says of it. */
  text: readonly (string | undefined)[]
  /** What was written about it on the way; each becomes a mem. */
  notes: readonly Remark[]
  tags: readonly string[]
  plan: string
  phase: string
  parent: string | null
  task: Partial<
    Pick<Task, "status" | "evidence" | "reason" | "held_back" | "ahead" | "depends_on" | "decisions">
  > & {
    rank?: number | null
    started_at?: string | null
    completed_at?: string | null
  }
  created: unknown
  updated?: unknown
}

export interface Remark {
  text: string
  /** When it was written, where that is known. */
  at?: unknown
}

/** The task of a piece of work, with a mem for each remark, and what had to be changed to make it fit. */
export function takeWork(tool: string, item: WorkItem, now: string): { take: Taken[]; changes: string[] } {
  const changes: string[] = []
  const made = madeOf({ created: item.created, updated: item.updated }, now)
  const { line: title, whole } = titleOf(item)
  if (item.title.trim() === "") changes.push("a title was missing: it is called by its id")
  if (knownTime(item.created) === null) changes.push("it says no date: that of the import stands in")
  if (whole !== undefined) changes.push("a long title was cut; all of it stands in the task's text")
  const [expected_output, ...more] = piecesOf(joined([whole, ...item.text]), MAX_CONTENT)
  if (more.length > 0)
    changes.push("a long text was divided; what did not fit into the task is in mems of it")
  const task = taskTaken({
    ...item.task,
    id: item.id,
    parent_plan_id: item.plan,
    parent_phase_id: item.phase,
    parent_task_id: item.parent,
    title,
    expected_output,
    ...made,
  })
  const remarks = [...more.map((text) => ({ text })), ...item.notes]
  const mems = remarks.flatMap((remark) => takeRemark(tool, item, remark, made.created_at))
  return { take: [task, ...mems], changes }
}

/** People and agents know it by its name there, so that stands in the title; whole where not all of the title fits. */
export function titleOf({ title, name }: { title: string; name: string }): ReturnType<typeof lineFrom> {
  const text = title.trim() === "" ? name : title
  const suffix = text.includes(name) ? "" : ` (${name})`
  const { line, whole } = lineFrom(text, MAX_TITLE - suffix.length)
  return { line: `${line}${suffix}`, whole }
}

function takeRemark(
  tool: string,
  { id, name, tags }: WorkItem,
  { text, at }: Remark,
  created: string,
): Taken[] {
  return takeText(tool, text, { tags: [name, ...tags], created: at, fallback: created, origin_task_id: id })
}

interface About {
  /** Tells it from the same text elsewhere; what it is about, where nothing is given. */
  key?: string
  tags: readonly string[]
  created: unknown
  fallback: string
  kind?: "insight" | "fact" | "decision"
  shelf?: string
  resolved?: boolean | null
  origin_task_id?: string
  related_to?: string[]
}

/** A text as a mem, or as several where it is long; each belongs to the first. */
export function takeText(tool: string, text: string, about: About): Taken[] {
  const { key, tags, created, fallback, ...rest } = about
  if (text.trim() === "") return []
  const made = madeOf({ created }, fallback)
  const owner = key ?? about.origin_task_id ?? about.related_to?.[0] ?? ""
  const pieces = piecesOf(text, MAX_CONTENT)
  // Not by the time that stands in for one that is not known: each reading has another.
  const ids = pieces.map((piece) => derivedId(tool, "text", owner, minuteOf(created), piece))
  return pieces.map((content, index) =>
    memTaken({
      shelf: tool,
      ...rest,
      id: ids[index] ?? "",
      parent_mem_id: index === 0 ? null : (ids[0] ?? null),
      content,
      tags: tagsFrom([tool, ...tags]),
      ...made,
    }),
  )
}

/** A moment that a tool has written down; null where it has none. */
export function knownTime(value: unknown): string | null {
  return timeOf(value, "") || null
}

/**
 * A moment as a part of an id; empty where there is none. Not to the second: versions of a tool write the same moment in
 * other zones and with other fractions.
 */
export function minuteOf(created: unknown): string {
  return timeOf(created, "").slice(0, "2026-05-04T08:00".length)
}

/** Paragraphs of what is there. */
export function joined(parts: readonly (string | undefined)[]): string {
  return parts.flatMap((part) => (part === undefined || part.trim() === "" ? [] : part.trim())).join("\n\n")
}

/**
 * The place of a task by its importance: one step is ten years, so that of two tasks the more important one comes first,
 * whenever they were made. 0 is the usual importance.
 */
export function rankBy(created: string, stepsBack: number): number | null {
  return stepsBack === 0 ? null : Date.parse(created) + stepsBack * STEP_MS
}

// Below those of the schemas: a masked secret may be longer than the secret was.
const MAX_TITLE = 480
const MAX_CONTENT = 95_000
const STEP_MS = 10 * 365 * 24 * 3_600_000
