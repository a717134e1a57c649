import type { PluginInput } from "@opencode-ai/plugin"
import type { AssistantMessage, Part } from "@opencode-ai/sdk"
import type { SessionControl } from "../../hive/hive.ts"
import type { CountedAnswer } from "../../turns/answer-counted.ts"
import type { Host } from "../port.ts"
import { ifKnown, must } from "./answered.ts"
import { openCodeConversations } from "./conversations.ts"
import { countedAnswer } from "./counted-answer.ts"
import { isHostConfig } from "./own-entry.ts"
import { rulesOf } from "./session-rules.ts"

/** What HiveMind needs, done with OpenCode's client. */
export function openCodeHost(
  { client, directory }: Pick<PluginInput, "client" | "directory">,
  given: Pick<Host, "home" | "userConfig" | "options">,
): Host {
  return {
    ...given,
    directory,
    isConfig: isHostConfig,
    parentOf: parentAsker(client),
    lastAnswer: lastAnswerOf(client),
    lastSummary: lastSummaryOf(client),
    lastAnswers: lastAnswersOf(client),
    toast: toastWith(client),
    conversations: openCodeConversations(client),
    ...sessionControl(client),
  }
}

/** Shows a line to the person. Without a terminal UI there is nobody to show it to, and that is fine. */
function toastWith(client: PluginInput["client"]): (message: string) => Promise<void> {
  return async (message) => {
    await client.tui.showToast({ body: { title: "HiveMind", message, variant: "warning" } })
  }
}

/** What a person wrote, without what the host or plugins added. */
export function textOf(parts: readonly Part[]): string {
  return parts
    .flatMap((part) => (part.type === "text" && part.synthetic !== true ? [part.text] : []))
    .join("\n")
}

/** Asks the host whose subagent a session is; null for a session of its own. */
function parentAsker(client: PluginInput["client"]): (session: string) => Promise<string | null> {
  return async (session) => {
    return must(await client.session.get({ path: { id: session } })).parentID ?? null
  }
}

function sessionControl(client: PluginInput["client"]): SessionControl {
  return {
    /** As a person would with Escape. */
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
      const rules = rulesOf(must(await client.session.get({ path: { id: parent } })))
      const { id } = must(await client.session.create({ body: { parentID: parent, title, ...rules } }))
      const parts = [{ type: "text" as const, text: prompt }]
      try {
        must(await client.session.promptAsync({ path: { id }, body: { agent, parts } }))
      } catch (error) {
        // One that was never asked would stay in the user's list for nothing. It is the prompt's error that counts.
        await client.session.delete({ path: { id } }).catch(() => {})
        throw error
      }
      return id
    },
  }
}

/** What was said last in a session; with "to the end", only if that answer came to its end. */
function lastAnswerOf(
  client: PluginInput["client"],
): (session: string, only?: "to the end") => Promise<string> {
  return async (session, only) => {
    // The end of the conversation will do: all of it may be megabytes.
    const query = { limit: LAST_MESSAGES }
    const last = must(await client.session.messages({ path: { id: session }, query })).findLast(
      ({ info }) => info.role === "assistant",
    )
    if (last?.info.role !== "assistant" || (only !== undefined && !hasEnded(last.info))) return ""
    return textOf(last.parts)
  }
}

function lastAnswersOf(client: PluginInput["client"]): (session: string) => Promise<CountedAnswer[]> {
  return async (session) => {
    const path = { id: session }
    const [info, messages] = await Promise.all([
      client.session.get({ path }),
      client.session.messages({ path, query: { limit: COUNTED_MESSAGES } }),
    ])
    const { created } = must(info).time
    return must(messages).flatMap(({ info: message }) => {
      if (message.role !== "assistant" || message.time.completed === undefined) return []
      // A fork begins with copies of what another session was answered.
      const isCopy = message.time.completed < created
      return isCopy ? [] : [countedAnswer(message, message.time.completed, undefined)]
    })
  }
}

/** One that was stopped or failed has an error; one that calls tools goes on after them. */
function hasEnded({ finish, error }: AssistantMessage): boolean {
  return finish !== undefined && finish !== "tool-calls" && error === undefined
}

/** The summary that a session was last cut down to; "" where there is none. */
function lastSummaryOf(client: PluginInput["client"]): (session: string) => Promise<string> {
  return async (session) => {
    const data = must(await client.session.messages({ path: { id: session } }))
    const requests = new Set(
      data.filter(({ parts }) => isCompactionRequest(parts)).map(({ info }) => info.id),
    )
    const summary = data.findLast(
      ({ info }) => info.role === "assistant" && isFinishedSummary(info) && requests.has(info.parentID),
    )
    return textOf(summary?.parts ?? [])
  }
}

/** True of the message that asks for a compaction. */
export function isCompactionRequest(parts: readonly Part[]): boolean {
  return parts.some(({ type }) => type === "compaction")
}

/** One that was stopped or failed has replaced nothing. */
export function isFinishedSummary({ summary, finish, error }: AssistantMessage): boolean {
  return summary === true && finish !== undefined && error === undefined
}

/** The subagent's session that the host's `task` tool has run, as its result tells. */
export function childOf(metadata: unknown): string | undefined {
  if (typeof metadata !== "object" || metadata === null || !("sessionId" in metadata)) return undefined
  return typeof metadata.sessionId === "string" ? metadata.sessionId : undefined
}

const LAST_MESSAGES = 10
const COUNTED_MESSAGES = 50
