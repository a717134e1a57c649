import { HiveError } from "../shared/error.ts"
import type { GateCall } from "./call.ts"

/** What the text of a command says, or git and the file system where they were asked. */
export function refuseDestructive({ tool, shell, lost }: GateCall): void {
  const found = lost ?? shell?.destructive
  if (found == null) return
  throw new HiveError({
    code: "destructive",
    what: `${tool} was not run: ${found.what}.`,
    why: "What it does cannot be undone.",
    use_instead: `${lost?.isKeepable ? KEEP_FIRST : "Do it in a way that can be taken back"}, or ask the user to run it.`,
    evidence: found.part,
  })
}

const KEEP_FIRST =
  "Keep what would be lost first: commit, stash or copy it, or give it a branch (in one command with && that counts)"
