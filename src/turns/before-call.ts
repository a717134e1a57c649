import { resolve } from "node:path"
import { analyzeCall, type GateCall, type ToolCall } from "../gate/call.ts"
import { NO_USER_WORK } from "../gate/destructive.ts"
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
import { BoundedMap } from "../shared/ids.ts"
import { hostToolAuthor } from "../shared/tool-names.ts"
import { adoptTask } from "../work/task/start.ts"
import { observedChecks } from "../work/task/verify.ts"
import type { CallResult } from "./after-call.ts"
import type { TurnInput } from "./between-turns.ts"
import type { LastMessages } from "./user-message.ts"

interface BeforeCallInput extends Pick<TurnInput, "hive" | "log" | "tree"> {
  place: HivePlace
  directory: string
  userHome: string
  settings?: Settings
  onRefusal?: (refused: RefusedCall) => void
  lastMessages: LastMessages
}

/** Running calls with the result of the gate's check, by call id. */
export type PassedCalls = Map<string, { call: GateCall; passed: Passed }>

/** The gate. Returns the reason why a call is refused, or undefined if it may run or if the gate itself fails. */
export function beforeCall(input: BeforeCallInput, calls: PassedCalls) {
  const { hive, place, directory, userHome, settings, onRefusal, log, tree, lastMessages } = input
  const refusals = refusalMemory()
  const seen = new BoundedMap<string, number>()
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
        calls.set(call.id, { call, passed })
        if (passed.inherited && passed.task !== null)
          adoptTask(opened, { session, agent: call.agent, tool: "gate" }, passed.task.id).catch(
            (error: unknown) => log("error", "could not adopt a task", error),
          )
        return undefined
      } catch (error) {
        if (!(error instanceof HiveError)) throw error
        tree.refused(opened, call.id)
        log("info", `refused ${tool} in ${session}: ${error.code} ${error.evidence}`)
        const command = call.command?.text ?? null
        const task = currentTask(state, session)?.id ?? null
        const refused = { ...call, files: [...call.writes], command, task }
        onRefusal?.(refusedCall(refused, error, opened.source.now()))
        return refusals.next(session, error, chainText(state, session))
      }
    } catch (error) {
      log("error", `the gate failed on ${tool}; the call was allowed`, error)
      return undefined
    }
  }

  /** Completing a task runs its `verify` command, so the gate checks that command too. */
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
    const { readCommand } = await import("../gate/shell/read-command.ts") // Loaded at the first call.
    const context = {
      project: place.dir,
      hive: place.home,
      home: userHome,
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
    return known
  }
}

function findTask(state: GraphState, session: string, given: unknown): Task | undefined {
  try {
    return requireTask(state, session, typeof given === "string" ? given : undefined)
  } catch {
    return undefined // The task is unknown or ambiguous.
  }
}

/** Observes commands that may be a task's check, before and after they run. Errors are logged only. */
export function agentChecks({ hive, directory, log }: Pick<BeforeCallInput, "hive" | "directory" | "log">) {
  const checks = observedChecks()

  return {
    async begin({ id, session, command, own }: ToolCall): Promise<void> {
      if (command === null) return
      try {
        const opened = await hive()
        // HiveMind's own shell tool runs in the project folder.
        const cwd = resolve(own === null ? directory : opened.dir, command.cwd)
        await checks.begin(opened, { id, session, command: command.text, cwd })
      } catch (error) {
        log("error", "could not read the work tree before a check", error)
      }
    },
    async end({ id, session, agent, tool, exit, said }: CallResult): Promise<void> {
      try {
        await checks.end(await hive(), { session, agent, tool: hostToolAuthor(tool) }, id, exit, said)
      } catch (error) {
        log("error", "could not record a check run", error)
      }
    },
  }
}

type CallFields = Pick<
  RefusedCall,
  "session" | "agent" | "tool" | "files" | "command" | "task" | "needs_permission"
>

export function refusedCall(call: CallFields, refusal: Refusal, now: number): RefusedCall {
  const { session, agent, tool, files, command, task = null, needs_permission } = call
  const { code, what, why, use_instead, evidence } = refusal
  const at = new Date(now).toISOString()
  const refused = { at, session, agent, tool, code, what, why, use_instead, evidence, files, command, task }
  return { ...refused, ...(needs_permission && { needs_permission }) }
}
