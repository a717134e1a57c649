import type { Task } from "../../schemas/task.ts"
import { counted, duration } from "../../shared/amounts.ts"
import type { GraphState } from "../graph/state.ts"
import { gapToNow, severityOf } from "../hierarchy/gaps.ts"
import { isOpenTask } from "../hierarchy/over.ts"
import { foldable } from "../hierarchy/prune.ts"
import type { Tree } from "../hierarchy/tree.ts"
import { plainLine, shorten } from "../pack/escape.ts"
import { shortId } from "../pack/item.ts"

/** What is stale, stuck or should be seen to, the nearest first; each in a line. */
export function needsLook(state: GraphState, tree: Tree, now: number): string[] {
  return [
    ...longPause(tree, now),
    ...quietTasks(state, now),
    ...hopelessTasks(state),
    ...unsureKnowledge(state),
    ...standingBranches(state),
  ].map((line) => shorten(plainLine(line), MAX_LINE))
}

function longPause(tree: Tree, now: number): string[] {
  const gap = gapToNow(tree, now)
  if (gap === null || gap.severity === "healthy") return []
  return [`${duration(gap.ms)} since the newest step on this path (${gap.severity})`]
}

/** Taken up, and then no sign of life. */
function quietTasks(state: GraphState, now: number): string[] {
  const last = new Map<string, string>()
  for (const { task_id, created_at } of state.checkpoint.values()) {
    if (created_at > (last.get(task_id) ?? "")) last.set(task_id, created_at)
  }
  return [...state.task.values()]
    .filter(({ status }) => status === "active" || status === "review")
    .map((task) => {
      const signs = [task.updated_at, last.get(task.id) ?? task.updated_at]
      return { task, quiet: now - Math.max(...signs.map((at) => Date.parse(at))) }
    })
    .filter(({ quiet }) => severityOf(quiet) === "stale")
    .map(({ task, quiet }) => `${nameOf(task)} is ${task.status}, quiet for ${duration(quiet)}`)
}

/** Waiting for what will not come by itself. */
function hopelessTasks(state: GraphState): string[] {
  return [...state.task.values()].flatMap((task) => {
    const statusOf = (id: string) => state.task.get(id)?.status ?? "not there"
    const over = task.depends_on.find((id) => OVER.has(statusOf(id)))
    if (over === undefined || !isOpenTask(task.status)) return []
    return [`${nameOf(task)} waits for ${shortId(over)}, which is ${statusOf(over)}`]
  })
}

function unsureKnowledge(state: GraphState): string[] {
  const anchors = [...state.anchor.values()].filter(({ status }) => status === "stale")
  const files = [...state.artifact.values()].filter(({ status }) => status === "changed")
  return [
    ...(anchors.length === 0 ? [] : [`stale anchors: ${anchors.map(({ key }) => key).join(", ")}`]),
    ...(files.length === 0 ? [] : [`files changed since noted: ${files.map(({ path }) => path).join(", ")}`]),
  ]
}

function standingBranches(state: GraphState): string[] {
  const count = foldable(state).length
  return count === 0 ? [] : [`${counted(count, "finished branch", "finished branches")} can be pruned`]
}

function nameOf({ id, title }: Task): string {
  return `${shortId(id)} "${shorten(title, MAX_TITLE)}"`
}

const OVER = new Set(["not there", "failed", "invalidated"])
const MAX_TITLE = 60
const MAX_LINE = 160
