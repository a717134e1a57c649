import { lastTold } from "../context/inject/packed-warnings.ts"
import type { Injection } from "../context/inject/record.ts"
import { warningElement } from "../context/pack/warning-item.ts"
import type { GateCall } from "../gate/call.ts"
import { UNKNOWN_PATH } from "../gate/shell/judgement.ts"
import { currentTask } from "../graph/current-task.ts"
import type { Hive } from "../hive/hive.ts"
import type { SignalName } from "../schemas/signals.ts"
import type { Happening } from "../watch/observe.ts"
import { tally } from "../watch/tally.ts"
import { useOfCall } from "../watch/tool-use.ts"
import type { Warning } from "../watch/warning.ts"
import { type Deed, recordDeed } from "../work/task/checkpoint.ts"
import { isRunOf } from "../work/task/evidence.ts"
import type { PassedCalls } from "./tool-gate.ts"

export interface ToolResult {
  callID: string
  tool: string
  session: string
  agent: string | null
  output: { output: string; metadata: unknown; title: string }
}

export interface ToolAfterInput {
  hive: () => Promise<Hive>
  calls: PassedCalls
  /** What the messages of a session carry. */
  injections: (session: string) => Injection[]
  /** A subagent has ended: its result goes back to the delegation. */
  onSubagentEnd: (parent: string, result: ToolResult) => Promise<void>
}

/** Counts the call, notes what was done for which task, and adds what cannot wait to what the model reads. */
export function toolAfterHook({ hive, calls, injections, onSubagentEnd }: ToolAfterInput) {
  return async (result: ToolResult): Promise<void> => {
    const found = calls.get(result.callID)
    calls.delete(result.callID)
    if (result.tool === "task") await onSubagentEnd(result.session, result)
    if (found === undefined) return
    const { call, passed } = found
    const opened = await hive()
    const caller = { session: result.session, agent: result.agent, tool: `tool ${result.tool}`.slice(0, 100) }
    for (const warning of passed.warnings) result.output.output += `\n\n${warning}`

    const task = passed.task ?? currentTask(opened.store.read().state, result.session)
    const deed = deedOf(result, call, task?.verify ?? null)
    const observed = observedCall(result, call, task?.title ?? null, deed !== undefined)
    const toldOf = (name: SignalName) => lastTold(injections(result.session), name, opened.config.detection)
    const [urgent] = await Promise.all([
      tally(opened, caller, observed, toldOf),
      task != null && deed !== undefined ? recordDeed(opened, caller, task, deed) : undefined,
    ])
    if (urgent.length > 0) result.output.output = withWarnings(result, urgent)
  }
}

function observedCall(result: ToolResult, call: GateCall, task: string | null, isDeed: boolean): Happening {
  const { tool, agent } = result
  const use = useOfCall(call)
  return { what: "call", tool, args: call.args, use, agent, ok: hasSucceeded(result, call), task, isDeed }
}

/** Our own tools answer in JSON, and what they answer stays JSON. */
function withWarnings({ tool, output }: ToolResult, warnings: readonly Warning[]): string {
  const reply = tool.startsWith("hivemind_") ? jsonObject(output.output) : undefined
  if (reply === undefined)
    return [output.output, ...warnings.map((each) => warningElement(each))].join("\n\n")
  const texts = Object.fromEntries(warnings.map(({ id, text }) => [id, text]))
  return JSON.stringify({ ...reply, drift_warnings: texts })
}

function jsonObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? value : undefined
  } catch {
    return undefined // The gate's own warnings follow it: then it is text.
  }
}

/** Tools that fail by themselves do not come here; these say in their result how it went. */
function hasSucceeded({ tool, output }: ToolResult, { shell }: GateCall): boolean {
  if (tool === "invalid") return false
  if (tool === "bash" || tool === "hivemind_shell") {
    const exit = exitCode(output.metadata)
    // Looking for something that is not there is no failure: grep, test and which say so with a 1 and not a word.
    const hasFoundNothing = shell?.kind === "read" && exit === 1 && SILENT.test(output.output)
    // Stopped by the user, which says nothing about the command.
    return exit === 0 || hasFoundNothing || output.output.includes("User aborted the command")
  }
  return !(tool.startsWith("hivemind_") && output.output.startsWith('{"status":"error"'))
}

/** Writes, edits, builds, tests, git and the task's own check are worth a checkpoint; reading is not. */
function deedOf(
  { tool, output }: ToolResult,
  call: { writes: readonly string[]; command: string | null; shell: { kind: string } | null },
  verify: string | null,
): Deed | undefined {
  if (call.command !== null) {
    const isCheck = verify !== null && isRunOf(verify, call.command)
    const kind = isCheck ? "verify" : (call.shell?.kind ?? "other")
    if (kind === "read" || (kind === "other" && call.writes.length === 0)) return undefined
    const ok = exitCode(output.metadata) === 0
    const summary = `${kind}: ${call.command.replaceAll(/\s+/g, " ").slice(0, 120)}${ok ? "" : " (failed)"}`
    return { tool, summary, files: known(call.writes), command: call.command, ok }
  }
  if (call.writes.length === 0) return undefined
  return {
    tool,
    summary: `${tool} ${call.writes.join(", ")}`,
    files: known(call.writes),
    command: null,
    ok: true,
  }
}

/** Paths that name one file of the project: a command may also write a folder, a pattern, or who knows where. */
function known(paths: readonly string[]): string[] {
  return paths.filter(
    (path) => path !== UNKNOWN_PATH && path !== "." && !path.startsWith("/") && !/[*?[\]{}]/.test(path),
  )
}

function exitCode(metadata: unknown): number {
  // A command whose end is not known has not been seen to succeed.
  if (typeof metadata !== "object" || metadata === null || !("exit" in metadata)) return 1
  return typeof metadata.exit === "number" ? metadata.exit : 1
}

// As the host's shell tool and ours tell that nothing was printed.
const SILENT = /^(\s*|\(no output\)|\{"status":"success","exit":1,"output":""\})$/
