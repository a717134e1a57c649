import { lastWarning } from "../context/inject/packed-warnings.ts"
import type { Injection } from "../context/inject/record.ts"
import type { GateCall } from "../gate/call.ts"
import { UNKNOWN_PATH } from "../gate/shell/judgement.ts"
import { currentTask } from "../graph/current-task.ts"
import type { Hive } from "../hive/hive.ts"
import type { SignalName } from "../schemas/signals.ts"
import { isCommitCommand } from "../shared/commit-command.ts"
import { shorten } from "../shared/text/clean.ts"
import { hostToolAuthor } from "../shared/tool-names.ts"
import type { SessionEvent } from "../watch/observe.ts"
import { tally } from "../watch/tally.ts"
import type { Warning } from "../watch/warning.ts"
import { recordReport } from "../work/delegation/run.ts"
import { recordCheckpoint, type ToolOutcome } from "../work/task/checkpoint.ts"
import { isRunOf } from "../work/task/evidence.ts"
import type { PassedCalls } from "./before-call.ts"
import type { NewsInTurn } from "./news.ts"

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
  news: NewsInTurn
}

/** Counts the call, notes what was done for which task, and returns what the model should know at once. */
export function afterCall({ hive, calls, injections, agentOf, news }: AfterCallInput) {
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
    const caller = { session: result.session, agent: result.agent, tool: hostToolAuthor(result.tool) }
    const task = passed.task ?? currentTask(opened.store.read().state, result.session)
    const outcome = outcomeOf(result, call, task?.verify ?? null)
    const observed = observedCall(result, call, task?.title ?? null, outcome !== undefined)
    const lastShown = (name: SignalName) =>
      lastWarning(injections(result.session), name, opened.config.detection)
    const [warnings] = await Promise.all([
      tally(opened, caller, observed, lastShown),
      task != null && outcome !== undefined ? recordCheckpoint(opened, caller, task, outcome) : undefined,
    ])
    return { notes: [...passed.warnings, ...told], warnings }
  }
}

function observedCall(
  result: CallResult,
  call: GateCall,
  task: string | null,
  leftCheckpoint: boolean,
): SessionEvent {
  const { use, signature, prose, own, isReader } = call
  return {
    what: "call",
    use,
    signature,
    prose,
    own,
    isReader,
    ok: hasSucceeded(result, call),
    task,
    leftCheckpoint,
  }
}

function hasSucceeded({ ok, exit, isSilent, isStopped }: CallResult, { command, shell }: GateCall): boolean {
  if (command === null) return ok
  // Looking for something that is not there is no failure: grep, test and which say so with a 1 and not a word.
  const hasFoundNothing = shell?.kind === "read" && exit === 1 && isSilent
  return exit === 0 || hasFoundNothing || isStopped
}

/** Writes, edits, builds, tests, git and the task's own check are worth a checkpoint; reading is not. */
function outcomeOf(
  { tool, exit }: CallResult,
  { command, shell, writes }: GateCall,
  verify: string | null,
): ToolOutcome | undefined {
  if (command !== null) {
    const isVerify = verify !== null && isRunOf(verify, command.text)
    const kind = isVerify ? "verify" : (shell?.kind ?? "other")
    if (kind === "read" || (kind === "other" && writes.length === 0)) return undefined
    const ok = exit === 0
    const summary = `${kind}: ${shorten(command.text, 120)}${ok ? "" : " (failed)"}`
    const did: ToolOutcome["did"] = kind === "verify" || kind === "test" || kind === "build" ? [kind] : []
    if (isCommitCommand(command.text)) did.push("commit")
    return { tool, summary, files: known(writes), command: command.text, did, ok }
  }
  if (writes.length === 0) return undefined
  return { tool, summary: `${tool} ${writes.join(", ")}`, files: known(writes), command: null, ok: true }
}

/** Paths that name one file of the project: a command may also write a folder, a pattern, or who knows where. */
function known(paths: readonly string[]): string[] {
  return paths.filter(
    (path) => path !== UNKNOWN_PATH && path !== "." && !path.startsWith("/") && !/[*?[\]{}]/.test(path),
  )
}
