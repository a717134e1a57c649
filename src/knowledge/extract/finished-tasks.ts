import { isUnplanned } from "../../graph/inbox.ts"
import { ALL } from "../../graph/indexes.ts"
import { findSameText, memsBy } from "../../graph/mem-status.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import type { Task } from "../../schemas/task.ts"
import { derivedId } from "../../shared/ids.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import { shorten } from "../../shared/text/clean.ts"
import { HOUR_MS } from "../../shared/time.ts"
import { existsIn } from "../../work/task/evidence.ts"
import { addOnce, knownMems, MAX_EVIDENCE, memByRule } from "../memory/by-rule.ts"

/** Makes a mem of each recently completed task. Older tasks are left out, because their mems would expire at once. */
export async function extractFinishedTasks(hive: Hive, caller: Caller): Promise<Mem[]> {
  return addOnce(hive, caller, await runInSlices(memsOfFinished(hive)))
}

/** Returns the new mems, oldest first. A task completed during a pause gets its mem on the next turn. */
function* memsOfFinished(hive: Hive): Pausing<Mem[]> {
  const { store, source, config, dir } = hive
  const hours = Math.min(config.stale_after_hours, MAX_AGE_HOURS)
  const oldest = new Date(source.now() - hours * HOUR_MS).toISOString()
  const { state } = store.read()
  const isKnown = knownMems(hive)
  const mems: Mem[] = []
  let count = 0
  for (const task of completedSince(state, oldest)) {
    if (++count % PAUSE_EVERY === 0) yield
    // A report task needs no mem: its result is kept as the session's report.
    if (hasMem(state, task) || task.purpose === "report" || isUnplanned(task)) continue
    const files = filesOf(state, task, dir)
    if (isTrivial(task, files)) continue
    const mem = memOf(hive, task, files)
    // Duplicates are left out here, because they would use up `MAX_AT_ONCE` on every turn.
    if (!isKnown(mem.id) && findSameText(state, mem) === undefined) mems.push(mem)
  }
  return mems.reverse().slice(0, MAX_AT_ONCE)
}

function completedSince(state: GraphState, oldest: string): Task[] {
  const found: Task[] = []
  for (const task of state.task.by("completed", ALL).backwards()) {
    if (task.completed_at === null || task.completed_at <= oldest) break
    found.push(task)
  }
  return found
}

function hasMem(state: GraphState, { id, completed_at }: Task): boolean {
  for (const mem of memsBy(state, "origin_task_id", id))
    if (mem.origin === "finished_task" && mem.created_at === completed_at) return true
  return false
}

/** True if a task has no files and hardly any evidence. Its mem would repeat the title, which the plan already has. */
function isTrivial({ evidence }: Task, files: string[]): boolean {
  return files.length === 0 && (evidence ?? "").trim().split(/\s+/).length < MIN_WORDS
}

function memOf(hive: Hive, task: Task, files: string[]): Mem {
  const { id, title, evidence, assigned_session_id, completed_at } = task
  return memByRule(hive, completed_at ?? task.updated_at, {
    // A task that is completed again after an undo gets another mem.
    id: derivedId("finished task", id, completed_at ?? ""),
    shelf: "done",
    origin: "finished_task",
    kind: "fact",
    content: shorten(evidence === null ? title : `${title}: ${evidence}`, MAX_CHARS),
    session_id: assigned_session_id,
    stamp: task.stamp,
    origin_task_id: id,
    evidence: files,
    branch: task.branch,
  })
}

function filesOf(state: GraphState, { id }: Task, dir: string): string[] {
  const files: string[] = []
  for (const { path } of state.artifact.by("task_id", id)) {
    if (files.length >= MAX_EVIDENCE) break
    if (existsIn(dir, path)) files.push(path)
  }
  return files
}

const MAX_AGE_HOURS = 30 * 24
// Limits the first turn in a project with many finished tasks. The others get their mems on later turns.
const MAX_AT_ONCE = 20
const MAX_CHARS = 400
const MIN_WORDS = 4
const PAUSE_EVERY = 100
