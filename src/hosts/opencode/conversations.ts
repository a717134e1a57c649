import type { PluginInput } from "@opencode-ai/plugin"
import type { Part } from "@opencode-ai/sdk"
import type { Spoken } from "../../context/split/handoff.ts"
import type { Conversations } from "../../turns/conversations.ts"
import { isCompactionRequest, textOf } from "./client.ts"

/** Whole conversations, with OpenCode's client. */
export function openCodeConversations(client: PluginInput["client"]): Conversations {
  const messagesOf = async (session: string, limit: number) => {
    const { data } = await client.session.messages({ path: { id: session }, query: { limit } })
    if (data === undefined) throw new Error("OpenCode gave no messages")
    return data
  }
  const titleFor = async (session: string) => {
    const { data } = await client.session.get({ path: { id: session } })
    if (data === undefined) throw new Error("OpenCode does not know the session")
    return data.title.endsWith(NEXT) ? data.title : `${data.title}${NEXT}`
  }

  return {
    async lastSpoken(session) {
      const spoken: Spoken[] = []
      for (const { info, parts } of await messagesOf(session, LAST_MESSAGES)) {
        if (isCompactionRequest(parts)) continue
        const text = textOf(parts)
        const did = parts.flatMap(describeCall)
        const last = spoken.at(-1)
        // The answer to one message comes in steps.
        if (info.role === "assistant" && last?.role === "assistant")
          spoken[spoken.length - 1] = { ...last, text: joined(last.text, text), did: [...last.did, ...did] }
        else if (text !== "" || did.length > 0) spoken.push({ role: info.role, text, did })
      }
      return spoken
    },
    async makeNext(session) {
      const { data } = await client.session.create({ body: { title: await titleFor(session) } })
      if (data === undefined) throw new Error("OpenCode made no session")
      return data.id
    },
    async unusedNext(session, since) {
      const title = await titleFor(session)
      const { data = [] } = await client.session.list()
      const made = data.filter(
        (each) => each.title === title && each.time.created >= since && each.id !== session,
      )
      const unused: string[] = []
      for (const { id } of made) if ((await messagesOf(id, 2)).length < 2) unused.push(id)
      return unused
    },
    async remove(session) {
      await client.session.delete({ path: { id: session } })
    },
    async leave(session, line, hidden) {
      const parts = [
        { type: "text" as const, text: line },
        { type: "text" as const, text: hidden, synthetic: true },
      ]
      const { data } = await client.session.prompt({ path: { id: session }, body: { noReply: true, parts } })
      if (data === undefined) throw new Error("OpenCode stored no message")
      return data.info.id
    },
    async stored(session, message) {
      const found = (await messagesOf(session, 5)).find(({ info }) => info.id === message)
      return found?.parts.flatMap((part) =>
        part.type === "text" && part.synthetic === true ? part.text : [],
      )[0]
    },
    async show(session) {
      // The client that plugins get has no function for it yet, its server has.
      const body = { sessionID: session }
      const headers = { "Content-Type": "application/json" }
      await client.tui["_client"].post({ url: "/tui/select-session", body, headers, throwOnError: true })
    },
  }
}

/** A call in a line: what it was about, and whether it failed. */
function describeCall(part: Part): string[] {
  if (part.type !== "tool") return []
  const { tool, state } = part
  if (state.status === "error") return [`${tool} failed: ${state.error}`]
  return state.status === "completed" ? [`${tool}: ${state.title}`] : []
}

function joined(a: string, b: string): string {
  return [a, b].filter((text) => text !== "").join("\n")
}

const NEXT = " ↪"
// A turn of many steps has as many messages.
const LAST_MESSAGES = 60
