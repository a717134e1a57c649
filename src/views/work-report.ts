import { byAge, compare } from "../graph/by-age.ts"
import { isUnplanned } from "../graph/inbox.ts"
import { isDoneTask, isGivenUpTask, isKnowledge, isOpenDecision, isOpenTask } from "../graph/lifecycle.ts"
import { memStatus } from "../graph/mem-status.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { GraphState } from "../graph/state.ts"
import type { Hive } from "../hive/hive.ts"
import type { Mem } from "../schemas/knowledge.ts"
import type { Plan } from "../schemas/plan.ts"
import type { Checkpoint, Task } from "../schemas/task.ts"
import { addSpent, nothing } from "../schemas/usage.ts"
import { ledgerOf, type SpentShort, spentShort } from "./lists/costs.ts"
import { requireListed } from "./lists/page.ts"

export interface ReportScope {
  /** In ms. */
  since?: number
  /** A plan id or the start of one. */
  plan?: string
  branch?: string
}

/** A command that checks the work, with its last result. */
export interface CheckRow {
  command: string
  ok: boolean
  /** Known of a task's own check alone. */
  exit: number | null
  at: string
  runs: number
  failed: number
  /** Files that work of this report wrote after the last run. */
  changed_since: string[]
}

/** The work on a plan, on a branch or since a time, for people who review it. The oldest of each list first. */
export interface WorkReport {
  plans: Plan[]
  /** What the sessions were asked for. */
  asked: string[]
  /** Decisions and rules in force. */
  decided: Mem[]
  undecided: Mem[]
  done: Task[]
  unfinished: Task[]
  checks: CheckRow[]
  false_paths: Mem[]
  given_up: Task[]
  files: { path: string; removed: boolean }[]
  /** Of the tasks of this report. */
  spent: SpentShort | null
}

export async function workReport(hive: Hive, scope: ReportScope): Promise<WorkReport> {
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

/** The tasks that were worked on in the scope or planned there, the checkpoints of that work, and its sessions. */
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

/** Of a task of the report, else of one of its sessions, else by a person on the branch. */
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

/** A subagent's intent was given by another agent. */
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
    // A check that was run again moves to the end.
    rows.delete(name)
    rows.set(name, {
      ...{ command: name, ok, exit: run?.exit ?? null, at: created_at },
      ...{ runs: runs + 1, failed: failed + (ok ? 0 : 1), changed_since: [] },
    })
  }
  return Array.from(rows.values(), (row) => ({ ...row, changed_since: [...new Set(row.changed_since)] }))
}

function filesIn(checkpoints: readonly Checkpoint[]): WorkReport["files"] {
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
