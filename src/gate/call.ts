import { resolve } from "node:path"
import { projectPaths } from "../project/project-path.ts"
import { HiveError } from "../shared/error.ts"
import { isGlob } from "../shared/glob.ts"
import { isTemporary } from "../shared/well-known-folders.ts"
import { type CommandReading, type Discard, type Effect, MAX_WRITTEN_FILES } from "./shell/command-reading.ts"
import { isKnown } from "./shell/expand-word.ts"
import { UNKNOWN_PATH } from "./shell/paths.ts"

/** The purpose of a tool call. */
export const toolUses = ["read", "query", "write", "run", "delegate", "governance", "other"] as const
export type ToolUse = (typeof toolUses)[number]

/** A tool call in HiveMind's words, as the adapter of a host reads it. */
export interface ToolCall {
  id: string
  session: string
  agent: string | null
  /** The host's name for the tool: what people read, and what a task's `allowed_tools` lists. */
  tool: string
  use: ToolUse
  /** The files it writes, as the call names them: absolute, or relative to where the host runs. */
  paths: readonly string[]
  /** Those of them that it deletes. */
  deletes?: readonly string[]
  /** The new content of these files, as far as the call names it. */
  edits: readonly FileEdit[]
  /** A shell command, and the folder it runs in. */
  command: { text: string; cwd: string } | null
  /** The agent that is to work, and its prompt. */
  subagent: { agent: string; prompt: string } | null
  /** A tool of ours: its name without the prefix, and its arguments. */
  own: { tool: string; args: Readonly<Record<string, unknown>> } | null
  /** The agent's own words about its work in this call; no code, no paths. */
  prose: string
  /** Equal for equal calls. */
  signature: unknown
  /** The agent is there to read: reading without writing is its work. */
  isReader: boolean
  /** It would change how the host loads HiveMind. */
  changesLoading?: boolean
}

/** A change of a file: `from` is the text that it replaces, null for the whole file. */
export interface FileEdit {
  path: string
  from: string | null
  to: string
}

/** A tool call with the analysis of its shell command. */
export interface GateCall extends ToolCall {
  /** Files it would write, relative to the project; outside ones absolute. */
  writes: readonly string[]
  /** For shell commands. */
  shell: CommandReading | null
  /** The files it deletes or overwrites, relative to the project; outside ones absolute. */
  effects: readonly Effect[]
  discards: readonly Discard[]
}

export interface CallPlace {
  projectDir: string
  /** Where the host runs: relative paths start there. */
  directory: string
  read: (command: string, cwd: string) => CommandReading
}

/** Reads a call's command: the files it would write, and whether it only reads. */
export function analyzeCall(call: ToolCall, { projectDir, directory, read }: CallPlace): GateCall {
  const toProject = projectPaths(projectDir)
  if (call.command !== null) {
    // Our own shell runs in the project's folder, wherever the host runs.
    const from = call.own === null ? directory : projectDir
    const shell = read(call.command.text, resolve(from, call.command.cwd))
    const use = shell.writes.length > 0 ? "write" : shell.kind === "read" ? "read" : "run"
    const ofLink = (path: string) => withoutLinks(path, projectDir, toProject, true)
    return {
      ...call,
      use,
      shell,
      writes: shell.writes.map((path) => withoutLinks(path, projectDir, toProject)),
      effects: shell.effects.map((effect) => ({ ...effect, path: ofLink(effect.path) })),
      discards: shell.discards.map((discard) => ({ ...discard, paths: discard.paths.map(ofLink) })),
    }
  }
  const none = { shell: null, effects: [], discards: [] }
  // Such a call is refused later.
  if (oversize(call) !== undefined)
    return { ...call, ...none, writes: call.paths.slice(0, MAX_WRITTEN_FILES + 1) }
  const inProject = (path: string) => toProject(resolve(directory, path))
  const effects = (call.deletes ?? []).map((path) => ({
    path: inProject(path),
    how: "removed" as const,
    part: `Delete File: ${path}`,
  }))
  return { ...call, ...none, effects, writes: call.paths.map(inProject) }
}

/**
 * With links resolved: the hive may lie outside of the project, and a link must not hide it. A deletion deletes the link
 * itself (`keepsLast`).
 */
function withoutLinks(
  path: string,
  projectDir: string,
  toProject: (path: string) => string,
  keepsLast = false,
): string {
  if (path === UNKNOWN_PATH || !isKnown(path)) return path
  const absolute = resolve(projectDir, path)
  const segments = absolute.replaceAll("\\", "/").split("/")
  const glob = segments.findIndex(isGlob)
  const fixed = glob === -1 ? segments.length - (keepsLast ? 1 : 0) : glob
  if (fixed === segments.length || absolute === projectDir) return toProject(absolute) || "."
  const folder = toProject(segments.slice(0, fixed).join("/") || "/")
  return [...(folder === "" ? [] : [folder]), ...segments.slice(fixed)].join("/")
}

/** Writes to temporary folders alone need no task. */
export function needsTask({ use, writes }: Pick<GateCall, "use" | "writes">): boolean {
  return use === "write" && !(writes.length > 0 && writes.every(isTemporary))
}

/** Refuses calls whose paths are too many or too long to be checked in time. */
export function refuseOversized(call: GateCall): void {
  const size = oversize(call)
  if (size === undefined) return
  throw new HiveError({ code: "invalid_argument", what: `${call.tool} was not run.`, ...size })
}

/** Why a call is too big to be checked; undefined where it is not. */
function oversize({
  paths,
  deletes = [],
  writes = [],
}: Pick<ToolCall, "paths" | "deletes"> & Partial<GateCall>) {
  let work = 0
  for (const path of paths) {
    if (path.length > MAX_PATH_CHARS)
      return {
        why: "A path in it is longer than any file system takes.",
        use_instead: "Name the file by its path.",
        evidence: `a path of more than ${MAX_PATH_CHARS} characters`,
      }
    work += path.length ** 2
  }
  const use_instead = "Do it in several calls, or by a script."
  const why = "It names too many files to check."
  if (Math.max(paths.length, writes.length) > MAX_WRITTEN_FILES)
    return { why, use_instead, evidence: `more than ${MAX_WRITTEN_FILES} files in one call` }
  if (work > MAX_WORK)
    return { why, use_instead, evidence: `paths that are too long for ${paths.length} files in one call` }
  if (deletes.length > MAX_DELETED_FILES)
    return { why, use_instead, evidence: `more than ${MAX_DELETED_FILES} deleted files in one call` }
  return undefined
}

/** No file system takes longer ones. */
const MAX_PATH_CHARS = 4096
/** Each folder of a path is checked. The limit is a thousand paths of 200 characters. */
const MAX_WORK = 40_000_000
/** Each deleted file is checked on disk. */
const MAX_DELETED_FILES = 200
