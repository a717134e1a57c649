import { resolve } from "node:path"
import { projectPath } from "../project/project-path.ts"
import type { Judgement } from "./shell/judge.ts"

/** A tool call as the gate sees it. */
export interface GateCall {
  tool: string
  session: string
  agent: string | null
  /** Files it would write, relative to the project; outside ones absolute. */
  writes: readonly string[]
  args: Readonly<Record<string, unknown>>
  /** For shell commands. */
  shell: Judgement | null
  command: string | null
  /** For the host's `task` tool: the agent that is to work, and what it is told. */
  subagent: { agent: string; prompt: string } | null
}

export interface Surroundings {
  projectDir: string
  /** Where the host runs: relative paths start there. */
  directory: string
  judge: (command: string, cwd: string) => Judgement
}

/** Reads a call's arguments; what cannot be read is not guessed. */
export function readCall(
  call: { tool: string; session: string; agent: string | null; args: unknown },
  { projectDir, directory, judge }: Surroundings,
): GateCall {
  const args = (typeof call.args === "object" && call.args !== null ? call.args : {}) as Record<
    string,
    unknown
  >
  const { tool, session, agent } = call
  const base = { tool, session, agent, args, shell: null, command: null, subagent: null }
  if (SHELL_TOOLS.has(tool)) {
    const command = text(args["command"])
    const shell = judge(command, resolve(directory, text(args["workdir"])))
    return { ...base, command, shell, writes: shell.writes }
  }
  if (tool === "task") {
    const subagent = { agent: text(args["subagent_type"]), prompt: text(args["prompt"]) }
    return { ...base, subagent, writes: [] }
  }
  const paths = WRITE_TOOLS.has(tool)
    ? [...pathArguments(args), ...patchedPaths(text(args["patchText"]))]
    : []
  const writes = paths.map((path) => resolve(directory, path))
  return { ...base, writes: writes.map((path) => projectPath(projectDir, path) ?? path) }
}

export function isWrite(call: GateCall): boolean {
  return WRITE_TOOLS.has(call.tool) || call.writes.length > 0
}

function pathArguments(args: Record<string, unknown>): string[] {
  return ["filePath", "path", "file"].flatMap((name) => (typeof args[name] === "string" ? [args[name]] : []))
}

/** The files that a patch in the host's own format names. */
function patchedPaths(patch: string): string[] {
  return [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File:(.+)$|^\*\*\* Move to:(.+)$/gm)].map(
    (match) => (match[1] ?? match[2] ?? "").trim(),
  )
}

function text(value: unknown): string {
  return typeof value === "string" ? value : ""
}

const WRITE_TOOLS = new Set(["write", "edit", "multiedit", "patch", "apply_patch"])
const SHELL_TOOLS = new Set(["bash", "hivemind_shell"])
