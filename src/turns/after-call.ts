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
import type { PassedCalls } from "./before-call.ts"
import type { Step, TurnInput } from "./between-turns.ts"
import { type CallSnapshots, effectOf } from "./call-snapshots.ts"
import { type ChangeNotes, listed } from "./change-notes.ts"

/** The result of a tool call, in HiveMind's words. A tool that throws may come to `callFailed` instead. */
export interface CallResult {
  id: string
  session: string
  agent: string | null
  tool: string
  /** False if the host or the tool says that it failed. For a command, see `exit`. */
  ok: boolean
  /** Exit code of a command; null if unknown. */
  exit: number | null
  /** The result as the model reads it. */
  said: string
  isSilent: boolean
  /** The user stopped it, which says nothing about the command. */
  isStopped: boolean
  /** A subagent session that ended with this call, and its report. */
  child: { session: string; report: string } | null
}

/** Texts added to the result of a call. */
export interface AfterCall {
  /** Remarks of the gate. */
  notes: readonly string[]
  /** Warnings that cannot wait for the next user message. */
  warnings: readonly Warning[]
}

interface AfterCallInput {
  hive: () => Promise<Hive>
  calls: PassedCalls
  /** Injections into the messages of a session. */
  injections: (session: string) => Injection[]
  agentOf: (session: string) => string | null
  /** Id of the answer under way in a session: its calls run in parallel. */
  stepOf: (session: string) => string | null
  tree: CallSnapshots
  changeNotes: ChangeNotes
  /** A call has changed files. */
  onChange: () => void
}

/** Counts the call, records its checkpoint, and returns texts that the model should read at once. */
export function afterCall(input: AfterCallInput) {
  const { hive, calls, injections, agentOf, stepOf, tree, changeNotes, onChange } = input
  const withoutTask = unplannedWork()
  const isNews = onceEach()

  async function endChild(session: string, child: { session: string; report: string }): Promise<void> {
    const caller = { session, agent: agentOf(session), tool: "subagent" }
    await recordReport(await hive(), caller, child.session, child.report)
  }

  return async (result: CallResult): Promise<AfterCall> => {
    const found = calls.get(result.id)
    calls.delete(result.id)
    if (result.child !== null) await endChild(result.session, result.child)
    const opened = await hive()
    if (found === undefined) return { notes: [], warnings: [] }
    const { call, passed } = found
    const { changed, lost } = await tree.end(opened, call)
    const caller = { session: result.session, agent: result.agent, tool: hostToolAuthor(result.tool) }
    const { state } = opened.store.read()
    const planned = taskOf(state, result, passed.task)
    const check = await checkOf(opened, result, call)
    const outcome = outcomeOf(result, call, changed, check)
    if (changed.length + (outcome?.files.length ?? 0) > 0) onChange()
    const step = stepOf(result.session)
    const observed = observedCall(result, call, { changed, task: planned?.title ?? null, step, check })
    const unplanned = planned === undefined ? await withoutTask(opened, caller, outcome) : undefined
    const task = planned ?? unplanned?.task
    const lastShown = (name: SignalName) => lastWarning(injections(result.session), name)
    const [warnings] = await Promise.all([
      countEvent(opened, caller, observed, lastShown),
      task !== undefined && outcome !== undefined
        ? recordCheckpoint(opened, caller, task, outcome)
        : undefined,
    ])
    // The subagent's own calls have reported its changes.
    const agent = result.child === null ? result.agent : null
    const changes = await changeNotes.about(opened, { session: result.session, agent, changed, task, lost })
    // Each remark once per session.
    const remarks = passed.warnings.filter((text) => isNews(`${result.session} ${text}`))
    return { notes: [...remarks, ...(unplanned?.notes ?? []), ...changes], warnings }
  }
}

/** The task that the gate let the call through for. A subagent's leftovers belong to its delegated task. */
function taskOf(state: GraphState, { session, child }: CallResult, passed: Task | null): Task | undefined {
  const given = child === null ? undefined : first(1, state.delegation.by("child", child.session))[0]
  return (given && state.task.get(given.task_id)) ?? passed ?? currentTask(state, session)
}

/** The result of the checks in a command; undefined if it runs none. */
async function checkOf(
  hive: Hive,
  { exit, said, isSilent }: CallResult,
  { command }: GateCall,
): Promise<CheckResult | undefined> {
  if (command === null) return undefined
  return judgeChecks(command.text, { exit, output: isSilent ? "" : said }, await declaredChecks(hive))
}

