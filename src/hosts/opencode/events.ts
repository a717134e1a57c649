import type { AssistantMessage, Event, ToolPart, ToolStateError } from "@opencode-ai/sdk"
import { BoundedMap, onceEach } from "../../shared/ids.ts"
import type { TurnOutcome } from "../../turns/between-turns.ts"
import type { HiveMind } from "../port.ts"
import { readCall } from "./calls.ts"
import { DASHBOARD_COMMAND } from "./dashboard.ts"
import { countedAnswer, subagentSession } from "./message-parts.ts"

/** `compacting` holds the sessions whose next request is a compaction; a session leaves it when its turn ends. */
export function eventReader(
  { between, learnParent }: Pick<HiveMind, "between" | "learnParent">,
  compacting: Set<string>,
  windowOf: (model: string) => number | undefined,
  showDashboard: () => Promise<void>,
  // OpenCode reports most events several times.
  isNewFailure = onceEach(),
) {
  const began = new BoundedMap<string, number>()
  const spoken = new BoundedMap<string, { messageID: string; text: string }>()
  const isNewAnswer = onceEach()
  const isNewBegin = onceEach()
  const isNewCount = onceEach()

  return (event: Event): void => {
    switch (event.type) {
      case "session.created": {
        const { id, parentID, time } = event.properties.info
        began.set(id, time.created)
        learnParent(id, parentID ?? null)
        between.sessionStarted(id, parentID !== undefined)
        break
      }
      case "session.updated": {
        const { id, parentID, title } = event.properties.info
        if (parentID === undefined && !DEFAULT_TITLE.test(title)) between.sessionTitled(id, title)
        break
      }
      case "session.idle":
        compacting.delete(event.properties.sessionID)
        between.turnEnded(event.properties.sessionID)
        break
      case "session.compacted":
        compacting.delete(event.properties.sessionID)
        between.compacted(event.properties.sessionID)
        break
      case "command.executed": {
        const { sessionID, name, arguments: words } = event.properties
        between.commandRun(sessionID, name, words)
        if (name === DASHBOARD_COMMAND) void showDashboard()
        break
      }
      case "session.deleted":
        began.delete(event.properties.info.id)
        spoken.delete(event.properties.info.id)
        between.sessionEnded(event.properties.info.id)
        break
      case "message.part.updated": {
        const { part } = event.properties
        if (part.type === "tool" && part.state.status === "error") onFailure(part, part.state)
        if (part.type === "text") spoken.set(part.sessionID, part)
        break
      }
      case "message.updated":
        if (event.properties.info.role !== "assistant") break
        count(event.properties.info)
        onAnswer(event.properties.info)
        break
    }
  }

  /** A call that failed or was refused runs no `tool.execute.after` hook; only this event reports it. */
  function onFailure({ sessionID: session, callID: id, tool }: ToolPart, state: ToolStateError): void {
    if (isCopy(session, state.time.end) || !isNewFailure(id)) return
    const { input, metadata, error } = state
    between.callFailed({
      call: readCall({ id, session, agent: null, tool, args: input }),
      error,
      isStopped: metadata?.["interrupted"] === true || error === "Tool execution aborted",
      rejection: rejectionIn(error),
      child: tool === "task" ? subagentSession(metadata) : null,
    })
  }

  function count(message: AssistantMessage): void {
    const { id, sessionID: session, time } = message
    if (isCopy(session, time.completed ?? time.created)) return
    if (time.completed === undefined) {
      if (isNewBegin(id)) between.answerBegun(session, id)
      return
    }
    const answer = countedAnswer(
      message,
      time.completed,
      windowOf(`${message.providerID}/${message.modelID}`),
    )
    // An answer that is reported again with other token counts is counted again.
    if (isNewCount(`${id} ${JSON.stringify(answer.tokens)}`)) between.answerCounted(answer)
  }

  function onAnswer(message: AssistantMessage): void {
    const outcome = outcomeOf(message)
    if (outcome === undefined || isCopy(message.sessionID, message.time.completed)) return
    if (!isNewAnswer(message.id)) return
    const last = spoken.get(message.sessionID)
    between.answerEnded(message.sessionID, outcome, last?.messageID === message.id ? last.text : "")
  }

  /** A fork reports everything that happened in its source session as if it were new. */
  function isCopy(session: string, ended: number | undefined): boolean {
    return ended !== undefined && ended < (began.get(session) ?? 0)
  }
}

/** Whether an answer ended its turn well or by the user's stop. Undefined if the turn goes on, failed, or was filtered. */
function outcomeOf({ time, error, finish, summary }: AssistantMessage): TurnOutcome | undefined {
  if (time.completed === undefined || summary === true) return undefined
  // OpenCode sends no `session.error` for a turn that is stopped before the model was asked.
  if (error !== undefined) return error.name === "MessageAbortedError" ? "cancelled turn" : undefined
  if (finish === undefined || UNFINISHED.has(finish)) return undefined
  return "good turn"
}

/** The reason that the user typed when rejecting a call, maybe ""; null if the call failed for another reason. */
function rejectionIn(error: string): string | null {
  if (!error.startsWith(REJECTED)) return null
  return error
    .slice(REJECTED.length)
    .replace(/^.*following feedback: /, "")
    .replace(/^\.$/, "")
}

// OpenCode's placeholder until the session has a title.
const DEFAULT_TITLE = /^New session - \d{4}-/
const REJECTED = "The user rejected permission to use this specific tool call"
const UNFINISHED = new Set(["tool-calls", "unknown", "content-filter", "error"])
