import type { RunningCall } from "../../hive/hive.ts"
import { toolName } from "../../shared/tool-names.ts"
import type { HiveTool } from "../../tools/tool.ts"
import type { AfterCall } from "../../turns/after-call.ts"
import { type Fields, fieldsOf, numberOf } from "../host-values.ts"
import { readCall } from "../opencode/calls.ts"
import { warningTexts } from "../opencode/results.ts"
import type { HiveMind } from "../port.ts"

export interface Connected {
  hivemind: HiveMind
  session: string
  agent: string
}

/** Runs the calls of one client: each goes through the gate, and file changes between calls become checkpoints. */
export function connection({ hivemind, session, agent }: Connected) {
  const { callsOnly, between, log } = hivemind
  const begun = callsOnly.begin(session).catch((error: unknown) => log("error", "no first snapshot", error))
  between.processStarted()
  between.sessionStarted(session, false)
  let calls = 0
  let quiet: NodeJS.Timeout | undefined

  /** MCP does not report the end of a turn, so a turn counts as ended after 30 seconds without calls. */
  function endTurnLater(): void {
    clearTimeout(quiet)
    quiet = setTimeout(() => between.turnEnded(session), 30_000)
    quiet.unref()
  }

  async function safely<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work()
    } catch (error) {
      log("error", "an answer was sent without its notes or state", error)
      return otherwise
    }
  }

  /** The tool's reply, with the notes, warnings and state that a host with hooks would have shown the model. */
  async function answer(tool: HiveTool, args: Fields, running: RunningCall) {
    const id = `${session}-${++calls}`
    await begun
    await callsOnly.recordUnclaimedChanges(session)
    const refused = await hivemind.beforeCall(readCall({ id, session, agent, tool: tool.name, args }))
    const reply =
      refused === undefined
        ? await hivemind.runTool(tool, { session, agent, running }, args)
        : { status: "error" as const, refused }
    const { exit, output } = fieldsOf(reply)
    const result = {
      ...{ id, session, agent, tool: tool.name, ok: reply.status === "success" },
      ...{ exit: numberOf(exit), said: JSON.stringify(reply), isSilent: output === "" },
      ...{ isStopped: false, child: null },
    }
    const { notes, warnings } =
      refused === undefined ? await safely(() => hivemind.afterCall(result), NO_NOTES) : NO_NOTES
    const chars = JSON.stringify([args, reply]).length
    const wantsAll = tool.name === toolName("session") && args["action"] === "status"
    const words = wordsOf(tool.name, args)
    const state = await safely(() => callsOnly.told({ id, session, agent, words, chars, wantsAll }), "")
    return {
      ...reply,
      ...(notes.length > 0 && { notes }),
      ...(warnings.length > 0 && { drift_warnings: warningTexts(warnings) }),
      ...(state !== "" && { state }),
    }
  }

  return {
    async call(tool: HiveTool, args: Fields, running: RunningCall) {
      clearTimeout(quiet)
      try {
        return await answer(tool, args, running)
      } finally {
        endTurnLater()
      }
    },
    /** Called when the client has disconnected. The process stays alive until the last steps are done. */
    end(): void {
      clearTimeout(quiet)
      between.turnEnded(session)
      between.sessionEnded(session)
    },
  }
}

function wordsOf(tool: string, args: Fields): string {
  if (tool === toolName("memory")) return ""
  const words = WORDS.map((name) => args[name]).filter((each) => typeof each === "string")
  return words.join("\n").slice(0, 2000)
}

const NO_NOTES: AfterCall = { notes: [], warnings: [] }
const WORDS = ["intent", "title", "content", "question"]
