import { byAge, compare } from "../graph/by-age.ts"
import { isUnplanned } from "../graph/inbox.ts"
import { isDoneTask, isGivenUpTask, isKnowledge, isOpenDecision, isOpenTask } from "../graph/lifecycle.ts"
import { memStatus } from "../graph/mem-status.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { GraphState } from "../graph/state.ts"
import type { Hive } from "../hive/hive.ts"
import type { Mem } from "../schemas/knowledge.ts"
import type { Checkpoint, Task } from "../schemas/task.ts"
import { addSpent, nothing } from "../schemas/usage.ts"
import { ledgerOf, type SpentShort, spentShort } from "./lists/costs.ts"
import { requireListed } from "./lists/page.ts"

export interface ReportScope {
  since?: number
  /** The id of a plan, or the start of its id. */
  plan?: string
  branch?: string
}

export interface CheckRow {
  command: string
  ok: boolean
  /** The exit code. It is only known for a task's `verify` command. */
  exit: number | null
  at: string
  runs: number
  failed: number
  /** Files that were written after the check last ran. */
  changed_since: string[]
}

/** The work on a plan, on a branch or since a time, for its reviewers. Lists are sorted oldest first. */
export type WorkReport = Awaited<ReturnType<typeof workReport>>

export async function workReport(hive: Hive, scope: ReportScope) {
  const { state } = hive.store.read()
  const { tasks, checkpoints, sessions } = workIn(state, scope)
  const shown = [...tasks].filter((task) => task.purpose !== "report" && !isUnplanned(task)).sort(byAge)
  const ids = new Set([...tasks].map(({ id }) => id))
  const plans = new Set(shown.map(({ parent_plan_id }) => parent_plan_id))
  const mems = [...state.mem.values()].filter((mem) => isOfWork(mem, scope, ids, sessions)).sort(byAge)
  const isConfirmed = (mem: Mem) => memStatus(mem) === "saved"
  return {
    plans: [...plans].flatMap((id) => state.plan.get(id) ?? []).filter(({ purpose }) => purpose === "work"),
    asked: intentsOf(state, sessions),
    decided: mems.filter((mem) => SETTLES.has(mem.kind) && isKnowledge(mem) && isConfirmed(mem)),
    undecided: mems.filter(isOpenDecision),
    done: shown.filter(isDoneTask),
    unfinished: shown.filter(isOpenTask),
    checks: checksIn(checkpoints),
    false_paths: mems.filter((mem) => FAILED.has(memStatus(mem))),
    given_up: shown.filter(isGivenUpTask),
    files: filesIn(checkpoints),
    spent: await spentOn(hive, ids, scope.since),
  }
}

/** The tasks that were worked on or changed within the scope, with their checkpoints and sessions. */
function workIn(state: GraphState, { since = 0, plan, branch }: ReportScope) {
  const from = new Date(since).toISOString()
  const inPlan = plan === undefined ? undefined : requireListed(state, "plan", plan).id
  const isIn = (record: Task | Checkpoint) =>
    record.updated_at >= from && (branch === undefined || record.branch === branch)
  const tasks = new Set<Task>()
  const checkpoints: Checkpoint[] = []
  const sessions = new Set<string | null>()
  const candidates = inPlan === undefined ? state.task.values() : state.task.by("parent_plan_id", inPlan)
  for (const task of candidates) {
    const did = [...state.checkpoint.by("task_id", task.id)].filter(isIn)
    if (did.length === 0 && !isIn(task)) continue
    tasks.add(task)
    checkpoints.push(...did)
    sessions.add(task.assigned_session_id)
    for (const { session_id } of did) sessions.add(session_id)
  }
  return { tasks, checkpoints: checkpoints.sort(byAge), sessions }
}

/** Whether a mem belongs to the report: by its task, else by its session. Without both, a person saved the mem. */
function isOfWork(
  { created_at, origin_task_id, session_id, branch }: Mem,
  scope: ReportScope,
  tasks: ReadonlySet<string>,
  sessions: ReadonlySet<string | null>,
): boolean {
  if (Date.parse(created_at) < (scope.since ?? 0)) return false
  if (origin_task_id !== null) return tasks.has(origin_task_id)
  if (session_id !== null) return sessions.has(session_id)
  return scope.plan === undefined && (scope.branch === undefined || branch === scope.branch)
}

/** The intents of the sessions. Subagents are left out, because another agent wrote their intents. */
function intentsOf(state: GraphState, sessions: ReadonlySet<string | null>): string[] {
  const found = [...sessions].flatMap((id) => sessionOf(state, id) ?? [])
  const asked = found.filter(({ parent_host_id }) => parent_host_id === null).sort(byAge)
  return [...new Set(asked.flatMap(({ intent }) => intent ?? []))]
}

function checksIn(checkpoints: readonly Checkpoint[]): CheckRow[] {
  const rows = new Map<string, CheckRow>()
  for (const { did, command, summary, ok, run, created_at, files } of checkpoints) {
    for (const row of rows.values()) row.changed_since.push(...files)
    if (!did.some((each) => each !== "commit")) continue
    const name = command ?? summary
    const { runs, failed } = rows.get(name) ?? { runs: 0, failed: 0 }
    // Deleted first, so that a check that ran again moves to the end of the map.
    rows.delete(name)
    rows.set(name, {
      ...{ command: name, ok, exit: run?.exit ?? null, at: created_at },
      ...{ runs: runs + 1, failed: failed + (ok ? 0 : 1), changed_since: [] },
    })
  }
  return Array.from(rows.values(), (row) => ({ ...row, changed_since: [...new Set(row.changed_since)] }))
}

function filesIn(checkpoints: readonly Checkpoint[]) {
  const removed = new Map<string, boolean>()
  for (const checkpoint of checkpoints)
    for (const path of checkpoint.files) removed.set(path, checkpoint.removed.includes(path))
  const files = Array.from(removed, ([path, isRemoved]) => ({ path, removed: isRemoved }))
  return files.sort((a, b) => compare(a.path, b.path))
}

async function spentOn(hive: Hive, tasks: ReadonlySet<string>, since?: number): Promise<SpentShort | null> {
  const sum = nothing()
  for (const line of (await ledgerOf(hive, since)).plans.flatMap((plan) => plan.tasks))
    if (tasks.has(line.id)) addSpent(sum, line.spent)
  return spentShort(sum)
}

const SETTLES: ReadonlySet<Mem["kind"]> = new Set(["decision", "rule"])
const FAILED: ReadonlySet<string> = new Set(["false path", "invalidated"])
