import { byAge } from "../../graph/by-age.ts"
import { isGivenUpTask, isOpenTask, isTaskUnderWay } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import { statusesWhere } from "../../graph/tasks-in.ts"
import type { Task } from "../../schemas/task.ts"
import { counted } from "../../shared/amounts.ts"
import { shortId } from "../../shared/ids.ts"
import { merge } from "../../shared/merge.ts"
import type { Pausing } from "../../shared/slices.ts"
import { shorten } from "../../shared/text/clean.ts"
import { duration } from "../../shared/time.ts"
import { gapToNow, lastStepOf, severityOf } from "../hierarchy/gaps.ts"
import { foldable } from "../hierarchy/prune.ts"
import type { Tree } from "../hierarchy/tree.ts"

/** What is stale, stuck or due, the nearest to the read-head first, one line each. */
export function* needsAttention(state: GraphState, tree: Tree, now: number): Pausing<string[]> {
  return [
    ...longPause(yield* gapToNow(state, tree, now)),
    ...quietTasks(state, tree, now),
    ...(yield* stuckTasks(state)),
    ...outdatedKnowledge(state),
    ...foldableBranches(state, tree),
  ].map((line) => shorten(line, MAX_LINE))
}

function longPause(gap: { ms: number; severity: string } | null): string[] {
  if (gap === null || gap.severity === "healthy") return []
  return [`${duration(gap.ms)} since the last step here (${gap.severity})`]
}

/** Tasks under way without a step for long; the one at the read-head is covered by `longPause`. */
function quietTasks(state: GraphState, tree: Tree, now: number): string[] {
  const here = tree.path.at(-1)?.id
  return statusesWhere(isTaskUnderWay)
    .flatMap((status) => [...state.task.by("status", status)])
    .filter((task) => task.id !== here)
    .map((task) => ({ task, quiet: now - Date.parse(lastStepOf(state, task)) }))
    .filter(({ quiet }) => severityOf(quiet) === "stale")
    .map(({ task, quiet }) => `${nameOf(task)} is ${task.status}, quiet for ${duration(quiet)}`)
}

/** Tasks that wait for one that is missing or given up. */
function* stuckTasks(state: GraphState): Pausing<string[]> {
  const found: string[] = []
  let count = 0
  const open = statusesWhere(isOpenTask).map((status) => state.task.by("status", status).snapshot())
  for (const task of merge(open, byAge)) {
    if (++count % PAUSE_EVERY === 0) yield
    const never = task.depends_on.find((id) => !state.task.has(id) || isGivenUpTask(state.task.get(id)))
    if (never === undefined) continue
    const status = state.task.get(never)?.status ?? "not there"
    found.push(`${nameOf(task)} waits for ${shortId(never)}, which is ${status}`)
  }
  return found
}

function outdatedKnowledge(state: GraphState): string[] {
  const anchors = [...state.anchor.values()].filter(({ status }) => status === "stale")
  const files = [...state.artifact.values()].filter(({ status }) => status === "changed")
  return [
    ...(anchors.length === 0 ? [] : [`stale anchors: ${anchors.map(({ key }) => key).join(", ")}`]),
    ...(files.length === 0 ? [] : [`files changed since noted: ${files.map(({ path }) => path).join(", ")}`]),
  ]
}

function foldableBranches(state: GraphState, tree: Tree): string[] {
  const count = foldable(state, tree).length
  return count === 0 ? [] : [`${counted(count, "finished branch", "finished branches")} can be pruned`]
}

function nameOf({ id, title }: Task): string {
  return `${shortId(id)} "${shorten(title, MAX_TITLE)}"`
}

const MAX_TITLE = 60
const MAX_LINE = 160
const PAUSE_EVERY = 500
