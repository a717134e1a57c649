import type { GateCall, ToolCall } from "../gate/call.ts"
import type { Hive } from "../hive/hive.ts"
import type { Task } from "../schemas/task.ts"
import { isAgainstKnown } from "../watch/known-limits.ts"
import type { SessionEvent } from "../watch/observe.ts"
import { askedWords } from "../watch/session-metrics.ts"
import { placeOf } from "../watch/task-place.ts"
import { existsIn } from "../work/task/evidence.ts"
import type { CallResult } from "./after-call.ts"

interface Seen {
  changed: readonly string[]
  task: Task | undefined
  hasOutcome: boolean
}

/** What the watch is told of a call that ran. */
export function observedCall(
  { dir, store }: Hive,
  result: CallResult,
  call: GateCall,
  { changed, task, hasOutcome }: Seen,
): SessionEvent {
  const { use, own, command, shell, writes } = call
  const written = command === null ? writes : changed
  const { state } = store.read()
  return {
    what: "call",
    ...worded(call),
    // Whatever it is called, it has written.
    use: changed.length > 0 && own === null && use !== "delegate" ? "write" : use,
    command: command === null ? null : shell?.kind === "test" || shell?.kind === "build" ? "check" : "other",
    ok: hasSucceeded(result, call),
    said: result.said,
    removed: command === null ? [] : removedOf(dir, [...changed, ...writes]),
    task: task?.title ?? null,
    leftCheckpoint: hasOutcome,
    place: placeOf(task, { written, ...whatItNames(call) }, askedWords(state, result.session)),
    isAgainst: isAgainstKnown(state, call),
  }
}

/** What it is told of one that failed by itself or was refused: nothing came of it. */
export function observedFailure(call: ToolCall, error: string, task: string | null): SessionEvent {
  return {
    what: "call",
    ...worded(call),
    use: call.use,
    command: call.command === null ? null : "other",
    ok: false,
    said: error,
    removed: [],
    task,
    leftCheckpoint: false,
    place: null,
    isAgainst: false,
  }
}

/** A reading call names little else than what it reads or looks for; a command says what it does. */
function whatItNames({ use, own, command, signature, prose, edits }: GateCall): {
  named: string
  text: string
} {
  const isLook = own === null && (use === "read" || use === "query") && command === null
  const named = isLook ? JSON.stringify(signature) : `${command?.text ?? ""} ${prose}`
  const text = edits
    .slice(0, MAX_ASKED)
    .map(({ from, to }) => `${from?.slice(0, MAX_CHARS)} ${to.slice(0, MAX_CHARS)}`)
  return { named: named.slice(0, MAX_CHARS), text: text.join(" ") }
}

/** Single files that are gone: a folder that is made anew with every build does not count. */
function removedOf(dir: string, paths: readonly string[]): string[] {
  const files = paths.filter((path) => /^[^/*?].*\.\w+$/.test(path)).slice(0, MAX_ASKED)
  return [...new Set(files)].filter((path) => !existsIn(dir, path))
}

function worded({ signature, prose, own, isReader, subagent, edits }: ToolCall) {
  return { signature, prose, own, isReader, edits, prompt: subagent?.prompt ?? null }
}

function hasSucceeded({ ok, exit, isSilent, isStopped }: CallResult, { command, shell }: GateCall): boolean {
  if (command === null) return ok
  // Looking for something that is not there is no failure: grep, test and which say so with a 1 and not a word.
  const hasFoundNothing = shell?.kind === "read" && exit === 1 && isSilent
  return exit === 0 || hasFoundNothing || isStopped
}

const MAX_ASKED = 50
const MAX_CHARS = 2000
