import type { Event } from "@opencode-ai/sdk"
import { answered } from "../../turns/answered.ts"
import { background, type Step } from "../../turns/background.ts"
import { commandRun } from "../../turns/command-run.ts"
import { compacted } from "../../turns/compacted.ts"
import type { CompactingSessions } from "../../turns/compacting.ts"
import type { MomentInput } from "../../turns/moment.ts"
import { sessionEnd } from "../../turns/session-end.ts"
import type { SessionParents } from "../../turns/session-parents.ts"
import { sessionStart } from "../../turns/session-start.ts"
import { toolFailed } from "../../turns/tool-failed.ts"
import { turnEnd } from "../../turns/turn-end.ts"
import { sessionFiles } from "../../views/session-file/update.ts"

export interface EventInput extends MomentInput {
  parents: SessionParents
  compacting: Pick<CompactingSessions, "over">
}

/** Which moment an event of the host stands for. Nothing here is waited for: an answer is never late because of it. */
export function eventHook({ parents, compacting, ...input }: EventInput) {
  const later = background(input.log)
  // What is counted changes the very next message: it does not queue behind exports, git and folds.
  const soon = background(input.log)
  const began = new Map<string, number>()
  const files = sessionFiles(input.log)
  const moments = {
    started: sessionStart(input),
    turnEnded: turnEnd(input, files),
    toolFailed: toolFailed(input),
    answered: answered(input),
    compacted: compacted(input, files),
    ended: sessionEnd(input, files),
    commandRun: commandRun(input),
  }

  function stepsFor(event: Event): readonly Step[] {
    switch (event.type) {
      case "session.created": {
        const { id, parentID, time } = event.properties.info
        began.set(id, time.created)
        parents.learn(id, parentID ?? null)
        return moments.started(id, parentID !== undefined)
      }
      case "session.idle":
        compacting.over(event.properties.sessionID)
        return moments.turnEnded(event.properties.sessionID)
      case "session.compacted":
        compacting.over(event.properties.sessionID)
        return moments.compacted(event.properties.sessionID)
      case "command.executed": {
        const { sessionID, name, arguments: words } = event.properties
        return moments.commandRun(sessionID, name, words)
      }
      case "session.deleted":
        began.delete(event.properties.info.id)
        return moments.ended(event.properties.info.id)
      default:
        return []
    }
  }

  function countsFor(event: Event): readonly Step[] {
    switch (event.type) {
      case "message.part.updated": {
        const { part } = event.properties
        if (part.type !== "tool" || part.state.status !== "error") return []
        return isCopy(part.sessionID, part.state.time.end) ? [] : moments.toolFailed(part, part.state)
      }
      case "message.updated": {
        const { info } = event.properties
        if (info.role !== "assistant" || isCopy(info.sessionID, info.time.completed)) return []
        return moments.answered(info)
      }
      default:
        return []
    }
  }

  /** A fork tells of everything that happened in the session it was made from as if it were new. */
  function isCopy(session: string, ended: number | undefined): boolean {
    return ended !== undefined && ended < (began.get(session) ?? 0)
  }

  return ({ event }: { event: Event }): void => {
    const steps = stepsFor(event)
    if (steps.length > 0) later(steps)
    const counts = countsFor(event)
    if (counts.length > 0) soon(counts)
  }
}
