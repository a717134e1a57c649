import { BoundedMap } from "../../shared/ids.ts"
import { type Fields, fieldsOf, numberOf, stringOf } from "../host-values.ts"
import { limitedHost } from "../limited-host.ts"
import { isHostConfig } from "../opencode/own-entry.ts"
import type { HiveMind, Host } from "../port.ts"
import type { Context, HostEvent } from "./context.ts"

export function openCode2Host(
  { session }: Pick<Context, "session">,
  known: Pick<KnownSessions, "lastAnswer" | "lastSummary" | "parentOf">,
  given: Pick<Host, "directory" | "home" | "userConfig" | "options">,
): Host {
  return {
    // A plugin in the server cannot show toasts or read messages, so answers that a killed process missed are never counted.
    ...limitedHost({ ...given, toast: async () => {} }, () => "A plugin of OpenCode 2"),
    options: given.options,
    isConfig: isHostConfig,
    async parentOf(id) {
      const reported = known.parentOf(id)
      if (reported !== undefined) return reported
      const parent = fieldsOf(await session.get({ sessionID: id }))["parentID"]
      return typeof parent === "string" ? parent : null
    },
    lastAnswer: async (id) => known.lastAnswer(id),
    lastSummary: async (id) => known.lastSummary(id),
    async endSession(id) {
      await session.interrupt({ sessionID: id })
    },
  }
}

type KnownSessions = ReturnType<typeof knownSessions>

export function knownSessions() {
  const sessions = new BoundedMap<string, KnownSession>()

  function of(session: string): KnownSession {
    const known = sessions.get(session) ?? { answer: "", message: "", summary: "", parent: undefined }
    sessions.set(session, known)
    return known
  }

  return {
    said(session: string, message: string, text: string): void {
      const known = of(session)
      known.answer = known.message === message ? `${known.answer}\n${text}` : text
      known.message = message
    },
    summed(session: string, summary: string): void {
      of(session).summary = summary
    },
    began(session: string, parent: string | null): void {
      of(session).parent = parent
    },
    has: (session: string) => sessions.has(session),
    lastAnswer: (session: string) => sessions.get(session)?.answer ?? "",
    lastSummary: (session: string) => sessions.get(session)?.summary ?? "",
    /** Undefined if no event has named the session, which may be older than this process. */
    parentOf: (session: string) => sessions.get(session)?.parent,
  }
}

type KnownSession = { answer: string; message: string; summary: string; parent: string | null | undefined }

/** Translates OpenCode 2's events into HiveMind's. The server sends events of all projects; other projects' are skipped. */
export function eventReader2(
  { between, learnParent }: Pick<HiveMind, "between" | "learnParent">,
  known: KnownSessions,
  windowOf: (model: string) => number | undefined,
  directory: string,
) {
  const begun = new Map<string, { agent: string; model: string }>()

  return ({ type, created, location, data = {} }: HostEvent): void => {
    const session = stringOf(data["sessionID"])
    if (session === "") return
    // Events of a turn name no folder, so they count if their session is known here.
    const isOurs = location?.directory === undefined ? known.has(session) : location.directory === directory
    if (!isOurs) return
    switch (type) {
      case "session.created": {
        const parent = stringOf(data["parentID"]) || null
        known.began(session, parent)
        learnParent(session, parent)
        between.sessionStarted(session, parent !== null)
        break
      }
      case "session.step.started": {
        const message = stringOf(data["assistantMessageID"])
        begun.set(message, { agent: stringOf(data["agent"]), model: nameOf(data["model"]) })
        known.said(session, message, "")
        between.answerBegun(session, message)
        break
      }
      case "session.text.ended":
        known.said(session, stringOf(data["assistantMessageID"]), stringOf(data["text"]))
        break
      case "session.step.ended":
        onStep(session, data, created ?? 0)
        break
      case "session.step.failed":
        begun.delete(stringOf(data["assistantMessageID"]))
        break
      case "session.execution.succeeded":
      case "session.execution.interrupted": {
        const outcome = type === "session.execution.succeeded" ? "good turn" : "cancelled turn"
        between.answerEnded(session, outcome, known.lastAnswer(session))
        between.turnEnded(session)
        break
      }
      case "session.execution.failed":
        between.turnEnded(session)
        break
      case "session.compaction.ended":
        known.summed(session, stringOf(data["text"]))
        between.compacted(session)
        break
      case "session.deleted":
        between.sessionEnded(session)
        break
    }
  }

  function onStep(session: string, data: Fields, at: number): void {
    const message = stringOf(data["assistantMessageID"])
    const began = begun.get(message)
    begun.delete(message)
    if (began === undefined) return
    const { agent, model } = began
    between.answerCounted({
      ...{ session, message, at, agent, model, window: windowOf(model) },
      isSummary: false,
      tokens: tokensIn(data["tokens"]),
      cost: numberOf(data["cost"]) ?? 0,
    })
  }
}

function tokensIn(value: unknown) {
  const tokens = fieldsOf(value)
  const cache = fieldsOf(tokens["cache"])
  return {
    input: numberOf(tokens["input"]) ?? 0,
    output: numberOf(tokens["output"]) ?? 0,
    reasoning: numberOf(tokens["reasoning"]) ?? 0,
    cache_read: numberOf(cache["read"]) ?? 0,
    cache_write: numberOf(cache["write"]) ?? 0,
  }
}

function nameOf(model: unknown): string {
  const { id, providerID } = fieldsOf(model)
  return `${stringOf(providerID)}/${stringOf(id)}`
}
