import { ALL } from "../graph/indexes.ts"
import { isOpenTask, isTaskUnderWay, isWaitingTask } from "../graph/lifecycle.ts"
import { openConflicts } from "../graph/open-conflicts.ts"
import { headOf } from "../graph/read-head.ts"
import { first } from "../graph/record-map.ts"
import type { GraphState } from "../graph/state.ts"
import { statusesWhere, tasksIn } from "../graph/tasks-in.ts"
import type { Hive } from "../hive/hive.ts"
import { shortId } from "../shared/ids.ts"
import { shorten } from "../shared/text/clean.ts"
import { callText, type ToolName } from "../shared/tool-names.ts"

/** Lists values from the graph that an argument could have, the most likely first. */
interface Candidates {
  /** The heading of the list, in the plural: "Open plans". */
  name: string
  /** The text if there are no values. */
  none: string
  list(state: GraphState, session: string): string[]
}

export function candidateText({ name, none, list }: Candidates, hive: Hive, session: string): string {
  const found = list(hive.store.read().state, session).slice(0, MAX_LISTED)
  return found.length === 0 ? none : `${name}: ${found.join(", ")}.`
}

const plans: Candidates = {
  name: "Open plans",
  none: `No plan is open; create one with ${callText("plan", "create")}.`,
  list(state) {
    const open = [...state.plan.by("status", "active"), ...state.plan.by("status", "draft")]
    const work = open.filter(({ purpose }) => purpose === "work")
    return work.sort(byUpdate).map(titled)
  },
}

const tasks: Candidates = {
  name: "Open tasks",
  none: `No task is open; add tasks with ${callText("plan", "plan_tasks")}.`,
  list(state, session) {
    const here = headOf(state, session)?.active_plan_id
    const near = here ? first(MAX_LISTED, tasksIn(state, "plan", here, isOpenTask)) : []
    const rest = [isTaskUnderWay, isWaitingTask].flatMap(statusesWhere)
    const others = rest.flatMap((status) => first(MAX_LISTED, state.task.by("status", status)))
    return [...new Set([...near, ...others])].map(titled)
  },
}

const delegations: Candidates = {
  name: "Open delegations",
  none: "No delegation is open.",
  list: ({ delegation, task }) =>
    first(MAX_LISTED, delegation.by("open", ALL)).map(({ id, task_id, to_agent }) =>
      titled({ id, title: task.get(task_id)?.title ?? "", status: to_agent }),
    ),
}

const mems: Candidates = {
  name: "The newest mems",
  none: `There are no mems yet; save one with ${callText("memory", "save")}.`,
  list: ({ mem }) =>
    first(MAX_LISTED, mem.by("in_force", ALL).backwards()).map(({ id, content, kind }) =>
      titled({ id, title: content, status: kind }),
    ),
}

const conflicts: Candidates = {
  name: "Open conflicts",
  none: "No conflict is open.",
  list: (state) => openConflicts(state).map(({ id, kind, rule }) => `${shortId(id)} (${kind}, ${rule})`),
}

const anchors: Candidates = {
  name: "Anchors",
  none: `There are no anchors yet; save one with ${callText("anchor", "save")}.`,
  list: ({ anchor }) => first(MAX_LISTED, anchor.by("kept", ALL)).map(({ key }) => `“${key}”`),
}

const stamps: Candidates = {
  name: "The latest sessions",
  none: "There is no session yet.",
  list: ({ session }) =>
    [...session.values()]
      .sort(byUpdate)
      .map(({ stamp, intent }) => `${stamp} “${shorten(intent ?? "", MAX_TITLE)}”`),
}

export function titled({ id, title, status }: { id: string; title: string; status: string }): string {
  return `${shortId(id)} “${shorten(title, MAX_TITLE)}” (${status})`
}

function byUpdate(a: { updated_at: string }, b: { updated_at: string }): number {
  return b.updated_at.localeCompare(a.updated_at)
}

const MAX_LISTED = 5
const MAX_TITLE = 60

interface ArgumentHelp {
  is: string
  among?: Candidates
}

/** Describes all required arguments. Keys: the name, `tool.name` if tools differ, `list.name` for a list's items. */
const ARGUMENTS: Readonly<Record<string, ArgumentHelp>> = {
  plan_id: { is: "the id of a plan", among: plans },
  task_id: { is: "the id of a task", among: tasks },
  origin_task_id: { is: "the id of the task that it came from", among: tasks },
  "tasks.parent_task_id": { is: "the task that it is a part of, or #0 for the first here", among: tasks },
  "tasks.depends_on": { is: "ids of tasks, or #0 for the first here", among: tasks },
  "tasks.temporal_gate.after_task_id": { is: "the id of a task, or #0 for the first here", among: tasks },
  "tasks.temporal_gate.reason": { is: "why it has to wait" },
  delegation_id: { is: "the id of a delegation", among: delegations },
  mem_id: { is: "the id of a mem", among: mems },
  from: { is: "the id of the mem to link", among: mems },
  "memory.to": { is: "the id of the mem, or of another record, that it belongs to", among: mems },
  supersedes: { is: "the id of the mem that it replaces", among: mems },
  parent_mem_id: { is: "the id of the mem that it is a part of", among: mems },
  conflict: { is: "the id of a conflict", among: conflicts },
  take: { is: "which side of the conflict counts" },
  key: { is: "the name of an anchor", among: anchors },
  value: { is: "the fact that the anchor holds" },
  session: { is: "the id or stamp (digits of its time) of an earlier session", among: stamps },
  stamp: {
    is: "the stamp of a session or record: the digits of its time, as in 301411022026",
    among: stamps,
  },
  id: { is: "the id of any record, or the stamp of a session", among: tasks },
  "plan.depends_on": { is: "ids of plans that have to be done first", among: plans },
  intent: { is: "what the session is for, in a sentence" },
  level: { is: "trajectory for a plan, tactic for a phase, action for a task" },
  "session.content": { is: "the title of the plan, phase or task" },
  "memory.content": { is: "the one thing to keep, in a sentence" },
  title: { is: "what it is about, in a few words" },
  acceptance: { is: "how to see that the plan is done; [] if that is not known" },
  tasks: { is: "the tasks to add, each with title and expected_output" },
  "tasks.title": { is: "what to do, in a few words" },
  "tasks.expected_output": { is: "the result that exists once the task is done" },
  "task.evidence": { is: "proof that the task is done" },
  "memory.evidence": { is: "where it can be seen: path or path:line" },
  reason: { is: "why, in a sentence" },
  "delegate.to": { is: "the agent that is to do it, such as hive-executor" },
  question: { is: "what to find out" },
  query: { is: "words to look for" },
  command: { is: "the shell command to run" },
}

export function argumentHelp(tool: ToolName, name: string): ArgumentHelp | undefined {
  return ARGUMENTS[`${tool}.${name}`] ?? ARGUMENTS[name]
}
