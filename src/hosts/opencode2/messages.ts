import type { SeenMessage } from "../../context/inject/seen-message.ts"
import { onceEach } from "../../shared/ids.ts"
import type { HiveMind } from "../port.ts"
import type { ContextEvent, HostMessage } from "./context.ts"

/** Puts HiveMind's text into the user messages. Runs before every request; OpenCode does not store the changes. */
export function injectInto2(
  hivemind: Pick<HiveMind, "inject" | "onUserMessage" | "protocol">,
  windowOf: (model: string) => Promise<number | undefined>,
) {
  const isNew = onceEach()

  return async (event: ContextEvent): Promise<void> => {
    const { sessionID: session, agent, messages } = event
    const model = `${event.model.providerID}/${event.model.id}`
    event.system.push({ type: "text", text: hivemind.protocol })
    const newest = messages.findLast(({ role }) => role === "user")
    if (newest === undefined) return
    // A message without an id is not the user's: a plugin sent it, or a request that keeps the provider's cache warm.
    const isStored = newest.id !== undefined
    const isUnanswered = newest === messages.findLast(({ role }) => role !== "system")
    // A message of the user or a plugin has metadata; the message that OpenCode 2 makes of a compaction has none.
    if (newest.id !== undefined && isUnanswered && newest.metadata !== undefined && isNew(newest.id))
      await hivemind.onUserMessage({ session, agent, text: textOf(newest), id: newest.id })
    const known = isStored ? messages : messages.slice(0, messages.indexOf(newest))
    const window = await windowOf(model)
    const { parts } = await hivemind.inject(session, known.flatMap(seen), { name: model, window })
    event.messages = messages.map((message) => {
      const ours = message.id === undefined ? undefined : parts.get(message.id)
      if (message.role !== "user" || ours === undefined || ours.length === 0) return message
      // OpenCode 2 joins the parts of one message without a separator.
      const added = ours.map((text) => ({ type: "text", text: `${text}\n\n` }))
      return { ...message, content: [...added, ...message.content] }
    })
  }
}

function seen(message: HostMessage, index: number): SeenMessage[] {
  const { id, role } = message
  if (role === "user" && id === undefined) return []
  return [
    {
      id: id ?? `${role} ${index}`,
      role: role === "user" ? "user" : "assistant",
      text: role === "user" ? textOf(message) : "",
      isCompactionRequest: false,
      charsWithout: () => charsOf(message),
    },
  ]
}

function textOf({ content }: HostMessage): string {
  return content.flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : [])).join("\n")
}

function charsOf({ content }: HostMessage): number {
  let chars = 0
  for (const { text, result } of content)
    chars += text?.length ?? (result === undefined ? 0 : JSON.stringify(result).length)
  return chars
}
