import type { AssistantMessage, Message, Part } from "@opencode-ai/sdk"
import type { SeenMessage } from "../../context/inject/seen-message.ts"
import type { Answer } from "../../context/prune/prune.ts"
import type { HiveMind } from "../port.ts"
import { isRepeatable } from "./calls.ts"
import { isCompactionRequest, isFinishedSummary, isOnlyShown, textOf } from "./message-parts.ts"

type HostMessage = { info: Message; parts: Part[] }

/** Adds HiveMind's text to user messages and removes old tool output, before every model step. OpenCode stores neither. */
export function injectInto(
  hivemind: Pick<HiveMind, "inject">,
  compacting: Set<string>,
  windowOf: (model: string) => number | undefined,
) {
  return async (messages: HostMessage[]): Promise<void> => {
    const session = messages[0]?.info.sessionID
    if (session === undefined || compacting.delete(session)) return
    // OpenCode makes the session's title from this list. It runs first, so that HiveMind's text is not in the title.
    if (!messages.some(({ info }) => info.role === "assistant"))
      await new Promise((resolve) => setImmediate(resolve))
    const newest = messages.findLast(({ info, parts }) => info.role === "user" && !isOnlyShown(parts))?.info
    const asked = newest?.role === "user" ? newest.model : undefined
    const model = asked && modelName(asked)
    const { parts, removals } = await hivemind.inject(
      session,
      messages.filter(({ parts }) => !isOnlyShown(parts)).map(seen),
      model === undefined ? undefined : { name: model, window: windowOf(model) },
    )
    messages.forEach((message, index) => {
      const ours = (parts.get(message.info.id) ?? []).map((text, part) =>
        syntheticPart(message.info, text, part),
      )
      const isPruned = removals.size > 0 && message.parts.some(({ id }) => removals.has(id))
      if (ours.length === 0 && !isPruned) return
      // The messages are copied: OpenCode uses the same objects for its title request and for later requests.
      const theirs = isPruned
        ? message.parts.map((part) => withRemoval(part, removals.get(part.id)))
        : message.parts
      messages[index] = { ...message, parts: [...ours, ...theirs] }
    })
  }
}

/** The message in HiveMind's terms. Fields that cost time are computed when they are read. */
function seen({ info, parts }: HostMessage): SeenMessage {
  return {
    id: info.id,
    role: info.role,
    sentAt: info.time?.created,
    get text() {
      return textOf(parts)
    },
    get isCompactionRequest() {
      return isCompactionRequest(parts)
    },
    get answer() {
      return info.role === "assistant" ? answerIn(info, parts) : undefined
    },
    charsWithout: (removals) => charsOf(parts, removals),
  }
}

function charsOf(parts: readonly Part[], removals: ReadonlyMap<string, string>): number {
  let chars = 0
  for (const part of parts) {
    if (part.type === "text" && part.synthetic !== true) chars += part.text.length
    else if (part.type === "tool" && part.state.status === "completed" && !part.state.time.compacted)
      chars += (removals.get(part.id) ?? part.state.output).length
  }
  return chars
}

function answerIn(info: AssistantMessage, parts: readonly Part[]): Answer {
  return {
    endedAt: info.time.completed,
    summaryFor: isFinishedSummary(info) ? info.parentID : undefined,
    get calls() {
      return parts.flatMap((part) => {
        // Output that the host has cleared cannot be pruned again.
        if (part.type !== "tool" || part.state.status !== "completed" || part.state.time.compacted) return []
        const { id, tool, state } = part
        return [{ id, tool, at: state.time.start, output: state.output, isRepeatable: isRepeatable(tool) }]
      })
    },
  }
}

export function modelName({ providerID, modelID }: { providerID: string; modelID: string }): string {
  return `${providerID}/${modelID}`
}

function withRemoval(part: Part, removal: string | undefined): Part {
  if (removal === undefined || part.type !== "tool" || part.state.status !== "completed") return part
  const { attachments: _, ...state } = part.state
  return { ...part, state: { ...state, output: removal } }
}

function syntheticPart(info: Message, text: string, index: number): Part {
  const id = `prt_hivemind_${info.id}_${index}`
  return { id, sessionID: info.sessionID, messageID: info.id, type: "text", text, synthetic: true }
}
