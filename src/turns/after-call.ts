import { isAbsolute } from "node:path"
import { lastWarning } from "../context/inject/packed-warnings.ts"
import type { Injection } from "../context/inject/record.ts"
import type { GateCall, ToolCall } from "../gate/call.ts"
import { currentTask } from "../graph/current-task.ts"
import { first } from "../graph/record-map.ts"
import type { GraphState } from "../graph/state.ts"
import type { Hive } from "../hive/hive.ts"
import { keepCorrection } from "../knowledge/extract/corrections.ts"
import { declaredChecks } from "../project/scan/map-file.ts"
import type { SignalName } from "../schemas/signals.ts"
import type { Task } from "../schemas/task.ts"
import { onceEach } from "../shared/ids.ts"
import { shorten } from "../shared/text/clean.ts"
import { callText, hostToolAuthor } from "../shared/tool-names.ts"
import { countEvent } from "../watch/count-event.ts"
import type { ObservedCall, SessionEvent } from "../watch/counting-rules.ts"
import type { Warning } from "../watch/signals.ts"
import { recordFailure, recordReport } from "../work/delegation/assign.ts"
import { adoptUnplanned, unplannedTask } from "../work/session/unplanned.ts"
import { type CheckResult, judgeChecks } from "../work/task/check-result.ts"
import { recordCheckpoint, type ToolOutcome } from "../work/task/checkpoint.ts"
import type { SessionCaller } from "../work/write.ts"
import type { PassedCalls } from "./before-call.ts"
import type { Step, TurnInput } from "./between-turns.ts"
import { effectOf } from "./call-snapshots.ts"
import { listed } from "./change-notes.ts"

/** A finished tool call. A call that threw may arrive at `callFailed` instead. */
export interface CallResult {
  id: string
  session: string
  agent: string | null
  tool: string
  ok: boolean
  exit: number | null
  said: string
  isSilent: boolean
  isStopped: boolean
  child: { session: string; report: string } | null
}

export interface AfterCall {
  notes: readonly string[]
  warnings: readonly Warning[]
}

interface AfterCallInput extends Pick<TurnInput, "hive" | "tree" | "changeNotes" | "stepOf"> {
  calls: PassedCalls
  injections: (session: string) => Injection[]
  agentOf: (session: string) => string | null
  onChange: () => void
}

/** Counts the call, records its checkpoint, and returns texts that the model should read at once. */
export function afterCall(input: AfterCallInput) {
  const { hive, calls, injections, agentOf, stepOf, tree, changeNotes, onChange } = input
  const withoutTask = unplannedWork()
  const isNews = onceEach()

  return async (result: CallResult): Promise<AfterCall> => {
    const { id, session, child, tool, exit, said, isSilent } = result
    const found = calls.get(id)
    calls.delete(id)
    const opened = await hive()
    if (child !== null) {
      const caller = { session, agent: agentOf(session), tool: "subagent" }
      await recordReport(opened, caller, child.session, child.report)
    }
    if (found === undefined) return { notes: [], warnings: [] }
    const { call, passed } = found
    const { changed, lost } = await tree.end(opened, call)
    const caller = { session, agent: result.agent, tool: hostToolAuthor(tool) }
    const { state } = opened.store.read()
    const planned = taskOf(state, result, passed.task)
    const ran = { exit, output: isSilent ? "" : said }
    const check = call.command && judgeChecks(call.command.text, ran, await declaredChecks(opened))
    const outcome = outcomeOf(result, call, changed, check)
    if (changed.length + (outcome?.files.length ?? 0) > 0) onChange()
    const around = { changed, task: planned?.title ?? null, step: stepOf(session), check }
    const observed = observedCall(result, call, around)
    const unplanned = planned === undefined ? await withoutTask(opened, caller, outcome) : undefined
    const task = planned ?? unplanned?.task
    const lastShown = (name: SignalName) => lastWarning(injections(session), name)
    const [warnings] = await Promise.all([
      countEvent(opened, caller, observed, lastShown),
      task !== undefined && outcome !== undefined
        ? recordCheckpoint(opened, caller, task, outcome)
        : undefined,
    ])
    // A subagent's changes were already reported after its own calls.
    const agent = child === null ? result.agent : null
    const changes = await changeNotes.about(opened, { session, agent, changed, task, lost })
    const remarks = passed.warnings.filter((text) => isNews(`${session} ${text}`))
    return { notes: [...remarks, ...(unplanned?.notes ?? []), ...changes], warnings }
  }
}

/** The task that the gate checked the call for. When a subagent ends, its changes belong to the delegated task. */
function taskOf(state: GraphState, { session, child }: CallResult, passed: Task | null): Task | undefined {
  const given = child === null ? undefined : first(1, state.delegation.by("child", child.session))[0]
  return (given && state.task.get(given.task_id)) ?? passed ?? currentTask(state, session)
}

