import type { PluginInput } from "@opencode-ai/plugin"
import type { AssistantMessage, Part, UserMessage } from "@opencode-ai/sdk"
import type { Spoken } from "../../context/split/handoff.ts"
import type { Conversations } from "../../turns/conversations.ts"
import { ifKnown, must } from "./answered.ts"
import { isCompactionRequest, textOf } from "./client.ts"
import { rulesOf } from "./session-rules.ts"

/** Whole conversations, with OpenCode's client. */
export function openCodeConversations(client: PluginInput["client"]): Conversations {
  const messagesOf = async (session: string, limit: number) =>
    must(await client.session.messages({ path: { id: session }, query: { limit } }))
  const find = async (session: string) => ifKnown(await client.session.get({ path: { id: session } }))
  const titleAfter = (title: string) => (title.endsWith(NEXT) ? title : `${title}${NEXT}`)

  return {
    async lastSpoken(session) {
      for (const limit of LIMITS) {
        const messages = await messagesOf(session, limit)
        const spoken = inTurns(messages)
        if (spoken.length > KEPT || messages.length < limit) return spoken
      }
      return inTurns(await messagesOf(session, MOST_MESSAGES))
    },
    async makeNext(session) {
      const known = must(await client.session.get({ path: { id: session } }))
      return must(
        await client.session.create({ body: { title: titleAfter(known.title), ...rulesOf(known) } }),
      ).id
    },
    async emptyNext(session, since) {
      const known = await find(session)
      if (known === undefined) return [] // Deleted: what was made for it has no name any more.
      const made = must(await client.session.list()).filter(
        ({ id, title, time: { created } }) =>
          title === titleAfter(known.title) &&
          created >= since &&
          created < since + MADE_WITHIN_MS &&
          id !== session,
      )
      const empty: string[] = []
      for (const { id } of made) if ((await messagesOf(id, 1)).length === 0) empty.push(id)
      return empty
    },
    async removeUnused(session) {
      if ((await find(session)) === undefined) return
      if ((await messagesOf(session, 2)).length < 2)
        must(await client.session.delete({ path: { id: session } }))
    },
    async leave(session, line, hidden, before) {
      const parts = [
        { type: "text" as const, text: line },
        { type: "text" as const, text: hidden, synthetic: true },
      ]
      const body = { ...speakerOf(await messagesOf(before, LIMITS[0])), noReply: true, parts }
      return must(await client.session.prompt({ path: { id: session }, body })).info.id
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

type Message = { info: UserMessage | AssistantMessage; parts: Part[] }

function inTurns(messages: readonly Message[]): Spoken[] {
  const spoken: Spoken[] = []
  for (const { info, parts } of messages) {
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
}

/** Without it OpenCode takes its defaults: another model than the person has chosen, and an agent with other rights. */
function speakerOf(messages: readonly Message[]) {
  for (const { info, parts } of messages.toReversed()) {
    if (isCompactionRequest(parts)) continue
    if (info.role === "user") return { agent: info.agent, model: info.model }
    const { mode: agent, providerID, modelID, summary } = info
    if (summary !== true) return { agent, model: { providerID, modelID } }
  }
  return {}
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
const LIMITS = [60, 240] as const
const MOST_MESSAGES = 1000
const KEPT = 6
const MADE_WITHIN_MS = 60_000
