import type { ToolCall } from "../gate/call.ts"
import { currentTask } from "../graph/current-task.ts"
import { hostToolAuthor } from "../shared/tool-names.ts"
import { countEvent } from "../watch/count-event.ts"
import type { SessionEvent } from "../watch/observe.ts"
import { recordFailure } from "../work/delegation/run.ts"
import type { Step } from "./background.ts"
import { observedFailure } from "./observed-call.ts"
import type { TurnInput } from "./turn-input.ts"

/** A call that failed by itself or was refused, so that no step ran after it. */
export interface FailedCall {
  call: ToolCall
  error: string
  /** It was stopped together with its turn: that is the user's doing, and is counted as such. */
  isStopped: boolean
  /** The user rejected it, with these words or none (""); null where not. */
  rejection: string | null
  /** The subagent's session that it had started. */
  child: string | null
}

export function callFailed({ hive, tree, changeNotes, log, stepOf }: TurnInput) {
  /** What it did until then counts as that of any call. */
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
  }

  async function endChild(session: string, child: string, error: string): Promise<void> {
    await recordFailure(await hive(), { session, agent: null, tool: "subagent" }, child, error)
  }

  return (failed: FailedCall): Step[] => {
    const { call, error, isStopped, child } = failed
    const step = stepOf(call.session)
    // At once, before the turn ends; the other steps do not wait for it.
    lookAfter(call).catch((error: unknown) => log("error", "could not look after a failed call", error))
    return [
      ...(child === null ? [] : [["end of a subagent", () => endChild(call.session, child, error)] as const]),
      ...(isStopped ? [] : [["count of a failure", () => count(failed, step)] as const]),
    ]
  }
}