/** Calls that write, build, test, use git or change a file get a checkpoint; calls that only read do not. */
function outcomeOf({ tool, exit }: CallResult, call: GateCall, changed: readonly string[], check: Check) {
  const { command, shell, writes } = call
  if (command !== null) {
    const own = changed.length > 0 && shell?.kind === "other" ? "write" : (shell?.kind ?? "other")
    const kind = check?.kinds.find((each) => each !== "commit") ?? own
    if (changed.length === 0 && (kind === "read" || kind === "other" || kind === "write")) return undefined
    // If the output is piped to a grep without a match, the exit is 1 but the check's result is unknown.
    const isUnknown = check?.result === "unknown" && exit !== null
    const ok = isUnknown || (exit === 0 && check?.result !== "failed")
    const summary = `${kind}: ${shorten(command.text, 120)}${ok ? "" : " (failed)"}`
    // An unknown result is no evidence: completing the task runs the check.
    const did: ToolOutcome["did"] = check == null || check.result === "unknown" ? [] : check.kinds
    return { tool, summary, files: changed, command: command.text, did, ok }
  }
  const files =
    effectOf(call) === "named" ? writes.filter((path) => path !== "." && !isAbsolute(path)) : changed
  if (files.length === 0) return undefined
  return { tool, summary: `${tool} ${listed(files)}`, files, command: null, ok: true }
}

/** A call that threw or was refused, so that `afterCall` did not run. */
export interface FailedCall {
  call: ToolCall
  error: string
  isStopped: boolean
  /** The reason that the user typed when rejecting the call, maybe ""; null if the call was not rejected. */
  rejection: string | null
  child: string | null
}

export function callFailed({ hive, tree, changeNotes, log, stepOf }: TurnInput) {
  async function noteChanges({ id, session }: ToolCall): Promise<void> {
    const opened = await hive()
    const lost = await tree.failed(opened, id)
    if (lost === null) return
    const task = currentTask(opened.store.read().state, session)
    await changeNotes.later(opened, { session, agent: null, changed: [], task, lost })
  }

  async function count({ call, error, rejection }: FailedCall, step: string | null): Promise<void> {
    const { session, tool } = call
    const opened = await hive()
    const task = currentTask(opened.store.read().state, session)?.title ?? null
    const caller = { session, agent: null, tool: hostToolAuthor(tool) }
    const event: SessionEvent =
      rejection === null
        ? observedFailure(call, error, { task, step })
        : { what: "rejected call", words: rejection }
    await countEvent(opened, caller, event)
    if (rejection !== null) await keepCorrection(opened, caller, rejection, { rejectsCall: true })
  }

  return (failed: FailedCall): Step[] => {
    const { call, error, isStopped, child } = failed
    const caller = { session: call.session, agent: null, tool: "subagent" }
    const step = stepOf(call.session)
    // Started at once, because it must run before the turn ends. The other steps do not wait for it.
    noteChanges(call).catch((error: unknown) => log("error", "could not note a failed call's changes", error))
    const steps: Step[] = []
    if (child !== null)
      steps.push(["end of a subagent", async () => recordFailure(await hive(), caller, child, error)])
    if (!isStopped) steps.push(["count of a failure", () => count(failed, step)])
    return steps
  }
}

type Check = CheckResult | null | undefined
type Around = { task: string | null; step: string | null }

export function observedCall(
  result: CallResult,
  call: GateCall,
  { changed, task, step, check }: Around & { changed: readonly string[]; check: Check },
): SessionEvent {
  const { use, own } = call
  return {
    what: "call",
    ...partsOf(call),
    // A call that changed files is a write, even by a read tool.
    use: changed.length > 0 && own === null && use !== "delegate" ? "write" : use,
    check: checkOutcome(result, check),
    ok: hasSucceeded(result, call),
    said: result.said,
    task,
    step,
  }
}

export function observedFailure(call: ToolCall, said: string, { task, step }: Around): SessionEvent {
  return { what: "call", ...partsOf(call), use: call.use, check: null, ok: false, said, task, step }
}

function partsOf({ signature, prose, own, isReader, edits }: ToolCall) {
  return { signature, prose, own, isReader, edits }
}

function hasSucceeded({ ok, exit, isSilent, isStopped }: CallResult, { command, shell }: GateCall): boolean {
  if (command === null) return ok
  // grep, test and which exit with 1 and print nothing if there is no match, which is no failure.
  const hasFoundNothing = shell?.kind === "read" && exit === 1 && isSilent
  return exit === 0 || hasFoundNothing || isStopped
}

/** A failure that only the output shows is not counted: it would cause warnings in over 5 % of recorded sessions. */
function checkOutcome({ isStopped }: CallResult, check: Check): ObservedCall["check"] {
  if (check == null || check.kinds.every((kind) => kind === "commit")) return null
  const isLeftOut = check.result === "failed" && check.isExitHidden
  return isStopped || isLeftOut ? "unknown" : check.result
}

/** In `assisted`, unplanned work goes to the session's inbox task, and the model is told once. */
function unplannedWork() {
  const isNews = onceEach()

  return async (hive: Hive, caller: SessionCaller, outcome: ToolOutcome | undefined) => {
    if (outcome === undefined || hive.config.governance !== "assisted") return NOTHING
    const { state } = hive.store.read()
    const there = unplannedTask(state, caller.session)
    if (there !== undefined) return { task: there, notes: [] }
    const [file] = outcome.files
    if (file === undefined) return NOTHING
    if (hive.store.isThere()) {
      const { task, isFirst } = await adoptUnplanned(hive, caller, file)
      return { task, notes: isFirst ? [`${NO_TASK}, so it is recorded in the inbox. ${TO_NAME_IT}`] : [] }
    }
    return { task: undefined, notes: isNews(caller.session) ? [`${NO_TASK}. ${TO_NAME_IT}`] : [] }
  }
}

const NOTHING = { task: undefined, notes: [] }
const NO_TASK = "HiveMind: this write belongs to no task"
const TO_NAME_IT = `Name the work with ${callText("session", "update")}.`
