import * as z from "zod"
import { ensureInbox } from "../../graph/inbox.ts"
import { isDonePlan, isOpenPlan } from "../../graph/lifecycle.ts"
import { madeNow, newPlan, newTask } from "../../graph/new-records.ts"
import { headIdOf } from "../../graph/read-head.ts"
import { resolveId } from "../../graph/resolve-id.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Caller, Hive } from "../../hive/hive.ts"
import { requireFile } from "../../project/document/file-status.ts"
import { recordFile } from "../../project/document/record-file.ts"
import { line, path, ref, text } from "../../schemas/fields.ts"
import type { Phase, Plan } from "../../schemas/plan.ts"
import type { Task } from "../../schemas/task.ts"
import { counted } from "../../shared/amounts.ts"
import { HiveError } from "../../shared/error.ts"
import { ensureSession, moveHead } from "../session/session.ts"
import { keptLock } from "../task/holder.ts"
import { blockTasks } from "../task/start.ts"
import { type SessionCaller, writeGraph } from "../write.ts"
import { reopenPlan } from "./end.ts"

export const planInput = z.strictObject({
  title: line,
  acceptance: z.array(text),
  phases: z.array(line).optional(),
  sot_document_path: path.optional(),
  depends_on: z.array(ref).optional(),
})

/** Creates a plan with its phases. The session's read-head moves to it, unless the session has an active task. */
export async function createPlan(
  hive: Hive,
  caller: SessionCaller,
  input: z.infer<typeof planInput> & { purpose?: Plan["purpose"] },
): Promise<{ plan: Plan; phases: { id: string; title: string }[]; warning: string | null }> {
  const { source, store, dir } = hive
  const { title, acceptance, sot_document_path, purpose = "work" } = input
  const depends_on = (input.depends_on ?? []).map((given) => resolveId(store.read().state, "plan", given))
  const document = sot_document_path === undefined ? undefined : requireFile(dir, sot_document_path)
  const id = source.newId()
  const phases = (input.phases ?? []).map((title) => ({ id: source.newId(), title }))
  const plan = await writeGraph(hive, caller, (tx, at, now) => {
    ensureSession(tx, caller, now, title)
    const isReady = depends_on.every((each) => isDonePlan(tx.get("plan", each)))
    const given = { id, title, purpose, acceptance, depends_on, owned_by: caller.agent }
    const status = isReady ? "active" : "draft"
    const plan = tx.add(
      "plan",
      newPlan(tx, now, { ...given, status, sot_document_path: document?.path ?? null }),
    )
    ensureInbox(tx, plan)
    if (document !== undefined && document.now !== null)
      recordFile(tx, document.path, document.now, { at, stamp: plan.stamp, plan_id: id })
    for (const [n, phase] of phases.entries()) addPhase(tx, now, plan, { ...phase, order: n + 1 })
    const head = tx.need("trajectory", headIdOf(caller.session))
    const isBusy = head.active_task_ids.some((each) => tx.get("task", each)?.status === "active")
    if (!isBusy && purpose === "work") moveHead(tx, caller.session, { plan, phase: null, task: null }, now)
    return plan
  })
  const isMissing = document !== undefined && document.now === null
  const warning = isMissing ? `${document.path} does not exist yet; HiveMind reads it when it appears.` : null
  return { plan, phases, warning }
}

function addPhase(
  tx: Transaction,
  now: number,
  plan: Plan,
  given: Pick<Phase, "id" | "title" | "order"> & { status?: "active" },
): Phase {
  const phase = { status: "planned", parent_plan_id: plan.id, inbox: false, summary: null } as const
  return tx.add("phase", { ...phase, ...given, ...madeNow(tx, "phase", now) })
}

export function ensurePhase(
  { tx, now, newId }: { tx: Transaction; now: number; newId: () => string },
  plan: Plan,
  wanted: string,
  status?: "active",
): Phase {
  const ofPlan = [...tx.by("phase", "parent_plan_id", plan.id)]
  const words = wanted.trim().toLowerCase()
  const there = ofPlan.find(
    ({ id, title }) => title.trim().toLowerCase() === words || (words.length >= 8 && id.startsWith(words)),
  )
  if (there !== undefined) return there
  const order = ofPlan.reduce((last, phase) => Math.max(last, phase.order), 0) + 1
  return addPhase(tx, now, plan, { id: newId(), title: wanted, order, ...(status && { status }) })
}

