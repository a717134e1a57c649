import type { ToolName } from "../shared/tool-names.ts"
import * as among from "./candidates.ts"

/** A description of an argument, with the values that the graph has for it. */
export interface ArgumentHelp {
  is: string
  among?: among.Candidates
}

/**
 * The arguments of all tools, by name; `tool.name` where tools differ, `list.name` inside of a list. Every argument that
 * an action requires has a line here.
 */
const ARGUMENTS: Readonly<Record<string, ArgumentHelp>> = {
  plan_id: { is: "the id of a plan", among: among.plans },
  task_id: { is: "the id of a task", among: among.tasks },
  origin_task_id: { is: "the id of the task that it came from", among: among.tasks },
  "tasks.parent_task_id": {
    is: "the task that it is a part of, or #0 for the first here",
    among: among.tasks,
  },
  "tasks.depends_on": { is: "ids of tasks, or #0 for the first here", among: among.tasks },
  "tasks.temporal_gate.after_task_id": {
    is: "the id of a task, or #0 for the first here",
    among: among.tasks,
  },
  "tasks.temporal_gate.reason": { is: "why it has to wait" },
  delegation_id: { is: "the id of a delegation", among: among.delegations },
  mem_id: { is: "the id of a mem", among: among.mems },
  from: { is: "the id of the mem to link", among: among.mems },
  "memory.to": { is: "the id of the mem, or of another record, that it belongs to", among: among.mems },
  supersedes: { is: "the id of the mem that it replaces", among: among.mems },
  parent_mem_id: { is: "the id of the mem that it is a part of", among: among.mems },
  conflict: { is: "the id of a conflict", among: among.conflicts },
  take: { is: "which side of the conflict counts" },
  key: { is: "the name of an anchor", among: among.anchors },
  value: { is: "the fact that the anchor holds" },
  session: { is: "the stamp or id of an earlier session", among: among.stamps },
  stamp: { is: "the stamp of a session or record", among: among.stamps },
  id: { is: "the id of any record, or the stamp of a session", among: among.tasks },
  "plan.depends_on": { is: "ids of plans that have to be done before", among: among.plans },
  intent: { is: "what the session is for, in a sentence" },
  level: { is: "trajectory for a plan, tactic for a phase, action for a task" },
  "session.content": { is: "the title of the plan, phase or task" },
  "memory.content": { is: "the one thing to keep, in a sentence" },
  title: { is: "what it is about, in a few words" },
  acceptance: { is: "how to see that the plan is done; [] where that is not known" },
  tasks: { is: "the tasks to add" },
  "tasks.title": { is: "what to do, in a few words" },
  "tasks.expected_output": { is: "what is there once the task is done" },
  "task.evidence": { is: "what shows that the task is done" },
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
