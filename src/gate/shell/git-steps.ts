import type { Frame } from "./frame.ts"
import type { GitCall } from "./git.ts"
import { keptApart } from "./git-done.ts"
import { askedIn, type GitSoFar, gitSoFar, knownAs } from "./git-so-far.ts"
import { contains } from "./paths.ts"
import type { Run } from "./program.ts"

/** The branch at hand goes to another commit, and what it leaves is in no file; `path`: only what is there. */
export function stepBack(
  { tip, ...step }: Omit<NonNullable<GitSoFar["stepped"]>, "mayBeFile">,
  call: GitCall,
  path?: string,
): void {
  const { head, gone, madeIn } = gitSoFar(call)
  const { byIt, others } = keptApart({ name: head, to: step.to, isForced: true }, call)
  const asked = { cwd: askedIn(call), gone: [...gone] }
  call.run.loses({
    ask: "reset",
    ...asked,
    branch: madeIn === undefined ? head : `refs/heads/${head}`,
    kept: others,
    ...step,
    ...(tip !== undefined && { tip }),
    ...(path !== undefined && { path }),
  })
  if (path !== undefined) return
  // What was merged just before goes with the branch.
  for (const merged of byIt)
    call.run.loses({
      ask: "branch",
      ...asked,
      name: head,
      tip: merged,
      kept: [...others, knownAs(step.to, call)],
    })
}

/** What a branch has stepped back from is in the files or the index only, and goes with them. */
export function loseStepped(call: GitCall, path?: string): void {
  const { stepped } = gitSoFar(call)
  if (stepped !== null) stepBack(stepped, call, path)
}

/** The same where a file of the project is deleted without git. */
export function loseSteppedFile(path: string, frame: Frame, run: Run): void {
  const call = { name: "git", verb: "rm", args: [], settings: [], isElsewhere: false, run }
  for (const { cwd, stepped } of run.git)
    if (stepped !== null && contains(run.project, cwd))
      loseStepped({ ...call, frame: { ...frame, cwd } }, path)
}
