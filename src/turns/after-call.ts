import { isAbsolute } from "node:path"
import { lastWarning } from "../context/inject/packed-warnings.ts"
import type { Injection } from "../context/inject/record.ts"
import type { GateCall } from "../gate/call.ts"
import { currentTask } from "../graph/current-task.ts"
import { first } from "../graph/record-map.ts"
import type { GraphState } from "../graph/state.ts"
import type { Hive } from "../hive/hive.ts"
import { declaredChecks } from "../project/scan/declared-checks.ts"
import type { SignalName } from "../schemas/signals.ts"
import type { Task } from "../schemas/task.ts"
import { onceEach } from "../shared/once-each.ts"
import { shorten } from "../shared/text/clean.ts"
import { hostToolAuthor } from "../shared/tool-names.ts"
import { countEvent } from "../watch/count-event.ts"
import type { Warning } from "../watch/warning.ts"
import { recordReport } from "../work/delegation/run.ts"
import { type CheckResult, judgeChecks } from "../work/task/check-summary.ts"
import { recordCheckpoint, type ToolOutcome } from "../work/task/checkpoint.ts"
import type { PassedCalls } from "./before-call.ts"
import { type CallSnapshots, effectOf } from "./call-snapshots.ts"
import { type ChangeNotes, listed } from "./change-notes.ts"
import type { NewsInTurn } from "./news.ts"
import { observedCall } from "./observed-call.ts"
import { unplannedWork } from "./unplanned-work.ts"

/** How a call has ended, in HiveMind's words. A tool that fails by itself may not come here: see call-failed.ts. */
export interface CallResult {
  id: string
  session: string
  agent: string | null
  tool: string
  /** False where the host or the tool itself says that it failed. Of a command, `exit` says more. */
  ok: boolean
  /** How a command ended; null where that is not known. */
  exit: number | null
  /** What the model reads of it. */
  said: string
  /** It printed nothing. */
  isSilent: boolean
  /** The user stopped it, which says nothing about the command. */
  isStopped: boolean
  /** A subagent's session that has ended with this call, and what it reported. */
  child: { session: string; report: string } | null
}

/** What the model reads together with the result of its call. */
export interface AfterCall {
  /** What the gate has to say about the call. */
  notes: readonly string[]
  /** What cannot wait for the next user message. */
  warnings: readonly Warning[]
}

export interface AfterCallInput {
  hive: () => Promise<Hive>
  calls: PassedCalls
  /** What the messages of a session carry. */
  injections: (session: string) => Injection[]
  agentOf: (session: string) => string | null
  /** The model's answer that is under way in a session: its calls run in parallel. */
  stepOf: (session: string) => string | null
  news: NewsInTurn
  tree: CallSnapshots
  changeNotes: ChangeNotes
  /** These files have changed, relative to the project. */
  onChange: (paths: readonly string[]) => void
}

/** Counts the call, notes what was done for which task, and returns what the model should know at once. */
export function afterCall(input: AfterCallInput) {
  const { hive, calls, injections, agentOf, stepOf, news, tree, changeNotes, onChange } = input
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
    const told = news.since(result.session, opened.store.read().state)
    if (found === undefined) return { notes: told, warnings: [] }
    const { call, passed } = found
    const { changed, lost } = await tree.end(opened, call)
    const caller = { session: result.session, agent: result.agent, tool: hostToolAuthor(result.tool) }
    const { state } = opened.store.read()
    const planned = taskOf(state, result, passed.task)
    const check = await checkOf(opened, result, call)
    const outcome = outcomeOf(result, call, changed, check)
    const written = new Set([...changed, ...(outcome?.files ?? [])])
    if (written.size > 0) onChange([...written])
    const step = stepOf(result.session)
    const observed = observedCall(result, call, { changed, task: planned?.title ?? null, step, check })
    const unplanned = planned === undefined ? await withoutTask(opened, caller, outcome) : undefined
    const task = planned ?? unplanned?.task
    const lastShown = (name: SignalName) =>
      lastWarning(injections(result.session), name, opened.config.detection)
    const [warnings] = await Promise.all([
      countEvent(opened, caller, observed, lastShown),
      task !== undefined && outcome !== undefined
        ? recordCheckpoint(opened, caller, task, outcome)
        : undefined,
    ])
    // A subagent's own calls have told what it changed.
    const agent = result.child === null ? result.agent : null
    const changes = await changeNotes.about(opened, { session: result.session, agent, changed, task, lost })
    // What the gate only remarks on, it remarks on once in a session.
    const remarks = passed.warnings.filter((text) => isNews(`${result.session} ${text}`))
    return { notes: [...remarks, ...(unplanned?.notes ?? []), ...changes, ...told], warnings }
  }
}

/** The task that the call was let through for. What a subagent has left behind belongs to what it was given. */
function taskOf(state: GraphState, { session, child }: CallResult, passed: Task | null): Task | undefined {
  const given = child === null ? undefined : first(1, state.delegation.by("child", child.session))[0]
  return (given && state.task.get(given.task_id)) ?? passed ?? currentTask(state, session)
}

/** How the checks of a command have ended; undefined where it runs none. */
async function checkOf(
  hive: Hive,
  { exit, said, isSilent }: CallResult,
  { command }: GateCall,
): Promise<CheckResult | undefined> {
  if (command === null) return undefined
  return judgeChecks(command.text, { exit, output: isSilent ? "" : said }, await declaredChecks(hive))
}

/** Writes, edits, builds, tests and git are worth a checkpoint, and whatever has changed a file; reading is not. */
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
    // Behind a grep that has found nothing, the exit is 1 and the check's result unknown.
    const isUnknown = check?.result === "unknown" && exit !== null
    const ok = isUnknown || (exit === 0 && check?.result !== "failed")
    const summary = `${kind}: ${shorten(command.text, 120)}${ok ? "" : " (failed)"}`
    // Of a check whose result is not known nothing is claimed: completing the task runs it.
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
