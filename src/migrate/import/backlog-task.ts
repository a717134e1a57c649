import { tagsFrom, textFrom } from "../fields.ts"
import type { Taken } from "../found.ts"
import { fieldsOf, standingOf } from "./backlog-status.ts"
import { dateOf, type TaskPage } from "./backlog-task-page.ts"
import { factsOf, remarksOf, SUMMARY, sectionText, textsOf } from "./backlog-words.ts"
import { sectionsOf } from "./front-matter.ts"
import { headTaken } from "./records.ts"
import { rankBy, takeWork } from "./work-item.ts"

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

/** By importance, then where people have put it on their board; else by age and number, drafts last. */
function rankOf({ fields, folder }: TaskPage, created: string, first: string, place: number): number {
  const steps =
    (PRIORITIES[textFrom(fields["priority"])?.toLowerCase() ?? ""] ?? 0) + (folder === "drafts" ? 3 : 0)
  const ordinal = Number(fields["ordinal"] ?? Number.NaN)
  const isPlaced = Number.isFinite(ordinal)
  const from = isPlaced ? first : created
  return (rankBy(from, steps) ?? Date.parse(from)) + (isPlaced ? ordinal : place)
}

const PRIORITIES: Readonly<Record<string, number>> = {
  critical: -2,
  highest: -2,
  high: -1,
  low: 1,
  lowest: 2,
}
