import { HiveError } from "../shared/error.ts"
import type { GateCall } from "./call.ts"

/** What the text of a command says, or git and the file system where they were asked. */
export function refuseDestructive({ tool, shell, lost = shell?.destructive ?? undefined }: GateCall): void {
  if (lost === undefined) return
  throw new HiveError({
    code: "destructive",
    what: `${tool} was not run: ${lost.what}.`,
    why: "What it does cannot be undone.",
    use_instead: "Do it in a way that can be taken back, or ask the user to run it.",
    evidence: lost.part,
  })
}
