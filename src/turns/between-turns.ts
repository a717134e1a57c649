import { sessionFiles } from "../views/session-file/update.ts"
import { afterCompaction } from "./after-compaction.ts"
import { answerEnded } from "./answer-ended.ts"
import { background, type Step } from "./background.ts"
import { callFailed } from "./call-failed.ts"
import { commandRun } from "./command-run.ts"
import { sessionEnd } from "./session-end.ts"
import { sessionStart } from "./session-start.ts"
import { turnEnd } from "./turn-end.ts"
import type { TurnInput } from "./turn-input.ts"

/** What happens between turns, each a list of steps. Nothing here is waited for: an answer is never late because of it. */
export function betweenTurns(input: TurnInput) {
  const later = background(input.log)
  // What is counted changes the very next message: it does not queue behind exports, git and folds.
  const soon = background(input.log)
  const files = sessionFiles(input.log)
  return {
    sessionStarted: inOrder(later, sessionStart(input)),
    turnEnded: inOrder(later, turnEnd(input, files)),
    compacted: inOrder(later, afterCompaction(input, files)),
    commandRun: inOrder(later, commandRun(input)),
    sessionEnded: inOrder(later, sessionEnd(input, files)),
    callFailed: inOrder(soon, callFailed(input)),
    answerEnded: inOrder(soon, answerEnded(input)),
  }
}

export type BetweenTurns = ReturnType<typeof betweenTurns>

function inOrder<A extends unknown[]>(
  run: (steps: readonly Step[]) => void,
  stepsFor: (...args: A) => Step[],
): (...args: A) => void {
  return (...args) => run(stepsFor(...args))
}
