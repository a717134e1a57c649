import { byAge } from "../../graph/by-age.ts"
import { isUnplanned } from "../../graph/inbox.ts"
import { ALL } from "../../graph/indexes.ts"
import { isGivenUpTask, isOpenTask, isTaskUnderWay } from "../../graph/lifecycle.ts"
import { headOf, intentOf, sessionOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import { statusesWhere } from "../../graph/tasks-in.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Task } from "../../schemas/task.ts"
import { counted } from "../../shared/amounts.ts"
import { shortId } from "../../shared/ids.ts"
import type { Pausing } from "../../shared/slices.ts"
import { merge } from "../../shared/sorting.ts"
import { shorten } from "../../shared/text/clean.ts"
import { duration } from "../../shared/time.ts"
import { refreshQueue } from "../../watch/validation.ts"
import { gapToNow, lastStepOf, severityOf } from "../hierarchy/gaps.ts"
import { foldable, growTree, type Tree } from "../hierarchy/tree.ts"
import { countsOf } from "../status.ts"
import { firstOf, recordDescriber } from "./deep.ts"

/** Describes the session's position in the plans, and the work and records that need attention. */
export function* inspectScan(hive: Hive, session: string | null) {
  const { state, problems } = hive.store.read()
  const now = hive.source.now()
  const head = headOf(state, session)
  const intent = intentOf(state, head)
  const tree = yield* growTree(state, head)
  const attention = yield* needsAttention(state, tree, now)
  const describe = recordDescriber(state, () => false)
  const list = (lines: string[]) => firstOf(lines, MAX_LISTED)
  const underWay = [...state.delegation.by("open", ALL)]
  return {
    session: sessionOf(state, session)?.stamp ?? null,
    intent: intent === null ? null : short(intent),
    place: tree.path.map(({ level, id }) => describe(level, id)),
    counts: countsOf(state, hive.store.archive.size()),
    look: list(attention),
    open_decisions: list(
      Array.from(state.mem.by("undecided", ALL), ({ id, content }) => `${shortId(id)} ${short(content)}`),
    ),
    delegations: list(
      underWay.map(
        ({ id, task_id, to_agent, status }) =>
          `${shortId(id)} to ${short(to_agent)} (${status}): ${describe("task", task_id)}`,
      ),
    ),
    refresh: list(
      refreshQueue(state, now).map(
        ({ kind, id, title, stale_at }) =>
          `${shortId(id)} ${kind} "${short(title)}" ${staleness(stale_at, now)}`,
      ),
    ),
    problems: list(problems.map(({ level, file, reason }) => `${level}: ${file}: ${short(reason)}`)),
  }
}

function staleness(stale_at: string, now: number): string {
  const ms = Date.parse(stale_at) - now
  return ms > 0 ? `goes stale in ${duration(ms)}` : `stale for ${duration(-ms)}`
}

const short = (text: string): string => shorten(text, MAX_TEXT)

function* needsAttention(state: GraphState, tree: Tree, now: number): Pausing<string[]> {
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

/** Tasks under way without activity for hours. The task at the read-head is left out, because `longPause` covers it. */
function quietTasks(state: GraphState, tree: Tree, now: number): string[] {
  const here = tree.path.at(-1)?.id
  return statusesWhere(isTaskUnderWay)
    .flatMap((status) => [...state.task.by("status", status)])
    .filter((task) => task.id !== here && !isUnplanned(task))
    .map((task) => ({ task, quiet: now - Date.parse(lastStepOf(state, task)) }))
    .filter(({ quiet }) => severityOf(quiet) === "stale")
    .map(({ task, quiet }) => `${nameOf(task)} is ${task.status}, without activity for ${duration(quiet)}`)
}

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
    ...(files.length === 0
      ? []
      : [`documents that have changed: ${files.map(({ path }) => path).join(", ")}`]),
  ]
}

function foldableBranches(state: GraphState, tree: Tree): string[] {
  const count = foldable(state, tree).length
  return count === 0 ? [] : [`${counted(count, "finished branch", "finished branches")} can be pruned`]
}

const nameOf = ({ id, title }: Task): string => `${shortId(id)} "${shorten(title, MAX_TITLE)}"`

const MAX_LISTED = 5
const MAX_TEXT = 120
const MAX_TITLE = 60
const MAX_LINE = 160
const PAUSE_EVERY = 500
