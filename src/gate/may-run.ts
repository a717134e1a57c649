import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { HiveError, type Refusal, toRefusal } from "../shared/error.ts"
import { type AtRisk, NOTHING_AT_RISK } from "./at-risk.ts"
import { judgeCall, type ToolCall } from "./call.ts"
import { refuseProtectedPaths } from "./protected-paths.ts"
import { refuseLosses } from "./refuse-losses.ts"
import { readCommand } from "./shell/read-command.ts"

export interface MayRunContext {
  projectDir: string
  atRisk?: AtRisk
  /** Where the command starts; the project if not given. */
  cwd?: string
  home?: string
  branch?: string | null
  isOldRepository?: (path: string) => boolean
}

/** Why the gate would refuse a shell command for what it deletes or overwrites; undefined where it may run. */
export function mayRun(command: string, context: MayRunContext): Refusal | undefined {
  const { projectDir, atRisk = NOTHING_AT_RISK, cwd = projectDir, home = homedir(), branch = null } = context
  const read = (text: string, folder: string) =>
    readCommand(text, { project: projectDir, cwd: folder, home, branch })
  const call = judgeCall(
    { ...SHELL_CALL, command: { text: command, cwd } },
    { projectDir, directory: cwd, read },
  )
  const outside = { home, isThere: existsSync, isOldRepository: context.isOldRepository ?? (() => false) }
  try {
    refuseProtectedPaths(call)
    refuseLosses(call, { projectDir, atRisk, outside, userMessage: "", allowed: [] })
    return undefined
  } catch (error) {
    if (error instanceof HiveError) return toRefusal(error)
    throw error
  }
}

const SHELL_CALL: ToolCall = {
  ...{
    id: "",
    session: "",
    agent: null,
    tool: "bash",
    use: "run",
    paths: [],
    edits: [],
    subagent: null,
    own: null,
  },
  ...{ prose: "", signature: null, isReader: false, command: null },
}
