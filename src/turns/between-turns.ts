import { isActiveSession } from "../graph/lifecycle.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { StartedResearch } from "../hive/hive.ts"
import { type SessionFiles, sessionFiles } from "../views/session-file/update.ts"
import { countEvent } from "../watch/count-event.ts"
import { closeSession } from "../work/session/close.ts"
import { recordCommand } from "../work/session/command.ts"
import { afterCompaction } from "./after-compaction.ts"
import { answerCounts } from "./answer-counted.ts"
import { background, type Step } from "./background.ts"
import { callFailed } from "./call-failed.ts"
import { researchers } from "./researchers.ts"
import { scanBetween } from "./scan-between.ts"
import { sessionStart } from "./session-start.ts"
import { syncBetween } from "./sync-between.ts"
import { turnEnd } from "./turn-end.ts"
import type { TurnInput } from "./turn-input.ts"

/** What happens between turns, each a list of steps. Nothing here is waited for: an answer is never late because of it. */
export function betweenTurns(input: TurnInput) {
  const later = background(input.log)
  // What is counted changes the very next message: it does not queue behind exports, git and folds.
  const soon = background(input.log)
  const files = sessionFiles(input.log)
  const research = researchers(input)
  const answers = answerCounts(input, research)
  // The network is nothing that other steps wait for.
  const sync = syncBetween(input, background(input.log))
  const ended = turnEnd(input, files, sync)
  const compacted = afterCompaction(input, files)
  const scan = scanBetween(input, background(input.log))
  return {
    /** The first message that this process sees. */
    processStarted: inOrder(later, () => [
      ["splits that were not finished", input.splits.cleanUp],
      ["researchers that ended with their process", research.closeLost],
    ]),
    sessionStarted: inOrder(later, sessionStart(input, sync, scan)),
    turnEnded(session: string): void {
      const turn = input.splits.turnOf(session)
      soon([["end of a researcher", async () => research.turnEnded(session)]])
      later([
        ...ended(session),
        ...answers.turnEnded(session),
        ["split", () => input.splits.afterTurn(session, turn)],
      ])
    },
    compacted(session: string): void {
      input.splits.onCompacted(session)
      later(compacted(session))
    },
    commandRun: inOrder(later, commandRun(input)),
    sessionEnded: inOrder(later, sessionEnd(input, files)),
    callFailed: inOrder(soon, callFailed(input)),
    researchStarted: inOrder(soon, (started: StartedResearch) => [
      ["time of a researcher", () => research.started(started)],
    ]),
    answerEnded: inOrder(soon, answerEnded(input)),
    answerBegun: inOrder(soon, answers.begun),
    answerCounted: inOrder(soon, answers.ended),
  }
}

export type BetweenTurns = ReturnType<typeof betweenTurns>

function inOrder<A extends unknown[]>(
  run: (steps: readonly Step[]) => void,
  stepsFor: (...args: A) => Step[],
): (...args: A) => void {
  return (...args) => run(stepsFor(...args))
}

/** The host's command that splits a session when the user wants it. */
export const SPLIT_COMMAND = "hive-split"

/** How a turn has ended: the user stopped it, or it came to its end. */
export type TurnOutcome = "cancelled turn" | "good turn"

function answerEnded({ hive }: TurnInput) {
  async function count(session: string, what: TurnOutcome, said: string): Promise<void> {
    await countEvent(await hive(), { session, agent: null, tool: "turn" }, { what, said })
  }

  return (session: string, what: TurnOutcome, said: string): Step[] => [
    [`count of a ${what}`, () => count(session, what, said)],
  ]
}

/** The user has run a command of the host, and its turn is over. */
function commandRun({ hive, splits }: TurnInput) {
  async function record(session: string, name: string, words: string): Promise<void> {
    await recordCommand(await hive(), { session, agent: null, tool: "command" }, name, words)
  }

  return (session: string, name: string, words: string): Step[] => [
    ["note of a command", () => record(session, name, words)],
    ...(name === SPLIT_COMMAND ? [["split", splits.asked(session)] as const] : []),
  ]
}

/** A session was deleted in the host: it holds nothing any more. */
function sessionEnd({ hive }: TurnInput, files: SessionFiles) {
  async function close(session: string): Promise<void> {
    const opened = await hive()
    if (!isActiveSession(sessionOf(opened.store.read().state, session))) return
    await closeSession(opened, { session, agent: null, tool: "session deleted" })
  }

  return (session: string): Step[] => [
    ["close", () => close(session)],
    ["session file", async () => files.update(await hive(), session)],
  ]
}
