import { HiveError } from "../shared/error.ts"
import { isGlob, segmentsMeet } from "../shared/glob.ts"
import { toolName } from "../shared/tool-names.ts"
import { HIVE_FOLDER } from "../store/files/layout.ts"
import type { GateCall } from "./call.ts"

/** HiveMind's own folder and git's, however a call comes at them. */
export function refuseProtectedPaths(call: GateCall): void {
  if (DASHBOARD_KEY.test(call.command?.text ?? "")) throw dashboardKey(call)
  const inGit = call.writes.find(isGitFolder)
  if (inGit !== undefined) throw gitFolder(call, inGit)
  const path = call.writes.find((each) => isProtected(each))
  if (path === undefined && !call.shell?.touchesHive) return
  throw new HiveError({
    code: "protected",
    what: `${call.tool} may not write to ${path ?? ".hivemind/"}.`,
    why: "HiveMind's own files are written by its tools only; a stray edit there could mislead every later session.",
    use_instead: `Use ${toolName("memory")}, ${toolName("plan")} or ${toolName("task")}. Notes for people may go to .hivemind/artifacts/.${call.shell === null ? "" : READING}`,
    evidence: path ?? call.command?.text ?? "",
  })
}

/** Whoever has what stands there changes things in the user's name. */
function dashboardKey({ tool, command }: GateCall): HiveError {
  return new HiveError({
    code: "protected",
    what: `${tool} may not use the key of the user's dashboard.`,
    why: "What is changed in the dashboard counts as the user's own word.",
    use_instead: "Ask the user to look or to change it there: `/hive-dashboard` opens it.",
    evidence: command?.text ?? "",
  })
}

function gitFolder({ tool, command }: GateCall, path: string): HiveError {
  return new HiveError({
    code: "protected",
    what: `${tool} may not write to ${path}.`,
    why: "Only git writes there, and the snapshots that undo a call lie there too.",
    use_instead: "Use git commands (git config, git rebase --abort), or ask the user to change it.",
    evidence: command?.text ?? path,
  })
}

/** A lock that a stopped git has left behind may go. */
function isGitFolder(path: string): boolean {
  const [first = "", ...rest] = path.toLowerCase().split("/")
  const isGit = first === ".git" || (first.startsWith(".") && isGlob(first) && segmentsMeet(first, ".git"))
  return isGit && !(rest.at(-1) ?? "").endsWith(".lock")
}

function isProtected(path: string): boolean {
  const segments = path.toLowerCase().split("/")
  const at = segments.indexOf(HIVE_FOLDER)
  return at !== -1 && segments[at + 1] !== "artifacts"
}

/** A program that is not known may write what it is given. */
const READING = " To read there, use a program that only reads: cat, grep, jq."
const DASHBOARD_KEY = /state\/+hivemind\/+dashboard\.json/i
