import { currentTask } from "../graph/current-task.ts"
import { notePressure } from "../graph/pressure.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { GraphState } from "../graph/state.ts"
import type { Hive } from "../hive/hive.ts"
import type { Task } from "../schemas/task.ts"
import type { TokenCounts } from "../schemas/usage.ts"
import { BoundedMap } from "../shared/ids.ts"
import { runInSlices } from "../shared/slices.ts"
import { lastGivenTo } from "../work/delegation/check-delegation.ts"
import { unplannedTask } from "../work/session/unplanned.ts"
import type { Step, TurnInput } from "./between-turns.ts"
import type { Researchers } from "./researchers.ts"

export interface CountedAnswer {
  session: string
  message: string
  at: number
  agent: string | null
  model: string
  window: number | undefined
  /** True for a compaction's summary, whose tokens do not show how full the context window is. */
  isSummary: boolean
  tokens: TokenCounts
  cost: number
}

export function usageRecorder(
  { hive, lastAnswers }: Pick<TurnInput, "hive" | "lastAnswers">,
  research: Pick<Researchers, "check">,
) {
  const caughtUp = new BoundedMap<string, true>()
  /** The current task when each answer began: the answer that completes a task still belongs to that task. */
  const began = new BoundedMap<string, string | undefined>()

  async function begin(session: string, message: string): Promise<void> {
    if (began.has(message)) return
    const { state } = (await hive()).store.read()
    began.set(message, taskAtHand(state, session)?.id)
  }

  async function count(answer: CountedAnswer): Promise<void> {
    const opened = await hive()
    if (!opened.store.isThere()) return
    const { session, tokens, window } = answer
    try {
      recordUsage(opened, answer, began.get(answer.message))
    } catch (error) {
      caughtUp.delete(session) // `catchUp` records it when the turn ends.
      throw error
    }
    // A stopped or failed answer has no token counts, so the pressure does not change.
    const isCounted = tokens.input + tokens.cache_read + tokens.cache_write + tokens.output > 0
    if (window === undefined || answer.isSummary || !isCounted) return
    await opened.store.append({ tool: "answer", session, agent: answer.agent }, (tx) =>
      notePressure(tx, session, tokens, window),
    )
  }

  /** Records answers that a killed process missed. Runs once per session. */
  async function catchUp(session: string): Promise<void> {
    const opened = await hive()
    if (caughtUp.has(session) || !opened.store.isThere()) return
    const answers = await lastAnswers(session)
    for (const answer of answers) {
      const known = await runInSlices(opened.usage.month(new Date(answer.at).toISOString()))
      if (!known.has(answer.message)) recordUsage(opened, answer, undefined)
    }
    // Set last, so that the next turn tries again after a failure.
    caughtUp.set(session, true)
  }

  return {
    turnEnded: (session: string): Step[] => [["answers that were not counted", () => catchUp(session)]],
    begun: (session: string, message: string): Step[] => {
      // The task is read at once: when the queued step runs, it may already be completed.
      const noted = begin(session, message)
      noted.catch(() => {}) // The step below logs the error.
      return [
        ["begin of an answer", () => noted],
        ["limits of research", () => research.check(session)],
      ]
    },
    ended: (answer: CountedAnswer): Step[] => [
      ["count of an answer", () => count(answer)],
      ["limits of research", () => research.check(answer.session)],
    ],
  }
}

function recordUsage(hive: Hive, answer: CountedAnswer, begunAt: string | undefined): void {
  const { session, message, at, agent, model, tokens, cost } = answer
  const { state } = hive.store.read()
  // A conversation may be older than its hive: an answer cannot belong to a record that was created later.
  const ifOlder = <R extends { created_at: string }>(record: R | undefined) =>
    record !== undefined && Date.parse(record.created_at) <= at ? record : undefined
  const task =
    (begunAt === undefined ? undefined : state.task.get(begunAt)) ?? ifOlder(taskAtHand(state, session))
  hive.usage.add({
    at: new Date(at).toISOString(),
    message,
    session,
    parent: sessionOf(state, session)?.parent_host_id ?? null,
    agent,
    model,
    task: task?.id ?? null,
    plan: task?.parent_plan_id ?? null,
    delegation: ifOlder(lastGivenTo(state, session))?.id ?? null,
    ...tokens,
    cost,
  })
}

/** The task of an answer that comes now. A subagent's last answer comes after its task's end, so that task still counts. */
function taskAtHand(state: GraphState, session: string): Task | undefined {
  const given = lastGivenTo(state, session)
  const own = currentTask(state, session) ?? (given && state.task.get(given.task_id))
  return own ?? unplannedTask(state, session)
}
