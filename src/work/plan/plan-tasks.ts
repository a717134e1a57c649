import * as z from "zod"
import { ensureInbox } from "../../graph/inbox.ts"
import { isOpenPlan } from "../../graph/lifecycle.ts"
import { madeNow } from "../../graph/made.ts"
import { newTask } from "../../graph/new-task.ts"
import { resolveId } from "../../graph/resolve-id.ts"
import type { Transaction } from "../../graph/transaction.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { line, path, ref, text } from "../../schemas/fields.ts"
import type { Phase, Plan } from "../../schemas/plan.ts"
import type { NewRecordOf } from "../../schemas/records.ts"
import type { Task } from "../../schemas/task.ts"
import { HiveError } from "../../shared/error.ts"
import { keptLock } from "../task/file-locks.ts"
import { blockTasks } from "../task/unblock.ts"
import { ensurePhase } from "./ensure-phase.ts"

/** A task of the graph, or one of the same call by its number. */
const taskRef = z.union([ref, z.string().regex(/^#\d+$/)])

/** What a task is planned with: the arguments of a call. */
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
export type TaskInput = z.infer<typeof taskInput> & { purpose?: Task["purpose"] }

/**
 * Plans tasks in one transaction: all of them or, if one is wrong, none. `#0` names the first task of the same call.
 */
export async function planTasks(
  hive: Hive,
  caller: Caller & { session: string },
  planRef: string,
  inputs: TaskInput[],
): Promise<Task[]> {
  const { source, store } = hive
  const { state } = store.read()
  const now = source.now()
  const planId = resolveId(state, "plan", planRef)
  const planned = inputs.map((input) => ({ id: source.newId(), input }))
  const taskId = (given: string) => {
    const index = /^#(\d+)$/.exec(given)?.[1]
    if (index === undefined) return resolveId(state, "task", given)
    const other = planned[Number(index)]
    if (other === undefined) throw noSuchIndex(given, planned.length)
    return other.id
  }
  const { result } = await store.write(authorOf(caller), (tx) => {
    const plan = tx.need("plan", planId)
    refuseClosed(plan)
    // Added without links first, so that they may point at each other in any order.
    const make = { tx, now, newId: source.newId, caller, dir: hive.dir }
    for (const { id, input } of planned) {
      const phase =
        input.phase === undefined ? ensureInbox(tx, plan) : ensurePhase(make, plan, input.phase, "planned")
      tx.add("task", taskOf(id, phase, input, make, decisionsOf(make, input.decisions ?? [], state)))
    }
    for (const { id, input } of planned) {
      const gate = input.temporal_gate
      tx.set("task", id, {
        depends_on: (input.depends_on ?? []).map(taskId),
        temporal_gate: gate === undefined ? null : { ...gate, after_task_id: taskId(gate.after_task_id) },
        parent_task_id: input.parent_task_id === undefined ? null : taskId(input.parent_task_id),
      })
    }
    const all = planned.map(({ id }) => tx.need("task", id))
    blockTasks(tx, all, new Date(now).toISOString())
    return planned.map(({ id }) => tx.need("task", id))
  })
  return result
}

interface Make {
  tx: Transaction
  now: number
  newId: () => string
  caller: Caller
  dir: string
}

function taskOf(
  id: string,
  phase: Phase,
  input: TaskInput,
  { tx, now, caller, dir }: Make,
  decisions: string[],
): NewRecordOf<"task"> {
  return newTask(tx, now, phase, {
    id,
    type: input.parent_task_id === undefined ? "main" : "sub",
    title: input.title,
    purpose: input.purpose ?? "work",
    expected_output: input.expected_output,
    delegated_by: caller.agent,
    assigned_to: input.assigned_to ?? null,
    allowed_tools: input.allowed_tools ?? null,
    file_locks: (input.file_locks ?? []).map((path) => keptLock(dir, path)),
    verify: input.verify ?? null,
    decisions,
    ahead: input.ahead ?? false,
    file: input.file ?? null,
    line: input.line ?? null,
  })
}

/** A decision is given by the id of its mem, or as a question, which becomes an open decision. */
function decisionsOf(make: Make, given: string[], state: Parameters<typeof resolveId>[0]): string[] {
  return given.map((each) => {
    if (/^[0-9a-f]{8}[0-9a-f-]*$/i.test(each)) return resolveId(state, "mem", each)
    const mem = openDecision(make, each)
    make.tx.add("mem", mem)
    return mem.id
  })
}

function openDecision({ tx, now, newId, caller }: Make, content: string): NewRecordOf<"mem"> {
  const { created_at, updated_at, stamp } = madeNow(tx, "task", now)
  return {
    id: newId(),
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
    created_at,
    updated_at,
    stamp,
  }
}

function refuseClosed(plan: Plan): void {
  if (isOpenPlan(plan)) return
  throw new HiveError({
    code: "lifecycle",
    what: `No tasks were planned: the plan "${plan.title}" is ${plan.status}.`,
    why: "Only a draft or active plan takes tasks.",
    use_instead: "Create a new plan.",
    evidence: `plan ${plan.id}: status = ${plan.status}`,
  })
}

function noSuchIndex(given: string, count: number): HiveError {
  return new HiveError({
    code: "invalid_argument",
    what: `"${given}" names no task of this call.`,
    why: `The call has ${count} task(s), #0 to #${count - 1}.`,
    use_instead: "Use an index within the call, or the id of a task that is there.",
    evidence: given,
  })
}
