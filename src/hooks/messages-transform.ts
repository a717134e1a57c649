import type { Message, Part } from "@opencode-ai/sdk"
import { textOf } from "../host/opencode.ts"
import type { Hive } from "../lib/hive.ts"
import type { Injector, SeenMessage } from "../lib/inject/injector.ts"

interface HostMessage {
  info: Message
  parts: Part[]
}

export interface MessagesTransformInput {
  hive: () => Promise<Hive>
  injector: Injector
  /** True once for the request that follows a compaction's start: that one is left alone. */
  takeCompacting: (session: string) => boolean
  windowOf: (model: { providerID: string; modelID: string }) => number | undefined
}

/** Puts the frozen parts into the user messages. Runs before every model step; the host throws the changes away. */
export function messagesTransformHook({ hive, injector, takeCompacting, windowOf }: MessagesTransformInput) {
  return async (messages: HostMessage[]): Promise<void> => {
    const session = messages[0]?.info.sessionID
    if (session === undefined || takeCompacting(session)) return
    const opened = await hive()
    // On a session's first step the host has started its title request, which picks its messages from this very list
    // as soon as it gets to run. Letting it run first keeps the block out of it.
    if (!messages.some(({ info }) => info.role === "assistant"))
      await new Promise((resolve) => setImmediate(resolve))
    const newest = messages.findLast(({ info }) => info.role === "user")?.info
    const window = newest?.role === "user" ? windowOf(newest.model) : undefined
    const parts = injector.inject(opened, session, messages.map(seen), window)
    messages.forEach((message, index) => {
      const texts = parts.get(message.info.id) ?? []
      if (texts.length === 0) return
      // A new object: the host lends the same messages to its title request, which is to stay as it is.
      const ours = texts.map((text, part) => syntheticPart(message.info, text, part))
      messages[index] = { ...message, parts: [...ours, ...message.parts] }
    })
  }
}

function seen({ info, parts }: HostMessage): SeenMessage {
  return {
    id: info.id,
    role: info.role,
    text: textOf(parts),
    isMarker: parts.some(({ type }) => type === "compaction"),
  }
}

function syntheticPart(info: Message, text: string, index: number): Part {
  const id = `prt_hivemind_${info.id}_${index}`
  return { id, sessionID: info.sessionID, messageID: info.id, type: "text", text, synthetic: true }
}
