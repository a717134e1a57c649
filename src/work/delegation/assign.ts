import * as z from "zod"
import { requireTask } from "../../graph/current-task.ts"
import { isHeldByOther, isOverTask, isRunning } from "../../graph/lifecycle.ts"
import { lookupIn, obstaclesOf } from "../../graph/obstacles.ts"
import { authorOf, type Caller, type Hive } from "../../hive/hive.ts"
import { line, ref } from "../../schemas/fields.ts"
import type { Delegation, Task } from "../../schemas/task.ts"
import { HiveError } from "../../shared/error.ts"
import { shortId } from "../../shared/ids.ts"
import { callText } from "../../shared/tool-names.ts"
import { heldElsewhere, holderElsewhere, isAlive } from "../task/holder.ts"
import { releaseTask } from "../task/release.ts"
import { agentsAbove } from "./rules.ts"

/** What a task is handed over with: the arguments of a call. */
export const assignment = z.strictObject({ task_id: ref, to: line, allowed_tools: z.array(line).optional() })

/** Records that a task is handed to an agent and which tools it may use. Returns the prompt for that agent. */
export async function assignTask(
  hive: Hive,
  caller: Caller & { session: string },
  input: z.infer<typeof assignment>,
): Promise<{ delegation: Delegation; handover: string }> {
  const { store, source } = hive
  const { state } = store.read()
  const task = requireTask(state, caller.session, input.task_id)
  const [obstacle] = obstaclesOf(task, lookupIn(state))
  if (obstacle !== undefined) throw notReady(task, obstacle)
  if (input.to === caller.agent) throw toItself(input.to)
  if (isOverTask(task)) throw over(task)
  const holder = await holderElsewhere(hive, task, caller.session)
  const running = [...state.delegation.by("task_id", task.id)].find(isRunning)
  const isRunningStill = running !== undefined && (await isAtWorkStill(hive, running, task, caller.session))
  if (running !== undefined && isRunningStill) throw alreadyRunning(task, running)
  if (holder !== null) throw heldElsewhere(task, holder, "was not delegated")
  const at = new Date(source.now()).toISOString()
  const allowed_tools = input.allowed_tools ?? task.allowed_tools
  const delegation: Delegation = {
    id: source.newId(),
    task_id: task.id,
    from_agent: caller.agent ?? "unknown",
    to_agent: input.to,
    session_id: caller.session,
    child_session_id: null,
    allowed_tools,
    depth: agentsAbove(state, caller.session).length + 1,
    status: "assigned",
    result: null,
    reason: null,
    created_at: at,
    updated_at: at,
    stamp: task.stamp,
  }
  await store.write(authorOf(caller), (tx) => {
    const now = tx.need("task", task.id)
    const earlier = [...tx.by("delegation", "task_id", task.id)]
    const since = earlier.find((each) => isRunning(each) && each.id !== running?.id)
    if (since !== undefined) throw alreadyRunning(now, since)
    if (running !== undefined) {
      tx.set("delegation", running.id, { status: "failed", reason: "its session has ended", updated_at: at })
    }
    // Whoever held it is at work no more.
    if (isHeldByOther(now, caller.session)) releaseTask(tx, now, at)
    for (const old of earlier) {
      if (old.status !== "assigned") continue
      tx.set("delegation", old.id, { status: "recalled", reason: "assigned anew", updated_at: at })
    }
    tx.add("delegation", delegation)
    tx.set("task", task.id, { assigned_to: input.to, delegated_by: caller.agent, updated_at: at })
  })
  return { delegation, handover: handoverText(task, delegation) }
}

/** The prompt for the agent. Short: the packed state of its task is injected anyway. */
function handoverText(task: Task, { id, allowed_tools }: Delegation): string {
  const tools = allowed_tools === null ? "" : ` You may use: ${allowed_tools.join(", ")}.`
  const verify = task.verify === null ? "" : ` It must pass: ${task.verify}.`
  return `Delegation ${shortId(id)}, task ${shortId(task.id)}: ${task.title}. Expected: ${task.expected_output}.${verify}${tools} When done: ${callText("task", "complete")} with the evidence, then report what you did.`
}

function notReady(
  task: Task,
  { why, instead, evidence }: { why: string; instead: string; evidence: string },
): HiveError {
  const what = `The task "${task.title}" was not delegated.`
  return new HiveError({ code: "lifecycle", what, why, use_instead: instead, evidence })
}

/** Its agent's session may have died without a word, with the host. */
async function isAtWorkStill(
  hive: Hive,
  { child_session_id: child }: Delegation,
  task: Task,
  caller: string,
): Promise<boolean> {
  return child !== null && (await isAlive(hive, child, { task, caller }))
}

function over(task: Task): HiveError {
  return new HiveError({
    code: "lifecycle",
    what: `The task "${task.title}" was not delegated.`,
    why: `It is ${task.status}.`,
    use_instead: "Plan a new task.",
    evidence: `task ${task.id}: status = ${task.status}`,
  })
}

function toItself(agent: string): HiveError {
  return new HiveError({
    code: "circle",
    what: "The task was not delegated.",
    why: `You are ${agent} yourself.`,
    use_instead: "Start the task, or name another agent.",
    evidence: `to = ${agent}`,
  })
}

function alreadyRunning(task: Task, running: Delegation): HiveError {
  return new HiveError({
    code: "conflict",
    what: `The task "${task.title}" was not delegated.`,
    why: `${running.to_agent} is working on it.`,
    use_instead: `Wait for it, or recall ${shortId(running.id)} first.`,
    evidence: `delegation ${running.id}: running`,
  })
}
