import { analyzeCall } from "../../src/gate/call.ts"
import { NO_USER_WORK } from "../../src/gate/destructive.ts"
import { checkCall, type GateInput, type Passed } from "../../src/gate/gate.ts"
import { pathScope } from "../../src/gate/scopes-and-locks.ts"
import { readCommand } from "../../src/gate/shell/read-command.ts"
import { headIdOf } from "../../src/graph/read-head.ts"
import { readCall } from "../../src/hosts/opencode/calls.ts"
import { type Config, defaultConfig } from "../../src/schemas/config.ts"
import type { Task } from "../../src/schemas/task.ts"
import { HiveError } from "../../src/shared/error.ts"
import { graphOf } from "./graph.ts"

export const PROJECT = "/srv/app"
/** No file of the user's is at risk, and outside of the project every file is there. */
export const NO_LOSSES: GateInput["losses"] = {
  projectDir: PROJECT,
  userWork: NO_USER_WORK,
  probe: { home: "/home/me", exists: () => true, isOldRepository: () => false },
  userMessage: "",
}
export const isInScope = await pathScope(defaultConfig.path_scopes)

/** A project with one task, and the gate before it; `at`: the session's position. */
export function gatedProject(more: Partial<Task> = {}, at: "task" | "nothing" = "task") {
  const g = graphOf()
  const plan = g.plan("Auth")
  const phase = g.phase(plan, "API")
  const task = g.task(phase, "Build login", { status: "active", assigned_session_id: "ses_1", ...more })
  const head = g.head("x", plan, phase, ...(at === "task" ? [task] : []))
  g.state.trajectory.set(headIdOf("ses_1"), { ...head, id: headIdOf("ses_1") })
  const check = (
    tool: string,
    args: object,
    more: {
      agent?: string
      session?: string
      governance?: Config["governance"]
      losses?: GateInput["losses"]
    } = {},
  ): Passed => {
    const { agent = "build", session = "ses_1", governance = "strict", losses = NO_LOSSES } = more
    const read = (command: string, cwd: string) =>
      readCommand(command, { project: PROJECT, cwd, home: "/home/me" })
    const asked = readCall({ id: "call_1", tool, args, agent, session })
    const call = analyzeCall(asked, { projectDir: PROJECT, directory: PROJECT, read })
    const config = { ...defaultConfig, governance }
    return checkCall({ call, state: g.state, config, isInScope, dir: PROJECT, losses })
  }
  const codeOf = (...args: Parameters<typeof check>) => {
    try {
      check(...args)
      return "passed"
    } catch (error) {
      if (!(error instanceof HiveError)) throw error
      return error.code
    }
  }
  return { g, task, phase, check, codeOf }
}

export const write = (filePath: string) => ["write", { filePath, content: "x" }] as const
export const bash = (command: string) => ["bash", { command }] as const