/** Writes, edits, builds, tests, git and any changed file make a checkpoint; reading does not. */
function outcomeOf(
  { tool, exit }: CallResult,
  call: GateCall,
  changed: readonly string[],
  check: CheckResult | undefined,
): ToolOutcome | undefined {
  const { command, shell, writes } = call
  if (command !== null) {
    const own = changed.length > 0 && shell?.kind === "other" ? "write" : (shell?.kind ?? "other")
    const kind = check?.kinds.find((each) => each !== "commit") ?? own
    if (changed.length === 0 && (kind === "read" || kind === "other" || kind === "write")) return undefined
    // After a grep without a match, the exit is 1 and the check's result unknown.
    const isUnknown = check?.result === "unknown" && exit !== null
    const ok = isUnknown || (exit === 0 && check?.result !== "failed")
    const summary = `${kind}: ${shorten(command.text, 120)}${ok ? "" : " (failed)"}`
    // An unknown result is no evidence: completing the task runs the check.
    const did: ToolOutcome["did"] = check === undefined || check.result === "unknown" ? [] : check.kinds
    return { tool, summary, files: changed, command: command.text, did, ok }
  }
  const files = effectOf(call) === "named" ? writes.filter(isInProject) : changed
  if (files.length === 0) return undefined
  return { tool, summary: `${tool} ${listed(files)}`, files, command: null, ok: true }
}

function isInProject(path: string): boolean {
  return path !== "." && !isAbsolute(path)
}

/** A call that threw or was refused, so that `afterCall` did not run. */
export interface FailedCall {
  call: ToolCall
  error: string
  /** Stopped with its turn: counted as a cancelled turn. */
  isStopped: boolean
  /** The user's words, perhaps "", if the user rejected it; else null. */
  rejection: string | null
  /** The subagent session that it had started. */
  child: string | null
}

export function callFailed({ hive, tree, changeNotes, log, stepOf }: TurnInput) {
  /** Its changes count like those of any call. */
  async function lookAfter({ id, session }: ToolCall): Promise<void> {
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

  async function endChild(session: string, child: string, error: string): Promise<void> {
    await recordFailure(await hive(), { session, agent: null, tool: "subagent" }, child, error)
  }

  return (failed: FailedCall): Step[] => {
    const { call, error, isStopped, child } = failed
    const step = stepOf(call.session)
    // Before the turn ends; the other steps do not wait for it.
    lookAfter(call).catch((error: unknown) => log("error", "could not look after a failed call", error))
    return [
      ...(child === null ? [] : [["end of a subagent", () => endChild(call.session, child, error)] as const]),
      ...(isStopped ? [] : [["count of a failure", () => count(failed, step)] as const]),
    ]
  }
}

interface Around {
  changed: readonly string[]
  /** Title of the current task. */
  task: string | null
  /** Id of the model's answer that the call belongs to. */
  step: string | null
}

/** The event that detection counts for a call with a result. */
export function observedCall(
  result: CallResult,
  call: GateCall,
  { changed, task, step, check }: Around & { check: CheckResult | undefined },
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

/** The event for a call without a result. */
export function observedFailure(
  call: ToolCall,
  error: string,
  { task, step }: Omit<Around, "changed">,
): SessionEvent {
  return {
    what: "call",
    ...partsOf(call),
    use: call.use,
    check: null,
    ok: false,
    said: error,
    task,
    step,
  }
}

function partsOf({ signature, prose, own, isReader, edits }: ToolCall) {
  return { signature, prose, own, isReader, edits }
}

function hasSucceeded({ ok, exit, isSilent, isStopped }: CallResult, { command, shell }: GateCall): boolean {
  if (command === null) return ok
  // grep, test and which exit with 1 and print nothing if there is no match: no failure.
  const hasFoundNothing = shell?.kind === "read" && exit === 1 && isSilent
  return exit === 0 || hasFoundNothing || isStopped
}

/**
 * Commits are no checks here, and a stopped check is unknown. A failure seen only in the output is left out: counting
 * it would warn more than one in twenty real sessions.
 */
function checkOutcome({ isStopped }: CallResult, check: CheckResult | undefined): ObservedCall["check"] {
  if (check === undefined || check.kinds.every((kind) => kind === "commit")) return null
  const isLeftOut = check.result === "failed" && check.isExitHidden
  return isStopped || isLeftOut ? "unknown" : check.result
}

/** The inbox task of a call without a task, and notes for the model. */
interface Unplanned {
  task: Task | undefined
  notes: readonly string[]
}

/**
 * In `assisted`, unplanned work goes to the session's inbox task, and the model is notified once. In a project without a
 * hive nothing is created.
 */
function unplannedWork() {
  const isNews = onceEach()

  return async (
    hive: Hive,
    caller: { session: string; agent: string | null; tool: string },
    outcome: ToolOutcome | undefined,
  ): Promise<Unplanned> => {
    if (outcome === undefined || hive.config.governance !== "assisted") return NOTHING
    const { state } = hive.store.read()
    const there = unplannedTask(state, caller.session)
    if (there !== undefined) return { task: there, notes: [] }
    const [file] = outcome.files
    if (file === undefined) return NOTHING
    if (hive.store.isThere()) {
      const { task, isFirst } = await adoptUnplanned(hive, caller, file)
      return { task, notes: isFirst ? [`${NO_TASK}; it is kept in the inbox. ${TO_NAME_IT}`] : [] }
    }
    return { task: undefined, notes: isNews(caller.session) ? [`${NO_TASK}. ${TO_NAME_IT}`] : [] }
  }
}

const NOTHING: Unplanned = { task: undefined, notes: [] }
const NO_TASK = "HiveMind: this write belongs to no task"
const TO_NAME_IT = `${callText("session", "update")} names the work.`
