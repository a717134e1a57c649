import type { RunningCall } from "../../hive/hive.ts"
import { onceEach } from "../../shared/ids.ts"
import { toolName } from "../../shared/tool-names.ts"
import type { HiveTool, ToolReply } from "../../tools/tool.ts"
import type { AfterCall } from "../../turns/after-call.ts"
import { type Fields, fieldsOf, numberOf } from "../host-values.ts"
import { readCall } from "../opencode/calls.ts"
import { warningTexts } from "../opencode/results.ts"
import type { HiveMind } from "../port.ts"

export interface Connected {
  hivemind: HiveMind
  session: string
  /** The client's name. */
  agent: string
}

/** The tool's reply, with the notes, warnings and state that a host with hooks would have shown the model. */
export type Answer = (ToolReply | { status: "error"; refused: string }) & {
  notes?: readonly string[]
  drift_warnings?: Record<string, string>
  state?: string
}

/** The calls of one client: each goes through the gate, and file changes between calls become checkpoints. */
export function connection({ hivemind, session, agent }: Connected) {
  const { callsOnly, between, log } = hivemind
  const begun = callsOnly.begin(session).catch((error: unknown) => log("error", "first look failed", error))
  between.processStarted()
  between.sessionStarted(session, false)
  const isNew = onceEach()
  let calls = 0
  let quiet: NodeJS.Timeout | undefined

  /** MCP does not announce the end of a turn: it is over after a while without calls. */
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
    await callsOnly.recordUnclaimedChanges(session)
    const refusal = await hivemind.beforeCall(readCall({ id, session, agent, tool: tool.name, args }))
    if (refusal !== undefined)
      return { status: "error", refused: refusal, ...(await stateFor(id, tool, args, refusal)) }
    const reply = await hivemind.runTool(tool, { session, agent, running }, args)
    const { notes, warnings } = await afterwards(id, tool, reply)
    return {
      ...reply,
      ...(notes.length > 0 && { notes }),
      ...(warnings.length > 0 && {
        drift_warnings: warningTexts(warnings),
      }),
      ...(await stateFor(id, tool, args, reply)),
    }
  }

  /** On an error the answer goes out without notes. */
  async function afterwards(id: string, { name }: HiveTool, reply: ToolReply): Promise<AfterCall> {
    try {
      const { exit, output } = fieldsOf(reply)
      return await hivemind.afterCall({
        ...{ id, session, agent, tool: name, ok: reply.status === "success" },
        ...{ exit: numberOf(exit), said: JSON.stringify(reply), isSilent: output === "" },
        ...{ isStopped: false, child: null },
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
    /** The client has disconnected. The steps that follow keep the process alive. */
    end(): void {
      clearTimeout(quiet)
      between.turnEnded(session)
      between.sessionEnded(session)
    },
  }
}

/** Words of a call that describe the work. Those of the memory tool do not. */
function wordsOf(tool: string, args: Fields): string {
  if (tool === toolName("memory")) return ""
  const words = WORDS.map((name) => args[name]).filter((each) => typeof each === "string")
  return words.join("\n").slice(0, MAX_WORDS_CHARS)
}

const WORDS = ["intent", "title", "content", "question"]
const MAX_WORDS_CHARS = 2000
const QUIET_MS = 30_000
