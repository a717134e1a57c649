import { analyzeCall, type GateCall, type ToolCall } from "../gate/call.ts"
import { checkCall, type GateInput, type Passed } from "../gate/gate.ts"
import { currentBranch, outsideProject } from "../gate/outside-project.ts"
import type { Settings } from "../gate/protected-paths.ts"
import { chainText, refusalMemory } from "../gate/refusal-text.ts"
import { pathScope } from "../gate/scopes-and-locks.ts"
import { NO_USER_WORK } from "../gate/user-work.ts"
import { topSession } from "../graph/conversation.ts"
import { currentTask, requireTask } from "../graph/current-task.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { GraphState } from "../graph/state.ts"
import type { Hive } from "../hive/hive.ts"
import type { HivePlace } from "../hive/locate.ts"
import type { RefusedCall } from "../schemas/refusal.ts"
import type { Task } from "../schemas/task.ts"
import { HiveError } from "../shared/error.ts"
import { forgetOldest } from "../shared/once-each.ts"
import type { Log } from "../store/files/log-file.ts"
import { adoptTask } from "../work/task/start.ts"
import type { CallSnapshots } from "./call-snapshots.ts"
import type { LastMessages } from "./last-messages.ts"
import { refusedCall } from "./refused-call.ts"

export interface BeforeCallInput {
  hive: () => Promise<Hive>
  place: HivePlace
  /** Where the host runs. */
  directory: string
  userHome: string
  settings?: Settings
  /** Told of each call that is refused. */
  onRefusal?: (refused: RefusedCall) => void
  log: Log
  tree: CallSnapshots
  lastMessages: LastMessages
}

/** What the gate found for calls under way, for the step after the tool. */
export type PassedCalls = Map<string, { call: GateCall; passed: Passed }>

/**
 * The gate. Returns why a call is refused, or undefined if it may run. Anything that goes wrong in here lets the call
 * pass: a fault of ours must not keep anybody from working.
 */
export function beforeCall(input: BeforeCallInput, calls: PassedCalls) {
  const { hive, place, directory, userHome, settings, onRefusal, log, tree, lastMessages } = input
  const refusals = refusalMemory()
  const seen = new Map<string, number>()
  let scopes: Awaited<ReturnType<typeof pathScope>> | undefined

  return async (toolCall: ToolCall): Promise<string | undefined> => {
    const { session, tool } = toolCall
    try {
      const opened = await hive()
      scopes ??= await pathScope(opened.config.path_scopes)
      const call = await analyzed(toolCall)
      const { state } = opened.store.read()
      await tree.begin(opened, call)
      const losses = await lossInput(opened, call, state)
      try {
        const { config } = opened
        const passed = checkCall({ call, state, config, isInScope: scopes, dir: place.dir, settings, losses })
        for (const why of passed.allowed) log("info", `let pass in ${session}: ${why}`)
        await refuseCheck(opened, call, scopes)
        refusals.passed(session)
        remember(call, passed)
        if (passed.inherited && passed.task !== null) adopt(opened, call, passed.task.id)
        return undefined
      } catch (error) {
        if (!(error instanceof HiveError)) throw error
        tree.refused(opened, call.id)
        log("info", `refused ${tool} in ${session}: ${error.code} ${error.evidence}`)
        const files = [...call.writes]
        const command = call.command?.text ?? null
        const task = currentTask(state, session)?.id ?? null
        onRefusal?.(refusedCall({ ...call, files, command, task }, error, opened.source.now()))
        return refusals.next(session, error, chainText(state, session))
      }
    } catch (error) {
      log("error", `the gate failed on ${tool}; it was let through`, error)
      return undefined
    }
  }

  /** What completing a task would run is judged as any other command: an agent may have planned it. */
  async function refuseCheck(opened: Hive, call: GateCall, isInScope: GateInput["isInScope"]): Promise<void> {
    const { own, session } = call
    if (own?.tool !== "task" || own.args["action"] !== "complete" || opened.config.governance === "off")
      return
    const { state } = opened.store.read()
    const verify = taskMeant(state, session, own.args["task_id"])?.verify
    if (verify == null) return
    const check = await analyzed({ ...call, command: { text: verify, cwd: place.dir } })
    const losses = await lossInput(opened, check, state)
    checkCall({ call: check, state, config: opened.config, isInScope, dir: place.dir, settings, losses })
  }

  async function analyzed(call: ToolCall): Promise<GateCall> {
    const { readCommand } = await import("../gate/shell/read-command.ts") // Needed for the first call only.
    const context = {
      project: place.dir,
      hive: place.home,
      home: userHome,
      branch: pushes(call) ? currentBranch(place.dir) : null,
    }
    const read = (command: string, cwd: string) => readCommand(command, { ...context, cwd })
    return analyzeCall(call, { projectDir: place.dir, directory, read })
  }

  async function lossInput(opened: Hive, call: GateCall, state: GraphState) {
    const { session, effects, discards } = call
    const top = topSession((host) => sessionOf(state, host), session)
    const began = Math.min(firstSeen(top), Date.parse(sessionOf(state, top)?.created_at ?? "") || Infinity)
    const isAsked = effects.length + discards.length > 0
    return {
      projectDir: place.dir,
      userWork: isAsked ? await tree.atRisk(opened, call) : NO_USER_WORK,
      outside: outsideProject(userHome, began),
      userMessage: lastMessages.of(top) ?? "",
    }
  }

  function firstSeen(session: string): number {
    const known = seen.get(session) ?? Date.now()
    seen.set(session, known)
    if (seen.size > MAX_CALLS) forgetOldest(seen)
    return known
  }

  function remember(call: GateCall, passed: Passed): void {
    calls.set(call.id, { call, passed })
    if (calls.size > MAX_CALLS) forgetOldest(calls)
  }

  /** Not waited for: the call counts for the task already, and the read-head may follow. */
  function adopt(opened: Hive, { session, agent }: GateCall, taskId: string): void {
    adoptTask(opened, { session, agent, tool: "gate" }, taskId).catch((error: unknown) => {
      log("error", "could not adopt a task", error)
    })
  }
}

/** Only a push is judged by the branch. */
function pushes({ command }: ToolCall): boolean {
  return command?.text.includes("push") === true
}

/** The task that a call is about; undefined where the call itself will say that there is none. */
function taskMeant(state: GraphState, session: string, given: unknown): Task | undefined {
  try {
    return requireTask(state, session, typeof given === "string" ? given : undefined)
  } catch {
    return undefined // No such task, or several that begin so.
  }
}

const MAX_CALLS = 1000
