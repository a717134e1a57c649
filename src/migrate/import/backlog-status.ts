import type { Task } from "../../schemas/task.ts"
import { textFrom } from "../fields.ts"
import type { TaskPage } from "./backlog-task-page.ts"

export function isOpen(task: TaskPage, statuses: readonly string[]): boolean {
  const standing = standingOf(task, statuses)
  return standing !== "completed" && standing !== "invalidated"
}

export type Standing = Task["status"] | "unknown"

/** Projects name their statuses themselves; the last one of their list is the end. */
export function standingOf({ fields, folder }: TaskPage, statuses: readonly string[]): Standing {
  const status = textFrom(fields["status"])?.toLowerCase() ?? ""
  const isLast = statuses.length > 1 && status === statuses.at(-1)?.toLowerCase()
  const found = WORDS.find(([words]) => words.test(status))?.[1]
  const own: Standing =
    found ?? (isLast ? "completed" : status === statuses[0]?.toLowerCase() ? "planned" : "unknown")
  if (folder === "completed") return own === "invalidated" ? own : "completed"
  if (folder.startsWith("archive")) return own === "completed" ? own : "invalidated"
  return own
}

export function fieldsOf(
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

const WORDS: readonly (readonly [RegExp, Standing])[] = [
  [/cancel|won.?t|reject|abandon|duplicate|obsolete/, "invalidated"],
  [/^(done|complete|completed|closed|finished|resolved|shipped|released|merged)$/, "completed"],
  [/progress|doing|started|^wip$|^active$/, "active"],
  [/review|testing|^qa$|verif/, "review"],
  [/block|hold|waiting/, "blocked"],
  [/^(to ?do|backlog|open|new|planned|ready|draft)$/, "planned"],
]
