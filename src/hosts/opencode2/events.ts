import type { HiveMind } from "../port.ts"
import type { HostEvent, ModelRef } from "./context.ts"
import type { Heard } from "./heard.ts"

/** Which moment an event of OpenCode 2 stands for. Events are of the whole server: those of other projects are passed over. */
export function eventReader2(
  { between, learnParent }: Pick<HiveMind, "between" | "learnParent">,
  heard: Heard,
  windowOf: (model: ModelRef) => number | undefined,
  directory: string,
) {
  /** The agent and model of an answer under way. */
  const begun = new Map<string, { agent: string; model: ModelRef }>()

  return ({ type, created, location, data = {} }: HostEvent): void => {
    const session = text(data["sessionID"])
    if (session === "") return
    // What concerns a turn names no folder: those of sessions that were heard of here count.
    const isOurs =
      location?.directory === undefined ? heard.isOurs(session) : location.directory === directory
    if (!isOurs) return
    switch (type) {
      case "session.created": {
        const parent = text(data["parentID"]) || null
        heard.began(session, parent)
        learnParent(session, parent)
        between.sessionStarted(session, parent !== null)
        break
      }
      case "session.step.started": {
        const message = text(data["assistantMessageID"])
        begun.set(message, { agent: text(data["agent"]), model: asModel(data["model"]) })
        heard.said(session, message, "")
        between.answerBegun(session, message)
        break
      }
      case "session.text.ended":
        heard.said(session, text(data["assistantMessageID"]), text(data["text"]))
        break
      case "session.step.ended":
        onStep(session, data, created ?? 0)
        break
      case "session.step.failed":
        begun.delete(text(data["assistantMessageID"]))
        break
      case "session.execution.succeeded":
        between.answerEnded(session, "good turn", heard.lastAnswer(session))
        between.turnEnded(session)
        break
      case "session.execution.interrupted":
        between.answerEnded(session, "cancelled turn", heard.lastAnswer(session))
        between.turnEnded(session)
        break
      case "session.execution.failed":
        between.turnEnded(session)
        break
      case "session.compaction.ended":
        heard.summed(session, text(data["text"]))
        between.compacted(session)
        break
      case "session.deleted":
        between.sessionEnded(session)
        break
    }
  }

  function onStep(session: string, data: Readonly<Record<string, unknown>>, at: number): void {
    const message = text(data["assistantMessageID"])
    const began = begun.get(message)
    begun.delete(message)
    if (began === undefined) return
    const { agent, model } = began
    between.answerCounted({
      ...{ session, message, at, agent },
      model: `${model.providerID}/${model.id}`,
      window: windowOf(model),
      isSummary: false,
      tokens: tokensIn(data["tokens"]),
      cost: number(data["cost"]),
    })
  }
}

function tokensIn(value: unknown) {
  const tokens = asObject(value)
  const cache = asObject(tokens["cache"])
  return {
    input: number(tokens["input"]),
    output: number(tokens["output"]),
    reasoning: number(tokens["reasoning"]),
    cache_read: number(cache["read"]),
    cache_write: number(cache["write"]),
  }
}

function asModel(value: unknown): ModelRef {
  const { id, providerID } = asObject(value)
  return { id: text(id), providerID: text(providerID) }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
}

function text(value: unknown): string {
  return typeof value === "string" ? value : ""
}

function number(value: unknown): number {
  return typeof value === "number" ? value : 0
}
