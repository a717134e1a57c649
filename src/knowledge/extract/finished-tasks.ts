import { isUnplanned } from "../../graph/inbox.ts"
import { ALL } from "../../graph/indexes.ts"
import { memsBy } from "../../graph/mems-by.ts"
import { sessionOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import type { Task } from "../../schemas/task.ts"
import { derivedId } from "../../shared/ids.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { shorten } from "../../shared/text/clean.ts"
import { HOUR_MS } from "../../shared/time.ts"
import { existsIn } from "../../work/task/evidence.ts"
import { MAX_EVIDENCE, memByRule } from "../memory/by-rule.ts"
import { addOnce, knownMems } from "./add-once.ts"

/**
 * Makes a mem of every completed task that has none yet, whoever completed it. Only recent tasks count: the mem of an
 * older one would be stale at once.
 */
export async function extractFinishedTasks(hive: Hive, caller: Caller): Promise<Mem[]> {
  const finished = await runInSlices(newlyFinished(hive))
  const { state } = hive.store.read()
  const mems = finished.map(({ task, files }) => memOf(task, state, files, hive.config.stale_after_hours))
  return addOnce(hive, caller, mems)
}

/** Those to make mems of, the first that were completed. */
function* newlyFinished(hive: Hive): Pausing<{ task: Task; files: string[] }[]> {
  const { store, source, config, dir } = hive
  const hours = Math.min(config.stale_after_hours, MAX_AGE_HOURS)
  const oldest = new Date(source.now() - hours * HOUR_MS).toISOString()
  const { state } = store.read()
  const isKnown = knownMems(hive)
  const found: { task: Task; files: string[] }[] = []
  let count = 0
  // The index has the last completed first. What is written during a pause is left to the next turn.
  for (const task of completedSince(state, oldest)) {
    if (++count % PAUSE_EVERY === 0) yield
    // The result of a report's task is the report itself.
    if (hasMem(state, task) || task.purpose === "report" || isUnplanned(task)) continue
    const files = filesOf(state, task, dir)
    if (!isTrivial(task, files) && !isKnown(idOf(task))) found.push({ task, files })
  }
  return found.reverse().slice(0, MAX_AT_ONCE)
}

function completedSince(state: GraphState, oldest: string): Task[] {
  const found: Task[] = []
  for (const task of state.task.by("completed", ALL).backwards()) {
    if (task.completed_at === null || task.completed_at <= oldest) break
    found.push(task)
  }
  return found
}

/** A cheap check for the usual case: the task has its mem. */
function hasMem(state: GraphState, { id, completed_at }: Task): boolean {
  for (const mem of memsBy(state, "origin_task_id", id))
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
      branch: task.branch,
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

/** As many of its files as a mem names. */
function filesOf(state: GraphState, { id }: Task, dir: string): string[] {
  const files: string[] = []
  for (const { path } of state.artifact.by("task_id", id)) {
    if (files.length >= MAX_EVIDENCE) break
    if (existsIn(dir, path)) files.push(path)
  }
  return files
}

const SHELF = "done"
const MAX_AGE_HOURS = 30 * 24
// A project that is opened for the first time may have many; the rest follow on later turns.
const MAX_AT_ONCE = 20
const MAX_CHARS = 400
const MIN_WORDS = 4
const PAUSE_EVERY = 100
