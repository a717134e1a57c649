import { type Fields, fieldsOf, numberOf, stringOf } from "../host-values.ts"
import type { HiveMind } from "../port.ts"
import type { HostEvent } from "./context.ts"
import type { KnownSessions } from "./host.ts"

/** Translates OpenCode 2's events into HiveMind's. They are of the whole server: other projects' events are skipped. */
export function eventReader2(
  { between, learnParent }: Pick<HiveMind, "between" | "learnParent">,
  known: KnownSessions,
  windowOf: (model: string) => number | undefined,
  directory: string,
) {
  /** The agent and model of an answer under way. */
  const begun = new Map<string, { agent: string; model: string }>()

  return ({ type, created, location, data = {} }: HostEvent): void => {
    const session = stringOf(data["sessionID"])
    if (session === "") return
    // Events of a turn name no folder: they count for sessions that are known here.
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
