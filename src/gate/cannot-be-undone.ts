import { HiveError } from "../shared/error.ts"
import type { GateCall } from "./call.ts"
import { NOWHERE_ELSE } from "./loss/repository.ts"

/** What the text of a command says, or git and the file system where they were asked. */
export function refuseDestructive({ tool, shell, lost }: GateCall): void {
  const found = lost ?? shell?.destructive
  if (found == null) return
  throw new HiveError({
    code: "destructive",
    what: `${tool} was not run: ${found.what}.`,
    why: "What it does cannot be undone.",
    use_instead: `${wayFor(lost)}, or ask the user to run it.`,
    evidence: found.part,
  })
}

function wayFor(lost: GateCall["lost"]): string {
  if (lost?.isKeepable !== true) return "Do it in a way that can be taken back"
  return lost.what.includes(NOWHERE_ELSE)
    ? "Push its commits, or move the folder elsewhere, first"
    : KEEP_FIRST
}

const KEEP_FIRST =
  "Keep what would be lost first: commit, stash or copy it, or give it a branch (in one command with && that counts)"
