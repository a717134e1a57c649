import { isActiveSession } from "../graph/lifecycle.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { Hive, StartedResearch } from "../hive/hive.ts"
import { HiveError } from "../shared/error.ts"
import { BoundedMap } from "../shared/ids.ts"
import { createQueue } from "../shared/queue.ts"
import { withTimeout } from "../shared/timeout.ts"
import type { Log } from "../store/files/log-file.ts"
import { sessionFiles } from "../views/session-file/update.ts"
import { countEvent } from "../watch/count-event.ts"
import type { Validation } from "../watch/validation.ts"
import { closeSession } from "../work/session/session.ts"
import { recordTitle } from "../work/session/status.ts"
import { endUnplannedLeft } from "../work/session/unplanned.ts"
import { recordCommand } from "../work/task/checkpoint.ts"
import { callFailed, type FailedCall } from "./after-call.ts"
import { type CountedAnswer, usageRecorder } from "./answer-usage.ts"
import { backgroundSync } from "./background-sync.ts"
import type { CallSnapshots } from "./call-snapshots.ts"
import type { ChangeNotes } from "./change-notes.ts"
import { afterCompaction } from "./compaction.ts"
import { researchers } from "./researchers.ts"
import { scanAtStart, sessionStart } from "./session-start.ts"
import type { SessionSplits } from "./split.ts"
import { turnEnd } from "./turn-end.ts"

/** Handles events between turns. Each event queues a list of steps; no answer of the model waits for them. */
export function betweenTurns(input: TurnInput) {
  const { hive, log, splits } = input
  const later = stepQueue(log)
  // A queue of its own for counts: the next message needs them, so they do not wait for exports, git and folds.
  const soon = stepQueue(log)
  const files = sessionFiles(log)
  const research = researchers(input)
  const answers = usageRecorder(input, research)
  // Own queues for sync and scan: other steps must not wait for the network or a project scan.
  const sync = backgroundSync(input, stepQueue(log).run)
  const scan = scanAtStart(input, stepQueue(log).run)
  const start = sessionStart(input, sync, scan)
  const end = turnEnd(input, files, sync)
  const compaction = afterCompaction(input, files)
  const failed = callFailed(input)
  const titles = new BoundedMap<string, { title: string; isFromHost: boolean }>()

  async function keepTitle(session: string): Promise<void> {
    const title = titles.get(session)
    if (title !== undefined)
      await recordTitle(await hive(), { session, agent: null, tool: "session title" }, title)
  }

  async function endInboxTasks(): Promise<void> {
    const opened = await hive()
    if (!opened.store.isThere()) return
    const count = await endUnplannedLeft(opened, { session: null, agent: null, tool: "process start" })
    if (count > 0) log("info", `${count} inbox task(s) had ended with their session`)
  }

  async function closeDeleted(session: string): Promise<void> {
    const opened = await hive()
    if (isActiveSession(sessionOf(opened.store.read().state, session)))
      await closeSession(opened, { session, agent: null, tool: "session deleted" })
  }

  return {
    processStarted(): void {
      later.run([
        ["splits that were not finished", splits.cleanUp],
        ["inbox tasks of sessions that ended", endInboxTasks],
        ["researchers that ended with their process", research.closeLost],
      ])
    },
    sessionStarted: (session: string, isChild: boolean): void => later.run(start(session, isChild)),
    turnEnded(session: string): void {
      const turn = splits.turnOf(session)
      soon.run([["end of a researcher", async () => research.turnEnded(session)]])
      later.run([
        ["session title", () => keepTitle(session)],
        ...end(session),
        ...answers.turnEnded(session),
        ["split", () => splits.afterTurn(session, turn)],
      ])
    },
    sessionAsked(session: string, text: string): void {
      if (!titles.has(session)) titles.set(session, { title: text, isFromHost: false })
    },
    sessionTitled(session: string, title: string): void {
      if (titles.get(session)?.title === title) return
      titles.set(session, { title, isFromHost: true })
      later.run([["session title", () => keepTitle(session)]])
    },
    compacted(session: string): void {
      later.run(compaction(session))
    },
    commandRun(session: string, name: string, words: string): void {
      const record = async () =>
        recordCommand(await hive(), { session, agent: null, tool: "command" }, name, words)
      const split: Step[] = name === SPLIT_COMMAND ? [["split", () => splits.splitNow(session, "asked")]] : []
      later.run([["note of a command", record], ...split])
    },
    sessionEnded(session: string): void {
      later.run([
        ["close", () => closeDeleted(session)],
        ["session file", async () => files.update(await hive(), session)],
      ])
    },
    callFailed: (call: FailedCall): void => soon.run(failed(call)),
    researchStarted: (started: StartedResearch): void =>
      soon.run([["time of a researcher", () => research.started(started)]]),
    answerEnded(session: string, what: TurnOutcome, said: string): void {
      const count = async () =>
        countEvent(await hive(), { session, agent: null, tool: "turn" }, { what, said })
      soon.run([[`count of a ${what}`, count]])
    },
    answerBegun: (session: string, message: string): void => soon.run(answers.begun(session, message)),
    answerCounted: (answer: CountedAnswer): void => soon.run(answers.ended(answer)),
    async idle(): Promise<void> {
      await Promise.all([soon.idle(), later.idle()])
    },
  }
}

export type BetweenTurns = ReturnType<typeof betweenTurns>

export const SPLIT_COMMAND = "hive-split"

export type TurnOutcome = "cancelled turn" | "good turn"

export type Step = readonly [name: string, run: () => Promise<unknown>]

/** Steps run one after another; a failed step is logged and the next one runs. */
function stepQueue(log: Log) {
  const queue = createQueue()
  const run = (steps: readonly Step[]): void => {
    setImmediate(() => {
      for (const [name, run] of steps) {
        // A host that does not answer must not block later steps.
        const bounded = async () => {
          if ((await withTimeout(run(), STEP_MS)).timedOut)
            log("error", `${name} took more than ${STEP_MS} ms`)
        }
        queue.run(bounded).catch((error: unknown) => {
          const isOver = error instanceof HiveError && error.code === "closed"
          log(isOver ? "info" : "error", `${name} ${isOver ? "was skipped" : "failed"}`, error)
        })
      }
    })
  }
  return {
    run,
    async idle(): Promise<void> {
      await new Promise((resolve) => setImmediate(resolve))
      await queue.idle()
    },
  }
}

export interface TurnInput {
  hive: () => Promise<Hive>
  log: Log
  toast: (message: string) => Promise<void>
  lastAnswer: (session: string, only?: "to the end") => Promise<string>
  lastSummary: (session: string) => Promise<string>
  lastAnswers: (session: string) => Promise<CountedAnswer[]>
  stepOf: (session: string) => string | null
  validate: Validation
  tree: CallSnapshots
  splits: SessionSplits
  changeNotes: ChangeNotes
}

const STEP_MS = 30_000
