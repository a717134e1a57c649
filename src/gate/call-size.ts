import { HiveError } from "../shared/error.ts"
import type { GateCall, ToolCall } from "./call.ts"
import { MAX_WRITTEN_FILES } from "./shell/command-reading.ts"

/** What no program writes and no file system takes would only cost time to look at. */
export function refuseOversized(call: GateCall): void {
  const size = oversize(call)
  if (size === undefined) return
  throw new HiveError({ code: "invalid_argument", what: `${call.tool} was not run.`, ...size })
}

/** Why a call is too big to be looked at; undefined where it is not. */
export function oversize({
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
  const why = "It names too many files to look at."
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
/** A path is looked at from each of its folders. It is a thousand paths of 200 characters. */
const MAX_WORK = 40_000_000
/** Each of them is asked about. */
const MAX_DELETED_FILES = 200
