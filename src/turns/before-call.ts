import { resolve } from "node:path"
import { analyzeCall, type GateCall, type ToolCall } from "../gate/call.ts"
import { NO_USER_WORK } from "../gate/data-loss.ts"
import { currentBranch, fileSystemProbe } from "../gate/file-system-probe.ts"
import { checkCall, type GateInput, type Passed } from "../gate/gate.ts"
import type { Settings } from "../gate/protected-paths.ts"
import { chainText, refusalMemory } from "../gate/refusal-text.ts"
import { pathScope } from "../gate/scopes-and-locks.ts"
import { topSession } from "../graph/conversation.ts"
import { currentTask, requireTask } from "../graph/current-task.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { GraphState } from "../graph/state.ts"
import type { Hive } from "../hive/hive.ts"
import type { HivePlace } from "../hive/locate.ts"
import type { RefusedCall } from "../schemas/refusal.ts"
import type { Task } from "../schemas/task.ts"
import { HiveError, type Refusal } from "../shared/error.ts"
import { forgetOldest } from "../shared/ids.ts"
import { hostToolAuthor } from "../shared/tool-names.ts"
import type { Log } from "../store/files/log-file.ts"
import { adoptTask } from "../work/task/start.ts"
import { observedChecks } from "../work/task/verify.ts"
import type { AfterCall, CallResult } from "./after-call.ts"
import type { CallSnapshots } from "./call-snapshots.ts"
import type { LastMessages } from "./user-message.ts"

interface BeforeCallInput {
  hive: () => Promise<Hive>
  place: HivePlace
  /** Working directory of the host. */
  directory: string
  userHome: string
  settings?: Settings
  onRefusal?: (refused: RefusedCall) => void
  log: Log
  tree: CallSnapshots
  lastMessages: LastMessages
}

/** Calls under way with the gate's findings, by call id. */
export type PassedCalls = Map<string, { call: GateCall; passed: Passed }>

/** The gate. Returns why a call is refused, or undefined if it may run. On any error of ours the call may run. */
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
      const call = await analyze(toolCall)
      const { state } = opened.store.read()
      await tree.begin(opened, call)
      const losses = await lossInput(opened, call, state)
      try {
        const { config } = opened
        const passed = checkCall({ call, state, config, isInScope: scopes, dir: place.dir, settings, losses })
        for (const why of passed.allowed) log("info", `allowed in ${session}: ${why}`)
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
      log("error", `the gate failed on ${tool}; the call was allowed`, error)
      return undefined
    }
  }

  /** The check that completing a task would run is judged like any command. */
  async function refuseCheck(opened: Hive, call: GateCall, isInScope: GateInput["isInScope"]): Promise<void> {
    const { own, session } = call
    if (own?.tool !== "task" || own.args["action"] !== "complete" || opened.config.governance === "off")
      return
    const { state } = opened.store.read()
    const verify = findTask(state, session, own.args["task_id"])?.verify
    if (verify == null) return
    const check = await analyze({ ...call, command: { text: verify, cwd: place.dir } })
    const losses = await lossInput(opened, check, state)
    checkCall({ call: check, state, config: opened.config, isInScope, dir: place.dir, settings, losses })
  }

  async function analyze(call: ToolCall): Promise<GateCall> {
    const { readCommand } = await import("../gate/shell/read-command.ts") // Needed for the first call only.
    const context = {
      project: place.dir,
      hive: place.home,
      home: userHome,
      // Only a push depends on the branch.
      branch: call.command?.text.includes("push") === true ? currentBranch(place.dir) : null,
    }
    const read = (command: string, cwd: string) => readCommand(command, { ...context, cwd })
    return analyzeCall(call, { projectDir: place.dir, directory, read })
  }

  async function lossInput(opened: Hive, call: GateCall, state: GraphState) {
    const { session, effects, discards } = call
    const top = topSession((host) => sessionOf(state, host), session)
    const began = Math.min(firstSeenAt(top), Date.parse(sessionOf(state, top)?.created_at ?? "") || Infinity)
    const isAsked = effects.length + discards.length > 0
    return {
      projectDir: place.dir,
      userWork: isAsked ? await tree.atRisk(opened, call) : NO_USER_WORK,
      probe: fileSystemProbe(userHome, began),
      userMessage: lastMessages.of(top) ?? "",
    }
  }

  function firstSeenAt(session: string): number {
    const known = seen.get(session) ?? Date.now()
    seen.set(session, known)
    if (seen.size > MAX_CALLS) forgetOldest(seen)
    return known
  }

  function remember(call: GateCall, passed: Passed): void {
    calls.set(call.id, { call, passed })
    if (calls.size > MAX_CALLS) forgetOldest(calls)
  }

  /** Not awaited: the call already counts for the task. */
  function adopt(opened: Hive, { session, agent }: GateCall, taskId: string): void {
    adoptTask(opened, { session, agent, tool: "gate" }, taskId).catch((error: unknown) => {
      log("error", "could not adopt a task", error)
    })
  }
}

/** Undefined if there is no such task: the call itself will report that. */
function findTask(state: GraphState, session: string, given: unknown): Task | undefined {
  try {
    return requireTask(state, session, typeof given === "string" ? given : undefined)
  } catch {
    return undefined // Unknown or ambiguous.
  }
}

/** Observes commands that may be a task's check, before and after they run. Errors are logged only. */
export function agentChecks({ hive, directory, log }: Pick<BeforeCallInput, "hive" | "directory" | "log">) {
  const checks = observedChecks()

  return {
    before:
      (gate: (call: ToolCall) => Promise<string | undefined>) =>
      async (call: ToolCall): Promise<string | undefined> => {
        const refusal = await gate(call)
        const { id, session, command, own } = call
        if (refusal !== undefined || command === null) return refusal
        try {
          const opened = await hive()
          // Our own shell tool runs in the project folder.
          const cwd = resolve(own === null ? directory : opened.dir, command.cwd)
          await checks.begin(opened, { id, session, command: command.text, cwd })
        } catch (error) {
          log("error", "could not read the work tree before a check", error)
        }
        return undefined
      },
    after:
      (afterCall: (result: CallResult) => Promise<AfterCall>) =>
      async (result: CallResult): Promise<AfterCall> => {
        const { id, session, agent, tool, exit, said } = result
        const told = await afterCall(result)
        try {
          await checks.end(await hive(), { session, agent, tool: hostToolAuthor(tool) }, id, exit, said)
        } catch (error) {
          log("error", "could not record a check run", error)
        }
        return told
      },
  }
}

type CallFields = Pick<RefusedCall, "session" | "agent" | "tool" | "files" | "command" | "task">

/** The record of a refusal: only these fields of the input. */
export function refusedCall(call: CallFields, refusal: Refusal, now: number): RefusedCall {
  const { session, agent, tool, files, command, task = null } = call
  const { code, what, why, use_instead, evidence } = refusal
  const at = new Date(now).toISOString()
  return { at, session, agent, tool, code, what, why, use_instead, evidence, files, command, task }
}

const MAX_CALLS = 1000
