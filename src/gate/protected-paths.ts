import { resolve } from "node:path"
import { withSlashes } from "../project/project-path.ts"
import { HiveError } from "../shared/error.ts"
import { isGlob, segmentsMeet } from "../shared/glob.ts"
import { toolName } from "../shared/tool-names.ts"
import { HIVE_FOLDER } from "../store/files/layout.ts"
import type { GateCall } from "./call.ts"
import { expandGlobs } from "./file-system-probe.ts"

export function refuseProtectedPaths({ tool, command, shell, writes }: GateCall): void {
  const text = command?.text ?? ""
  const inGit = writes.find(isGitFolder)
  if (inGit !== undefined)
    throw protectedError(
      `${tool} may not write to ${inGit}.`,
      "Only git may write there. HiveMind's snapshots are stored there too.",
      "Use git commands (git config, git rebase --abort), or ask the user to change it.",
      text || inGit,
    )
  const inHive = writes.find(isHiveFolder)
  if (inHive === undefined && !shell?.touchesHive) return
  throw protectedError(
    `${tool} may not write to ${inHive ?? ".hivemind/"}.`,
    "Only HiveMind's tools may write its files: a wrong edit there could mislead every later session.",
    `Use ${toolName("memory")}, ${toolName("plan")} or ${toolName("task")}. Notes for people may go to .hivemind/artifacts/.${shell === null ? "" : READING}`,
    inHive ?? text,
  )
}

/** Lock files do not count: one that an interrupted git has left behind may be deleted. */
function isGitFolder(path: string): boolean {
  const [first = "", ...rest] = path.toLowerCase().split("/")
  const isGit = first === ".git" || (first.startsWith(".") && isGlob(first) && segmentsMeet(first, ".git"))
  return isGit && !(rest.at(-1) ?? "").endsWith(".lock")
}

function isHiveFolder(path: string): boolean {
  const segments = path.toLowerCase().split("/")
  const at = segments.indexOf(HIVE_FOLDER)
  return at !== -1 && segments[at + 1] !== "artifacts"
}

export interface Settings {
  isHostConfig: (path: string) => boolean
  /** Absolute path of the user's HiveMind configuration file. */
  userConfig: string | null
}

export function refuseSettingsChange(call: GateCall, settings?: Settings, dir?: string) {
  const { tool } = call
  const path = call.changesLoading ? call.writes[0] : settings && settingWritten(call, settings, dir)
  if (path !== undefined)
    throw protectedError(
      `${tool} may not write ${path}.`,
      "Only the user decides how HiveMind is loaded and what it enforces.",
      "Ask the user to change it. If you meant another setting in that file, edit only that one.",
      path,
    )
}

/** The settings file that the call writes by name or by a glob, or deletes or moves with its folder. */
function settingWritten(
  { writes, command, shell, effects }: GateCall,
  { userConfig, isHostConfig }: Settings,
  dir: string | undefined,
): string | undefined {
  const config = userConfig === null ? null : withSlashes(userConfig)
  const isSetting = (path: string) => withSlashes(path) === config || (command !== null && isHostConfig(path))
  const named = writes.find(isSetting)
  if (named !== undefined || dir === undefined || shell === null) return named
  const folders = effects.filter(({ how }) => how === "removed recursively" || how === "moved")
  const patterns = [...writes.filter(isGlob), ...folders.map(({ path }) => `${path}/*`)]
  return expandGlobs(patterns.map((path) => resolve(dir, path))).find(isSetting)
}

function protectedError(what: string, why: string, use_instead: string, evidence: string): HiveError {
  return new HiveError({ code: "protected", what, why, use_instead, evidence })
}

/** Added to the refusal of a shell command: a program that is not known as a reader counts as a writer. */
const READING = " To read there, use a program that only reads: cat, grep, jq."
