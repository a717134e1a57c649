import { counted } from "../../shared/amounts.ts"
import { shorten } from "../../shared/text/clean.ts"
import type { TreeNode } from "./tree.ts"

/** The outcome of a finished branch in one line: `3 tasks done: A; B; C`. */
export function summaryOf(branch: TreeNode, reason: string | null): string {
  const tasks = tasksIn(branch)
  const titles = tasks.map(({ title, status }) => (status === "completed" ? title : `${title} (${status})`))
  const words = [reason ?? "", [outcome(tasks), titles.join("; ")].filter(Boolean).join(": ")]
  return shorten(words.filter(Boolean).join(" — "), MAX_LENGTH)
}

/** `3 tasks done`, or `3 tasks: 2 completed, 1 failed`. */
function outcome(tasks: TreeNode[]): string {
  const counts = new Map<string, number>()
  for (const { status } of tasks) counts.set(status, (counts.get(status) ?? 0) + 1)
  if (tasks.length === 0) return "no tasks"
  if (counts.get("completed") === tasks.length) return `${counted(tasks.length, "task")} done`
  const each = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([status, n]) => `${n} ${status}`)
  return `${counted(tasks.length, "task")}: ${each.join(", ")}`
}

function tasksIn({ children }: TreeNode): TreeNode[] {
  return children.flatMap((child) => (child.level === "task" ? [child, ...tasksIn(child)] : tasksIn(child)))
}

const MAX_LENGTH = 500
