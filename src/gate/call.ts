import { resolve } from "node:path"
import { projectPaths } from "../project/project-path.ts"
import { HiveError } from "../shared/error.ts"
import { isGlob } from "../shared/glob.ts"
import { isTemporary } from "../shared/well-known-folders.ts"
import { type CommandReading, type Discard, type Effect, MAX_WRITTEN_FILES } from "./shell/command-reading.ts"
import { isKnown } from "./shell/expand-word.ts"
import { UNKNOWN_PATH } from "./shell/paths.ts"

export const toolUses = ["read", "query", "write", "run", "delegate", "governance", "other"] as const
export type ToolUse = (typeof toolUses)[number]

/** A tool call, translated by the host's adapter into terms that are the same for every host. */
export interface ToolCall {
  id: string
  session: string
  agent: string | null
  /** The host's name for the tool: what people read, and what a task's `allowed_tools` lists. */
  tool: string
  use: ToolUse
  /** The files that the call writes: absolute, or relative to the host's working folder. */
  paths: readonly string[]
  deletes?: readonly string[]
  /** The new content of the files in `paths`, as far as the call contains it. */
  edits: readonly FileEdit[]
  command: { text: string; cwd: string } | null
  /** For a delegation: the agent that gets the work, and its prompt. */
  subagent: { agent: string; prompt: string } | null
  /** For one of HiveMind's own tools: its name without the prefix, and its arguments. */
  own: { tool: string; args: Readonly<Record<string, unknown>> } | null
  /** Natural language in the call's arguments, without code and paths. */
  prose: string
  /** A value to recognise repeated calls: it is equal for equal calls. */
  signature: unknown
  /** The agent is made for reading, so many reads without a write are no sign of a stuck agent. */
  isReader: boolean
  /** The call would change how the host loads HiveMind. */
  changesLoading?: boolean
}

/** A change of a file: `from` is the replaced text, or null if the whole file is replaced. */
export interface FileEdit {
  path: string
  from: string | null
  to: string
}

export interface GateCall extends ToolCall {
  /** Files that the call would write: relative to the project, or absolute if they are outside of it. */
  writes: readonly string[]
  shell: CommandReading | null
  /** Files that the call deletes or overwrites; paths as in `writes`. */
  effects: readonly Effect[]
  discards: readonly Discard[]
}

interface CallPlace {
  projectDir: string
  /** The host's working folder, from which relative paths start. */
  directory: string
  read: (command: string, cwd: string) => CommandReading
}

/** Adds to a call what its command or its paths would write, delete and discard. */
export function analyzeCall(call: ToolCall, { projectDir, directory, read }: CallPlace): GateCall {
  const toProject = projectPaths(projectDir)
  if (call.command !== null) {
    // HiveMind's shell tool always runs in the project's folder.
    const from = call.own === null ? directory : projectDir
    const shell = read(call.command.text, resolve(from, call.command.cwd))
    const use = shell.writes.length > 0 ? "write" : shell.kind === "read" ? "read" : "run"
    // Deleting a symbolic link deletes the link, not its target: the last name is not resolved.
    const ofLink = (path: string) => withoutLinks(path, 1)
    return {
      ...call,
      use,
      shell,
      writes: shell.writes.map((path) => withoutLinks(path)),
      effects: shell.effects.map((effect) => ({ ...effect, path: ofLink(effect.path) })),
      discards: shell.discards.map((discard) => ({ ...discard, paths: discard.paths.map(ofLink) })),
    }
  }
  const none = { shell: null, effects: [], discards: [] }
  // An oversized call is not analyzed: refuseOversized refuses it later.
  if (oversize(call) !== undefined)
    return { ...call, ...none, writes: call.paths.slice(0, MAX_WRITTEN_FILES + 1) }
  const inProject = (path: string) => toProject(resolve(directory, path))
  const effects = (call.deletes ?? []).map((path) => ({
    path: inProject(path),
    how: "removed" as const,
    part: `Delete File: ${path}`,
  }))
  return { ...call, ...none, effects, writes: call.paths.map(inProject) }

  /** Resolves links up to the first glob, so that no link hides the hive. Leaves the last `kept` names as they are. */
  function withoutLinks(path: string, kept = 0): string {
    if (path === UNKNOWN_PATH || !isKnown(path)) return path
    const absolute = resolve(projectDir, path)
    const segments = absolute.replaceAll("\\", "/").split("/")
    const glob = segments.findIndex(isGlob)
    const fixed = glob === -1 ? segments.length - kept : glob
    if (fixed === segments.length || absolute === projectDir) return toProject(absolute) || "."
    const folder = toProject(segments.slice(0, fixed).join("/") || "/")
    return [...(folder === "" ? [] : [folder]), ...segments.slice(fixed)].join("/")
  }
}

/** A call that writes only to temporary folders needs no task. */
export function needsTask({ use, writes }: Pick<GateCall, "use" | "writes">): boolean {
  return use === "write" && !(writes.length > 0 && writes.every(isTemporary))
}

export function refuseOversized(call: GateCall): void {
  const size = oversize(call)
  if (size === undefined) return
  throw new HiveError({ code: "invalid_argument", what: `${call.tool} was not run.`, ...size })
}

function oversize({ paths = [], deletes = [], writes = [] }: Partial<GateCall>) {
  let checkCost = 0
  for (const path of paths) {
    if (path.length > MAX_PATH_CHARS)
      return {
        why: "One of its paths is longer than any file system allows.",
        use_instead: "Use a shorter path.",
        evidence: `a path of more than ${MAX_PATH_CHARS} characters`,
      }
    checkCost += path.length ** 2
  }
  const use_instead = "Split the work into several calls, or use a script."
  const why = "The call names too many files to check."
  if (Math.max(paths.length, writes.length) > MAX_WRITTEN_FILES)
    return { why, use_instead, evidence: `more than ${MAX_WRITTEN_FILES} files in one call` }
  if (checkCost > MAX_CHECK_COST)
    return { why, use_instead, evidence: `paths that are too long for ${paths.length} files in one call` }
  if (deletes.length > MAX_DELETED_FILES)
    return { why, use_instead, evidence: `more than ${MAX_DELETED_FILES} deleted files in one call` }
  return undefined
}

const MAX_PATH_CHARS = 4096
/** A path costs its length squared, as each of its folders is checked. Allows 1000 paths of 200 characters. */
const MAX_CHECK_COST = 40_000_000
/** Lower than for writes, because every deleted file is looked up on disk. */
const MAX_DELETED_FILES = 200
