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
      messages.filter(({ parts }) => !isOnlyShown(parts)).map((message) => new Seen(message)),
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

/** Computes a field only when it is read. A class instance is cheap, and each model step creates one per message. */
class Seen implements SeenMessage {
  readonly #message: HostMessage

  constructor(message: HostMessage) {
    this.#message = message
  }

  get id() {
    return this.#message.info.id
  }

  get role() {
    return this.#message.info.role
  }

  get sentAt() {
    return this.#message.info.time?.created
  }

  get text() {
    return textOf(this.#message.parts)
  }

  get isCompactionRequest() {
    return isCompactionRequest(this.#message.parts)
  }

  get answer() {
    const { info, parts } = this.#message
    return info.role === "assistant" ? new Answered(info, parts) : undefined
  }

  charsWithout(removals: ReadonlyMap<string, string>) {
    return charsOf(this.#message.parts, removals)
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

class Answered implements Answer {
  readonly endedAt: number | undefined
  readonly summaryFor: string | undefined
  readonly #parts: readonly Part[]

  constructor(info: AssistantMessage, parts: readonly Part[]) {
    this.endedAt = info.time.completed
    this.summaryFor = isFinishedSummary(info) ? info.parentID : undefined
    this.#parts = parts
  }

  get calls(): Answer["calls"] {
    return this.#parts.flatMap((part) => {
      // Output that the host has cleared cannot be pruned again.
      if (part.type !== "tool" || part.state.status !== "completed" || part.state.time.compacted) return []
      const { id, tool, state } = part
      return [{ id, tool, at: state.time.start, output: state.output, isRepeatable: isRepeatable(tool) }]
    })
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
