import { resolve } from "node:path"
import { type GateCall, judgeCall, type ToolCall } from "../gate/call.ts"
import { oversize } from "../gate/call-size.ts"
import { checkCall, type GateInput, type Passed } from "../gate/gate.ts"
import { isFolder } from "../gate/loss/on-disk.ts"
import { isMadeFor, lastWrittenBy, ownWork, topOf } from "../gate/loss/own-work.ts"
import { pathScope } from "../gate/path-scope.ts"
import { chainText, refusalMemory } from "../gate/refusal-text.ts"
import type { Settings } from "../gate/settings.ts"
import type { Loss } from "../gate/shell/judgement.ts"
import { currentTask, requireTask } from "../graph/current-task.ts"
import type { GraphState } from "../graph/state.ts"
import type { Hive } from "../hive/hive.ts"
import type { HivePlace } from "../hive/locate.ts"
import type { RefusedCall } from "../schemas/refusal.ts"
import type { Task } from "../schemas/task.ts"
import { HiveError } from "../shared/error.ts"
import { forgetOldest } from "../shared/once-each.ts"
import { hivePaths } from "../store/files/layout.ts"
import type { Log } from "../store/files/log-file.ts"
import { startFile } from "../store/files/start-file.ts"
import { adoptTask } from "../work/task/start.ts"
import { refusedCall } from "./refused-call.ts"
import type { TreeWitness } from "./tree-witness.ts"

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
  tree: TreeWitness
}

/** What the gate found for calls under way, for the step after the tool. */
export type PassedCalls = Map<string, { call: GateCall; passed: Passed }>

/**
 * The gate. Returns why a call is refused, or undefined if it may run. Anything that goes wrong in here lets the call
 * pass: a fault of ours must not keep anybody from working.
 */
export function beforeCall(input: BeforeCallInput, calls: PassedCalls) {
  const { hive, place, directory, userHome, settings, onRefusal, log, tree } = input
  const refusals = refusalMemory()
  const work = ownWork(place.dir, startFile(hivePaths(place.home)))
  let scopes: Awaited<ReturnType<typeof pathScope>> | undefined

  return async (toolCall: ToolCall): Promise<string | undefined> => {
    const { session, tool } = toolCall
    try {
      const opened = await hive()
      scopes ??= await pathScope(opened.config.path_scopes)
      const isOff = opened.config.governance === "off"
      if (!isOff) work.begin(session, opened.store.isThere)
      const judgedCall = await judged(toolCall)
      const call = isOff ? judgedCall : await weighed(judgedCall)
      const { state } = opened.store.read()
      try {
        const { config } = opened
        const passed = checkCall({ call, state, config, isInScope: scopes, dir: place.dir, settings })
        await refuseCheck(opened, call, scopes)
        refusals.passed(session)
        remember(call, passed)
        if (call.shell !== null && !isOff) work.moves(topOf(session, state), call.shell.moved)
        if (passed.inherited && passed.task !== null) adopt(opened, call, passed.task.id)
        await tree.begin(opened, call)
        return undefined
      } catch (error) {
        if (!(error instanceof HiveError)) throw error
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
    const check = await judged({ ...call, command: { text: verify, cwd: place.dir } })
    checkCall({
      ...{ call: await weighed(check), state, config: opened.config, isInScope },
      ...{ dir: place.dir, settings },
    })
  }

  async function judged(call: ToolCall): Promise<GateCall> {
    const { judgeCommand } = await import("../gate/shell/judge.ts") // Needed for the first call only.
    const context = { project: place.dir, hive: place.home, home: userHome, isFolder }
    const judge = (command: string, cwd: string) => judgeCommand(command, { ...context, cwd })
    return judgeCall(call, { projectDir: place.dir, directory, judge })
  }

  /** A call that deletes or overwrites is judged by what would be lost; others cost nothing here. */
  async function weighed(call: GateCall): Promise<GateCall> {
    const { session, shell } = call
    if (call.use === "write" || call.use === "run") await work.noted(session)
    const losses = shell?.losses ?? deletions(call, directory)
    if (shell?.destructive != null || losses.length === 0) return call
    const { whatIsLost } = await import("../gate/loss/what-is-lost.ts") // Needed for such commands only.
    const { store } = await hive()
    const { state } = store.read()
    const task = currentTask(state, session)
    const top = topOf(session, state)
    work.begin(top, () => work.isKept(session))
    // Where HiveMind was not set up when the session began, nothing tells who has written what.
    const isWritten = (path: string) => {
      if (!work.isKept(top)) return true
      const at = lastWrittenBy(session, path, state)
      return at !== null && work.isLeftAlone(top, path, at)
    }
    const isOwn = async (path: string) =>
      (isWritten(path) && (await work.isOwn(top, path))) ||
      (task !== undefined && isMadeFor(task, path, state, place.dir) && !(await work.isTaken(top, path)))
    const lost = await whatIsLost(losses, {
      ...{ project: place.dir, home: userHome, isOwn, began: work.began(top) },
      isTaken: (path) => work.isTaken(top, path),
      isYoung: (path) => work.isYoung(top, path),
    })
    if (lost === undefined) return call
    return { ...call, lost, shell: shell && { ...shell, touchesHive: shell.touchesHive || lost.isHive } }
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

/** What a patch deletes is asked about like what a command does. What is refused anyway is not looked at. */
function deletions(call: GateCall, directory: string): Loss[] {
  if (oversize(call) !== undefined) return []
  return (call.deletes ?? []).map((path) => ({
    question: { ask: "removed", path: resolve(directory, path), whole: false, isMade: false },
    part: `Delete File: ${path}`,
  }))
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
