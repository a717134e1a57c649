import type { GateCall, ToolCall } from "../gate/call.ts"
import type { ObservedCall, SessionEvent } from "../watch/observe.ts"
import type { CallResult } from "./after-call.ts"

interface Around {
  changed: readonly string[]
  /** The title of the current task. */
  task: string | null
  /** The model's answer that the call is a part of. */
  step: string | null
}

/** What the watch is told of a call that ran. */
export function observedCall(
  result: CallResult,
  call: GateCall,
  { changed, task, step }: Around,
): SessionEvent {
  const { use, own } = call
  return {
    what: "call",
    ...partsOf(call),
    // Whatever it is called, it has written.
    use: changed.length > 0 && own === null && use !== "delegate" ? "write" : use,
    check: checkOutcome(result, call),
    ok: hasSucceeded(result, call),
    said: result.said,
    task,
    step,
  }
}

/** What it is told of one that failed by itself or was refused: nothing came of it. */
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
  // Looking for something that is not there is no failure: grep, test and which say so with a 1 and not a word.
  const hasFoundNothing = shell?.kind === "read" && exit === 1 && isSilent
  return exit === 0 || hasFoundNothing || isStopped
}

/** A filter behind a check ends with its own exit, so a 0 says nothing. */
function checkOutcome({ exit, isStopped }: CallResult, { command, shell }: GateCall): ObservedCall["check"] {
  if (command === null || (shell?.kind !== "test" && shell?.kind !== "build")) return null
  if (isStopped) return "hidden"
  if (exit !== 0) return "failed"
  return command.text.includes("|") ? "hidden" : "passed"
}
