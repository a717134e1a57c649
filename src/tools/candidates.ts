import { standingConflicts } from "../graph/conflict-standing.ts"
import { ALL } from "../graph/indexes.ts"
import { isOpenTask, isTaskUnderWay, isWaitingTask } from "../graph/lifecycle.ts"
import { headOf } from "../graph/read-head.ts"
import { first } from "../graph/record-map.ts"
import { statusesWhere, tasksIn } from "../graph/tasks-in.ts"
import type { Hive } from "../hive/hive.ts"
import { shortId } from "../shared/ids.ts"
import { shorten } from "../shared/text/clean.ts"
import { callText } from "../shared/tool-names.ts"

/** The values that the graph has for an argument, the likeliest first. */
export interface Candidates {
  /** The name of these records, in the plural. */
  name: string
  /** Said where there is none. */
  none: string
  list(hive: Hive, session: string): string[]
}

export function candidateText({ name, none, list }: Candidates, hive: Hive, session: string): string {
  const found = list(hive, session)
  return found.length === 0 ? none : `${name}: ${found.join(", ")}.`
}

export const plans: Candidates = {
  name: "Open plans",
  none: `No plan is open; ${callText("plan", "create")} makes one.`,
  list(hive, session) {
    const { state } = hive.store.read()
    const here = headOf(state, session)?.active_plan_id
    const open = [...state.plan.by("status", "active"), ...state.plan.by("status", "draft")]
    const latest = open.filter(({ purpose }) => purpose === "work").sort(byUpdate)
    const own = latest.filter(({ id }) => id === here)
    return first(MAX_LISTED, new Set([...own, ...latest])).map(titled)
  },
}

export const tasks: Candidates = {
  name: "Open tasks",
  none: `No task is open; ${callText("plan", "plan_tasks")} adds some.`,
  list(hive, session) {
    const { state } = hive.store.read()
    const here = headOf(state, session)?.active_plan_id
    const near = here ? first(MAX_LISTED, tasksIn(state, "plan", here, isOpenTask)) : []
    const rest = [isTaskUnderWay, isWaitingTask].flatMap(statusesWhere)
    const others = rest.flatMap((status) => first(MAX_LISTED, state.task.by("status", status)))
    return first(MAX_LISTED, new Set([...near, ...others])).map(titled)
  },
}

export const delegations: Candidates = {
  name: "Open delegations",
  none: "No delegation is open.",
  list(hive) {
    const { state } = hive.store.read()
    return first(MAX_LISTED, state.delegation.by("open", ALL)).map(({ id, task_id, to_agent }) =>
      titled({ id, title: state.task.get(task_id)?.title ?? "", status: to_agent }),
    )
  },
}

export const mems: Candidates = {
  name: "The newest mems",
  none: `There are no mems yet; ${callText("memory", "save")} makes one.`,
  list: (hive) =>
    first(MAX_LISTED, hive.store.read().state.mem.by("in_force", ALL).backwards()).map(
      ({ id, content, kind }) => titled({ id, title: content, status: kind }),
    ),
}

export const conflicts: Candidates = {
  name: "Open conflicts",
  none: "No conflict is open.",
  list: (hive) =>
    first(MAX_LISTED, standingConflicts(hive.store.read().state)).map(
      ({ id, kind, rule }) => `${shortId(id)} (${kind}, ${rule})`,
    ),
}

export const anchors: Candidates = {
  name: "Anchors",
  none: `There are no anchors yet; ${callText("anchor", "save")} makes one.`,
  list: (hive) =>
    first(MAX_LISTED, hive.store.read().state.anchor.by("kept", ALL)).map(({ key }) => `“${key}”`),
}

export const stamps: Candidates = {
  name: "The latest sessions",
  none: "There is no session yet.",
  list: (hive) =>
    first(MAX_LISTED, [...hive.store.read().state.session.values()].sort(byUpdate)).map(
      ({ stamp, intent }) => `${stamp} “${shorten(intent ?? "", MAX_TITLE)}”`,
    ),
}

/** A record as an error or a reply names it. */
export function titled({ id, title, status }: { id: string; title: string; status: string }): string {
  return `${shortId(id)} “${shorten(title, MAX_TITLE)}” (${status})`
}

function byUpdate(a: { updated_at: string }, b: { updated_at: string }): number {
  return b.updated_at.localeCompare(a.updated_at)
}

const MAX_LISTED = 5
const MAX_TITLE = 60
