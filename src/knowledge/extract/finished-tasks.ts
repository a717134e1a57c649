import { isDoneTask } from "../../graph/lifecycle.ts"
import { memIndex } from "../../graph/mem-map.ts"
import { sessionOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import type { Task } from "../../schemas/task.ts"
import { derivedId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { HOUR_MS } from "../../shared/time.ts"
import { existsIn } from "../../work/task/evidence.ts"
import { memByRule } from "../memory/by-rule.ts"
import { addOnce, knownMems } from "./add-once.ts"

/**
 * Makes a mem of every completed task that has none yet, whoever completed it. Only recent tasks count: the mem of an
 * older one would be stale at once.
 */
export async function extractFinishedTasks(hive: Hive, caller: Caller): Promise<Mem[]> {
  const { store, source, config, dir } = hive
  const { state } = store.read()
  const hours = Math.min(config.stale_after_hours, MAX_AGE_HOURS)
  const oldest = new Date(source.now() - hours * HOUR_MS).toISOString()
  const finished: Task[] = []
  for (const task of state.task.values()) {
    if (!isDoneTask(task) || task.completed_at === null || task.completed_at <= oldest) continue
    // The result of a report's task is the report itself.
    if (!hasMem(state, task) && task.purpose !== "report") finished.push(task)
  }
  if (finished.length === 0) return []
  const files = filesOf(state, finished, dir)
  const isKnown = knownMems(hive)
  const mems = finished
    .filter((task) => !isTrivial(task, files.get(task.id) ?? []) && !isKnown(idOf(task)))
    .sort((a, b) => (a.completed_at ?? "").localeCompare(b.completed_at ?? "") || a.id.localeCompare(b.id))
    .slice(0, MAX_AT_ONCE)
    .map((task) => memOf(task, state, files.get(task.id) ?? [], config.stale_after_hours))
  return addOnce(hive, caller, mems)
}

/** A cheap check for the usual case: the task has its mem. */
function hasMem(state: GraphState, { id, completed_at }: Task): boolean {
  for (const mem of memIndex(state.mem).byTask.get(id) ?? [])
    if (mem.origin === "finished_task" && mem.created_at === completed_at) return true
  return false
}

function memOf(task: Task, state: GraphState, files: string[], staleAfterHours: number): Mem {
  const { title, evidence, assigned_session_id } = task
  return memByRule(
    {
      id: idOf(task),
      shelf: SHELF,
      origin: "finished_task",
      kind: "fact",
      content: shorten(evidence === null ? title : `${title}: ${evidence}`, MAX_CHARS),
      session_id: assigned_session_id,
      stamp: sessionOf(state, assigned_session_id)?.stamp ?? task.stamp,
      origin_task_id: task.id,
      evidence: files,
    },
    task.completed_at ?? task.updated_at,
    staleAfterHours,
  )
}

/** A task that is completed again after an undo gets another mem. */
function idOf({ id, completed_at }: Task): string {
  return derivedId("finished task", id, completed_at ?? "")
}

/** A task without files and with two words of evidence says nothing but its title, and the plan has that. */
function isTrivial({ evidence }: Task, files: string[]): boolean {
  return files.length === 0 && (evidence ?? "").trim().split(/\s+/).length < MIN_WORDS
}

function filesOf(state: GraphState, tasks: Task[], dir: string): Map<string, string[]> {
  const files = new Map<string, string[]>(tasks.map(({ id }) => [id, []]))
  for (const { task_id, path } of state.artifact.values())
    if (task_id !== null && existsIn(dir, path)) files.get(task_id)?.push(path)
  return files
}

const SHELF = "done"
const MAX_AGE_HOURS = 30 * 24
// A project that is opened for the first time may have many; the rest follow on later turns.
const MAX_AT_ONCE = 20
const MAX_CHARS = 400
const MIN_WORDS = 4
