import type { GitCall } from "./git.ts"
import { keptApart, noteName } from "./git-done.ts"
import { type NameChange, namesChanged } from "./git-names.ts"
import { LOST_ELSEWHERE } from "./git-rule.ts"
import { askedIn, branchMeant, changeName, gitSoFar, knownAs } from "./git-so-far.ts"
import type { Options } from "./options.ts"

/** Branches and tags that are deleted or moved leave their commits behind, one after the other. */
export function loseNames(options: Options, call: GitCall): void {
  const soFar = gitSoFar(call)
  let last: NameChange | undefined
  for (const change of namesChanged(options, call)) {
    const name = branchMeant(change.name, call)
    if (typeof change.to === "string" && branchMeant(change.to, call) === name) continue
    if (change.isForced) lose(change, call)
    noteName(change, call)
    changeName(change, call)
    // The branch at hand goes only where it gets another name.
    if (change.to === null && name === soFar.head && typeof last?.to === "string") soFar.head = last.name
    last = change
  }
}

/** What a name holds is left behind, also what the command itself has put there, unless its new commit has that. */
function lose(change: NameChange, call: GitCall): void {
  const { frame, run } = call
  const { tips, gone } = gitSoFar(call)
  const name = branchMeant(change.name, call)
  if (frame.elsewhere) {
    if (!name.startsWith("refs/tags/")) run.destroys(LOST_ELSEWHERE)
    return
  }
  // Each is asked about, with all that went before it.
  if (gone.size > MAX_GONE) {
    run.destroys("deletes or moves more branches than can be looked at")
    return
  }
  const { byIt, others } = keptApart(change, call)
  const kept = [...others, ...(typeof change.to === "string" ? [knownAs(change.to, call)] : [])]
  const question = { ask: "branch" as const, cwd: askedIn(call), name, kept, gone: [...gone] }
  const made = tips.get(name)
  for (const tip of new Set([...byIt, ...(made === undefined ? [] : [made])])) run.loses({ ...question, tip })
  // Where making it has failed, there was such a name before.
  if (!gone.has(name)) run.loses(question)
}

const MAX_GONE = 80
