import type { RunningCall } from "../../hive/running-call.ts"
import { onceEach } from "../../shared/once-each.ts"
import type { HiveTool, ToolReply } from "../../tools/tool.ts"
import type { AfterCall } from "../../turns/after-call.ts"
import type { HiveMind } from "../port.ts"
import { ownCall, wordsOf } from "./own-call.ts"

export interface Connected {
  hivemind: HiveMind
  session: string
  /** The client's name. */
  agent: string
}

/** What a call is answered with: the tool's reply, and beside it what a host with hooks would have told the model. */
export type Answer = (ToolReply | { status: "error"; refused: string }) & {
  notes?: readonly string[]
  drift_warnings?: Record<string, string>
  state?: string
}

/** One client at work: its calls go through the gate, and between them its changes to files are kept. */
export function connection({ hivemind, session, agent }: Connected) {
  const { callsOnly, between, log } = hivemind
  const begun = callsOnly.begin(session).catch((error: unknown) => log("error", "first look failed", error))
  between.processStarted()
  between.sessionStarted(session, false)
  const isNew = onceEach()
  let calls = 0
  let quiet: NodeJS.Timeout | undefined

  /** Nobody says when a turn ends. One without calls for a while is over. */
  function endTurnLater(): void {
    clearTimeout(quiet)
    quiet = setTimeout(() => between.turnEnded(session), QUIET_MS)
    quiet.unref()
  }

  async function answer(
    tool: HiveTool,
    args: Record<string, unknown>,
    running: RunningCall,
  ): Promise<Answer> {
    const id = `${session}-${++calls}`
    await begun
    await callsOnly.lookAround(session)
    const refusal = await hivemind.beforeCall(ownCall(tool.name, args, { id, session, agent }))
    if (refusal !== undefined)
      return { status: "error", refused: refusal, ...(await stateFor(id, tool, args, refusal)) }
    const reply = await hivemind.runTool(tool, { session, agent, running }, args)
    const { notes, warnings } = await afterwards(id, tool, reply)
    return {
      ...reply,
      ...(notes.length > 0 && { notes }),
      ...(warnings.length > 0 && {
        drift_warnings: Object.fromEntries(warnings.map((warning) => [warning.id, warning.text])),
      }),
      ...(await stateFor(id, tool, args, reply)),
    }
  }

  /** A fault of ours in what comes beside an answer must not cost the answer. */
  async function afterwards(id: string, { name }: HiveTool, reply: ToolReply): Promise<AfterCall> {
    try {
      const exit = "exit" in reply && typeof reply["exit"] === "number" ? reply["exit"] : null
      const printed = "output" in reply ? reply["output"] : undefined
      return await hivemind.afterCall({
        ...{ id, session, agent, tool: name, ok: reply.status === "success", exit },
        ...{ said: JSON.stringify(reply), isSilent: printed === "", isStopped: false, child: null },
      })
    } catch (error) {
      log("error", "a call could not be noted", error)
      return { notes: [], warnings: [] }
    }
  }

  async function stateFor(
    id: string,
    { name }: HiveTool,
    args: Record<string, unknown>,
    answered: unknown,
  ): Promise<{ state?: string }> {
    try {
      const chars = JSON.stringify([args, answered]).length
      const wantsAll = name === "hivemind_session" && args["action"] === "status"
      const state = await callsOnly.told({ id, session, agent, words: wordsOf(name, args), chars, wantsAll })
      return state === "" ? {} : { state }
    } catch (error) {
      if (isNew("state")) log("error", "the state could not be told", error)
      return {}
    }
  }

  return {
    async call(tool: HiveTool, args: Record<string, unknown>, running: RunningCall): Promise<Answer> {
      clearTimeout(quiet)
      try {
        return await answer(tool, args, running)
      } finally {
        endTurnLater()
      }
    },
    /** The client is gone: nobody works on what the session held. What is done about it keeps the process alive. */
    end(): void {
      clearTimeout(quiet)
      between.turnEnded(session)
      between.sessionEnded(session)
    },
  }
}

const QUIET_MS = 30_000
