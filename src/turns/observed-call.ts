import type { GateCall, ToolCall } from "../gate/call.ts"
import type { ObservedCall, SessionEvent } from "../watch/observe.ts"
import type { CheckResult } from "../work/task/check-summary.ts"
import type { CallResult } from "./after-call.ts"

interface Around {
  changed: readonly string[]
  /** The title of the current task. */
  task: string | null
  /** The model's answer that the call is a part of. */
  step: string | null
}

/** The event that detection counts for a call that ran. */
export function observedCall(
  result: CallResult,
  call: GateCall,
  { changed, task, step, check }: Around & { check: CheckResult | undefined },
): SessionEvent {
  const { use, own } = call
  return {
    what: "call",
    ...partsOf(call),
    // A call that changed files is a write, also of a tool that is known as a reader.
    use: changed.length > 0 && own === null && use !== "delegate" ? "write" : use,
    check: checkOutcome(result, check),
    ok: hasSucceeded(result, call),
    said: result.said,
    task,
    step,
  }
}

/** The event for a call that failed or was refused, so that it has no result. */
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

/**
 * A commit is no check here, and a stopped check says nothing. A failure that only the output tells is left out, too:
 * with it, more than one in twenty real sessions would be warned.
 */
function checkOutcome({ isStopped }: CallResult, check: CheckResult | undefined): ObservedCall["check"] {
  if (check === undefined || check.kinds.every((kind) => kind === "commit")) return null
  const isLeftOut = check.result === "failed" && check.isExitHidden
  return isStopped || isLeftOut ? "unknown" : check.result
}
