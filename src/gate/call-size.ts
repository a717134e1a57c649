import { HiveError } from "../shared/error.ts"
import { type GateCall, MAX_PATH_CHARS, MAX_WRITTEN_FILES } from "./call.ts"

/** What no program writes and no file system takes would only cost time to look at. */
export function refuseOversized({ tool, writes }: GateCall): void {
  const isLong = writes.some((path) => path.length > MAX_PATH_CHARS)
  if (!isLong && writes.length <= MAX_WRITTEN_FILES) return
  throw new HiveError({
    code: "invalid_argument",
    what: `${tool} was not run.`,
    why: isLong
      ? "A path in it is longer than any file system takes."
      : "It names too many files to look at.",
    use_instead: isLong ? "Name the file by its path." : "Write them in several calls, or by a script.",
    evidence: isLong
      ? `a path of more than ${MAX_PATH_CHARS} characters`
      : `more than ${MAX_WRITTEN_FILES} files in one call`,
  })
}
