import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { analyzeCall, type ToolCall } from "../../src/gate/call.ts"
import { NO_USER_WORK, refuseDataLoss, type UserWork } from "../../src/gate/destructive.ts"
import { refuseProtectedPaths } from "../../src/gate/protected-paths.ts"
import { readCommand } from "../../src/gate/shell/read-command.ts"
import { HiveError, type Refusal, toRefusal } from "../../src/shared/error.ts"

export interface RefusalContext {
  projectDir: string
  userWork?: UserWork
  cwd?: string
  home?: string
  branch?: string | null
  isOldRepository?: (path: string) => boolean
}

/** The gate's refusal of a shell command that deletes or overwrites something; undefined if it may run. */
export function shellRefusal(command: string, context: RefusalContext): Refusal | undefined {
  const { projectDir, userWork = NO_USER_WORK, cwd = projectDir, home = homedir(), branch = null } = context
  const read = (text: string, folder: string) =>
    readCommand(text, { project: projectDir, cwd: folder, home, branch })
  const asked = { ...SHELL_CALL, command: { text: command, cwd } }
  const call = analyzeCall(asked, { projectDir, directory: cwd, read })
  const probe = { home, exists: existsSync, isOldRepository: context.isOldRepository ?? (() => false) }
  try {
    refuseProtectedPaths(call)
    refuseDataLoss(call, { projectDir, userWork, probe, userMessage: "", allowed: [] })
    return undefined
  } catch (error) {
    if (error instanceof HiveError) return toRefusal(error)
    throw error
  }
}

const SHELL_CALL: ToolCall = {
  ...{ id: "", session: "", agent: null, tool: "bash", use: "run", paths: [], edits: [], own: null },
  ...{ subagent: null, prose: "", signature: null, isReader: false, command: null },
}
