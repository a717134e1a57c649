import type { Event } from "@opencode-ai/sdk"
import { sessionFiles } from "../lib/session-file/keep.ts"
import { background, type Step } from "./background.ts"
import type { CompactingSessions } from "./compacting.ts"
import { answered } from "./moments/answered.ts"
import { commandRun } from "./moments/command-run.ts"
import { compacted } from "./moments/compacted.ts"
import type { MomentInput } from "./moments/moment.ts"
import { sessionEnd } from "./moments/session-end.ts"
import { sessionStart } from "./moments/session-start.ts"
import { toolFailed } from "./moments/tool-failed.ts"
import { turnEnd } from "./moments/turn-end.ts"
import type { SessionParents } from "./session-parents.ts"

export interface EventInput extends MomentInput {
  parents: SessionParents
  compacting: Pick<CompactingSessions, "over">
}

/** Which moment an event of the host stands for. Nothing here is waited for: an answer is never late because of it. */
export function eventHook({ parents, compacting, ...input }: EventInput) {
  const later = background(input.log)
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
        const { id, parentID } = event.properties.info
        parents.learn(id, parentID ?? null)
        return moments.started(id, parentID !== undefined)
      }
      case "message.part.updated": {
        const { part } = event.properties
        if (part.type !== "tool" || part.state.status !== "error") return []
        return moments.toolFailed(part, part.state)
      }
      case "message.updated": {
        const { info } = event.properties
        return info.role === "assistant" ? moments.answered(info) : []
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
        return moments.ended(event.properties.info.id)
      default:
        return []
    }
  }

  return ({ event }: { event: Event }): void => {
    const steps = stepsFor(event)
    if (steps.length > 0) later(steps)
  }
}
