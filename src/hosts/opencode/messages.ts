import type { AssistantMessage, Message, Part } from "@opencode-ai/sdk"
import type { WrittenAnswer } from "../../context/inject/model-scripts.ts"
import type { SeenMessage } from "../../context/inject/seen-message.ts"
import type { Answer } from "../../context/prune/prune.ts"
import type { HiveMind } from "../port.ts"
import { isRepeatable } from "./calls.ts"
import { isCompactionRequest, isFinishedSummary, textOf } from "./client.ts"
import type { CompactingSessions } from "./compacting.ts"

interface HostMessage {
  info: Message
  parts: Part[]
}

/** Puts the frozen parts into the user messages. Runs before every model step; OpenCode throws the changes away. */
export function injectInto(
  hivemind: Pick<HiveMind, "inject">,
  compacting: Pick<CompactingSessions, "take">,
  windowOf: (model: { providerID: string; modelID: string }) => number | undefined,
) {
  return async (messages: HostMessage[]): Promise<void> => {
    const session = messages[0]?.info.sessionID
    // The request that follows a compaction's start is the compaction's own.
    if (session === undefined || compacting.take(session)) return
    // On a session's first step OpenCode has started its title request, which picks its messages from this very list
    // as soon as it gets to run. Letting it run first keeps the block out of it.
    if (!messages.some(({ info }) => info.role === "assistant"))
      await new Promise((resolve) => setImmediate(resolve))
    const newest = messages.findLast(({ info }) => info.role === "user")?.info
    const asked = newest?.role === "user" ? newest.model : undefined
    const { parts, removals } = await hivemind.inject(
      session,
      messages.map((message) => new Seen(message)),
      asked && { name: modelName(asked), window: windowOf(asked) },
    )
    messages.forEach((message, index) => {
      const ours = (parts.get(message.info.id) ?? []).map((text, part) =>
        syntheticPart(message.info, text, part),
      )
      const isPruned = removals.size > 0 && message.parts.some(({ id }) => removals.has(id))
      if (ours.length === 0 && !isPruned) return
      // New objects: the host lends the same messages to its title request, and keeps them for later ones.
      const theirs = isPruned
        ? message.parts.map((part) => withRemoval(part, removals.get(part.id)))
        : message.parts
      messages[index] = { ...message, parts: [...ours, ...theirs] }
    })
  }
}

/**
 * Looked into only where it is asked: of hundreds of messages one is new, and most steps bring none. A class, because there
 * is one for each of them on every step.
 */
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

  get counted() {
    const { info, parts } = this.#message
    return info.role === "assistant" ? writtenAnswer(info, parts) : undefined
  }

  charsWithout(removals: ReadonlyMap<string, string>) {
    return charsOf(this.#message.parts, removals)
  }
}

/** Asked of every message on each new one: it makes nothing. */
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

  /** Asked for only where something may be pruned: most messages are looked at for their end alone. */
  get calls(): Answer["calls"] {
    return this.#parts.flatMap((part) => {
      // What the host itself has cleared is no longer there to prune.
      if (part.type !== "tool" || part.state.status !== "completed" || part.state.time.compacted) return []
      const { id, tool, state } = part
      return [{ id, tool, at: state.time.start, output: state.output, isRepeatable: isRepeatable(tool) }]
    })
  }
}

/** Thoughts are counted in with the answer: not every provider keeps the two apart. */
function writtenAnswer(info: AssistantMessage, parts: readonly Part[]): WrittenAnswer | undefined {
  // Cut short, it may not be counted to its end.
  if (info.time.completed === undefined || info.error !== undefined) return undefined
  const { output = 0, reasoning = 0 } = info.tokens ?? {}
  const isAll = reasoning === 0 && !parts.some(({ type }) => type === "tool" || type === "reasoning")
  return { model: modelName(info), text: textOf(parts), tokens: output + reasoning, isAll }
}

function modelName({ providerID, modelID }: { providerID: string; modelID: string }): string {
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
