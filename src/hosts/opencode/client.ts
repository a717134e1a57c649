import type { PluginInput } from "@opencode-ai/plugin"
import type { Message, Part, Session } from "@opencode-ai/sdk"
import type { Spoken } from "../../context/split/handoff.ts"
import type { SessionControl } from "../../hive/hive.ts"
import type { Conversations } from "../../turns/split-attempt.ts"
import type { Host } from "../port.ts"
import {
  agentAndModel,
  countedAnswer,
  isCompactionRequest,
  isFinishedSummary,
  textOf,
} from "./message-parts.ts"
import { isHostConfig } from "./own-entry.ts"

type Client = PluginInput["client"]

export function openCodeHost(
  { client, directory }: Pick<PluginInput, "client" | "directory">,
  given: Pick<Host, "home" | "userConfig" | "options">,
): Host {
  return {
    ...given,
    directory,
    isConfig: isHostConfig,
    conversations: openCodeConversations(client),
    ...sessionControl(client),
    async parentOf(session) {
      return must(await client.session.get({ path: { id: session } })).parentID ?? null
    },
    async lastAnswer(session, only) {
      // Only the last messages are read: the whole conversation may have megabytes.
      const messages = await messagesOf(client, session, LAST_MESSAGES)
      const last = messages.findLast(({ info }) => info.role === "assistant")
      if (last?.info.role !== "assistant") return ""
      const { finish, error } = last.info
      const hasEnded = finish !== undefined && finish !== "tool-calls" && error === undefined
      return only === undefined || hasEnded ? textOf(last.parts) : ""
    },
    async lastSummary(session) {
      const messages = await messagesOf(client, session)
      const requests = new Set(
        messages.filter(({ parts }) => isCompactionRequest(parts)).map(({ info }) => info.id),
      )
      const summary = messages.findLast(
        ({ info }) => info.role === "assistant" && isFinishedSummary(info) && requests.has(info.parentID),
      )
      return textOf(summary?.parts ?? [])
    },
    async lastAnswers(session) {
      const [info, messages] = await Promise.all([
        client.session.get({ path: { id: session } }),
        messagesOf(client, session, 50),
      ])
      const { created } = must(info).time
      return messages.flatMap(({ info: message }) => {
        if (message.role !== "assistant" || message.time.completed === undefined) return []
        // A fork begins with copies of another session's answers.
        const isCopy = message.time.completed < created
        return isCopy ? [] : [countedAnswer(message, message.time.completed, undefined)]
      })
    },
    async toast(message) {
      await client.tui.showToast({ body: { title: "HiveMind", message, variant: "warning" } })
    },
  }
}

function sessionControl(client: Client): SessionControl {
  return {
    async endSession(session) {
      ifKnown(await client.session.abort({ path: { id: session } }))
    },
    async sessionState(session) {
      const states = must(await client.session.status({}))
      if (session in states && states[session]?.type !== "idle") return "busy"
      const known = ifKnown(await client.session.get({ path: { id: session } }))
      return known === undefined ? "gone" : "idle"
    },
    async startSession({ parent, agent, title, prompt }) {
      const rules = permissionRules(must(await client.session.get({ path: { id: parent } })))
      const { id } = must(await client.session.create({ body: { parentID: parent, title, ...rules } }))
      const parts = [{ type: "text" as const, text: prompt }]
      try {
        must(await client.session.promptAsync({ path: { id }, body: { agent, parts } }))
      } catch (error) {
        // Deletes the unused session, which would stay in the user's list. If that fails too, the prompt's error counts.
        await client.session.delete({ path: { id } }).catch(() => {})
        throw error
      }
      return id
    },
  }
}

export function openCodeConversations(client: Client): Conversations {
  return {
    lastSpoken: async (session) => inTurns(await messagesOf(client, session, 500)),
    async makeNext(session) {
      const known = must(await client.session.get({ path: { id: session } }))
      const title = known.title.endsWith(NEXT) ? known.title : `${known.title}${NEXT}`
      const body = { title, ...permissionRules(known) }
      return must(await client.session.create({ body })).id
    },
    async removeUnused(session) {
      if (ifKnown(await client.session.get({ path: { id: session } })) === undefined) return
      if ((await messagesOf(client, session, 2)).length < 2)
        must(await client.session.delete({ path: { id: session } }))
    },
    async leave(session, line, hidden, before) {
      const parts = [
        { type: "text" as const, text: line },
        { type: "text" as const, text: hidden, synthetic: true },
      ]
      const who = agentAndModel(await messagesOf(client, before, LAST_MESSAGES))
      const body = { ...who, noReply: true, parts }
      return must(await client.session.prompt({ path: { id: session }, body })).info.id
    },
    async show(session) {
      // OpenCode's server has this route, but the client for plugins has no function for it.
      const body = { sessionID: session }
      const headers = { "Content-Type": "application/json" }
      await client.tui["_client"].post({ url: "/tui/select-session", body, headers, throwOnError: true })
    },
  }
}

async function messagesOf(client: Client, session: string, limit?: number) {
  const query = limit === undefined ? {} : { limit }
  return must(await client.session.messages({ path: { id: session }, query }))
}

function inTurns(messages: readonly { info: Message; parts: Part[] }[]): Spoken[] {
  const spoken: Spoken[] = []
  for (const { info, parts } of messages) {
    if (isCompactionRequest(parts)) continue
    const text = textOf(parts)
    const did = parts.flatMap(describeCall)
    const last = spoken.at(-1)
    if (info.role === "assistant" && last?.role === "assistant") {
      const joined = [last.text, text].filter((each) => each !== "").join("\n")
      spoken[spoken.length - 1] = { ...last, text: joined, did: [...last.did, ...did] }
    } else if (text !== "" || did.length > 0) spoken.push({ role: info.role, text, did })
  }
  return spoken
}

function describeCall(part: Part): string[] {
  if (part.type !== "tool") return []
  const { tool, state } = part
  if (state.status === "error") return [`${tool} failed: ${state.error}`]
  return state.status === "completed" ? [`${tool}: ${state.title}`] : []
}

/** The new session gets the permission rules of the old one. OpenCode 1.18 accepts them, but its types lack them. */
function permissionRules(session: Session & { permission?: unknown }): { permission?: unknown } {
  return session.permission === undefined ? {} : { permission: session.permission }
}

/** OpenCode's client does not throw when the server refuses: it sets `error` instead of `data`. */
type Reply = { data?: unknown; error?: unknown; response?: { status: number } }

/** Throws on an error, which would otherwise read like an empty answer. */
export function must<R extends Reply>({ data, error, response }: R): NonNullable<R["data"]> {
  if (error !== undefined) {
    const text = typeof error === "string" ? error : JSON.stringify(error)
    const reason = `${response?.status ?? ""} ${text}`.trim().slice(0, 500)
    throw new Error(`OpenCode refused: ${reason}`)
  }
  if (data === undefined || data === null) throw new Error("OpenCode gave no answer")
  return data
}

function ifKnown<R extends Reply>(reply: R): NonNullable<R["data"]> | undefined {
  return reply.response?.status === 404 ? undefined : must(reply)
}

const LAST_MESSAGES = 10
const NEXT = " ↪"