const taskRef = z.union([ref, z.string().regex(/^#\d+$/)])

export const taskInput = z.strictObject({
  title: line,
  expected_output: text,
  phase: line.optional(),
  depends_on: z.array(taskRef).optional().describe("ids, or #0 for the first here"),
  temporal_gate: z.strictObject({ after_task_id: taskRef, reason: text }).optional(),
  assigned_to: line.optional(),
  allowed_tools: z.array(line).optional(),
  file_locks: z.array(path).optional(),
  verify: text.optional().describe("command that must pass"),
  decisions: z.array(text).optional().describe("questions to decide first"),
  ahead: z.boolean().optional(),
  parent_task_id: taskRef.optional(),
  file: path.optional(),
  line: z.int().min(1).optional(),
})

/** Plans all tasks, or none. In an input, `#0` refers to the first task of the same call. */
export async function planTasks(
  hive: Hive,
  caller: SessionCaller,
  planRef: string,
  inputs: (z.infer<typeof taskInput> & { purpose?: Task["purpose"] })[],
): Promise<Task[]> {
  const { state } = hive.store.read()
  const { newId } = hive.source
  const planId = resolveId(state, "plan", planRef)
  const planned = inputs.map((input) => ({ id: newId(), input }))
  const taskId = (given: string) => {
    if (!given.startsWith("#")) return resolveId(state, "task", given)
    const other = planned[Number(given.slice(1))]
    if (other !== undefined) return other.id
    throw new HiveError({
      code: "invalid_argument",
      what: `"${given}" is not a task of this call.`,
      why: `The call has ${counted(planned.length, "task")}, #0 to #${planned.length - 1}.`,
      use_instead: "Use one of these numbers, or the id of an existing task.",
      evidence: given,
    })
  }
  const decisionId = (tx: Transaction, now: number, given: string) =>
    /^[0-9a-f]{8}[0-9a-f-]*$/i.test(given)
      ? resolveId(state, "mem", given)
      : addOpenDecision(tx, now, newId(), caller, given)
  return writeGraph(hive, caller, (tx, at, now) => {
    const plan = reopenPlan(tx, tx.need("plan", planId), at)
    refuseClosed(plan)
    // The tasks are added without links first, so that they may refer to each other in any order.
    for (const { id, input } of planned) {
      const { title, expected_output, phase: named, purpose = "work", ahead = false } = input
      const phase = named === undefined ? ensureInbox(tx, plan) : ensurePhase({ tx, now, newId }, plan, named)
      const task = newTask(tx, now, phase, {
        ...{ id, title, expected_output, purpose, ahead },
        type: input.parent_task_id === undefined ? "main" : "sub",
        delegated_by: caller.agent,
        assigned_to: input.assigned_to ?? null,
        allowed_tools: input.allowed_tools ?? null,
        file_locks: (input.file_locks ?? []).map((path) => keptLock(hive.dir, path)),
        verify: input.verify ?? null,
        decisions: (input.decisions ?? []).map((each) => decisionId(tx, now, each)),
        file: input.file ?? null,
        line: input.line ?? null,
      })
      tx.add("task", task)
    }
    for (const { id, input } of planned) {
      const gate = input.temporal_gate
      tx.set("task", id, {
        depends_on: (input.depends_on ?? []).map(taskId),
        temporal_gate: gate === undefined ? null : { ...gate, after_task_id: taskId(gate.after_task_id) },
        parent_task_id: input.parent_task_id === undefined ? null : taskId(input.parent_task_id),
      })
    }
    const tasks = () => planned.map(({ id }) => tx.need("task", id))
    blockTasks(tx, tasks(), at)
    return tasks()
  })
}

function addOpenDecision(tx: Transaction, now: number, id: string, caller: Caller, content: string): string {
  tx.add("mem", {
    id,
    origin_task_id: null,
    session_id: caller.session,
    shelf: "decisions",
    origin: "saved",
    kind: "decision",
    status: "active",
    content,
    tags: [],
    evidence: [],
    confidence: 1,
    resolved: false,
    supersedes: null,
    parent_mem_id: null,
    related_to: [],
    reason: null,
    stale_at: null,
    ...madeNow(tx, "task", now),
  })
  return id
}

function refuseClosed({ id, title, status }: Plan): void {
  if (isOpenPlan({ status })) return
  throw new HiveError({
    code: "lifecycle",
    what: `No tasks were planned: the plan "${title}" is ${status}.`,
    why: "Tasks cannot be added to an archived or abandoned plan.",
    use_instead: "Create a new plan.",
    evidence: `plan ${id}: status = ${status}`,
  })
}
