import { currentTask } from "../graph/current-task.ts"
import { notePressure } from "../graph/pressure.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { GraphState } from "../graph/state.ts"
import type { Hive } from "../hive/hive.ts"
import type { Task } from "../schemas/task.ts"
import type { TokenCounts } from "../schemas/usage.ts"
import { forgetOldest } from "../shared/ids.ts"
import { runInSlices } from "../shared/slices.ts"
import { lastGivenTo } from "../work/delegation/rules.ts"
import { unplannedTask } from "../work/session/unplanned.ts"
import type { Step, TurnInput } from "./between-turns.ts"
import type { Researchers } from "./researchers.ts"

/** A finished answer of the model with the host's token counts. */
export interface CountedAnswer {
  session: string
  message: string
  /** Time of its end, in ms. */
  at: number
  agent: string | null
  model: string
  /** Size of the model's context window, if the host knows it. */
  window: number | undefined
  /** A compaction's summary: it says nothing about the length of the conversation. */
  isSummary: boolean
  tokens: TokenCounts
  cost: number
}

/** Records the usage of answers by session, task and delegation. */
export function usageRecorder(
  { hive, lastAnswers }: Pick<TurnInput, "hive" | "lastAnswers">,
  research: Pick<Researchers, "check">,
) {
  const caughtUp = new Set<string>()
  /** The task when an answer began: a step that ends a task still belongs to it. */
  const began = new Map<string, string | undefined>()

  async function begin(session: string, message: string): Promise<void> {
    if (began.has(message)) return
    const { state } = (await hive()).store.read()
    began.set(message, taskAtHand(state, session)?.id)
    if (began.size > MAX_BEGUN) forgetOldest(began)
  }

  async function count(answer: CountedAnswer): Promise<void> {
    const opened = await hive()
    if (!opened.store.isThere()) return
    const { session, tokens, window } = answer
    try {
      recordUsage(opened, answer, began.get(answer.message))
    } catch (error) {
      caughtUp.delete(session) // The end of the turn makes up for it.
      throw error
    }
    // A stopped or failed answer has no counts; the window is as full as before.
    const isCounted = tokens.input + tokens.cache_read + tokens.cache_write + tokens.output > 0
    if (window === undefined || answer.isSummary || !isCounted) return
    await opened.store.append({ tool: "answer", session, agent: answer.agent }, (tx) =>
      notePressure(tx, session, tokens, window),
    )
  }

  /** Records answers that a killed process missed. Once per session. */
  async function catchUp(session: string): Promise<void> {
    const opened = await hive()
    if (caughtUp.has(session) || !opened.store.isThere()) return
    const answers = await lastAnswers(session)
    for (const answer of answers) {
      const known = await runInSlices(opened.usage.month(new Date(answer.at).toISOString()))
      if (!known.has(answer.message)) recordUsage(opened, answer, undefined)
    }
    // Last: after a failure the next turn tries again.
    caughtUp.add(session)
    if (caughtUp.size > MAX_SESSIONS) forgetOldest(caughtUp)
  }

  return {
    turnEnded: (session: string): Step[] => [["answers that were not counted", () => catchUp(session)]],
    begun: (session: string, message: string): Step[] => {
      // At once: behind other steps the task could be over.
      const noted = begin(session, message)
      noted.catch(() => {}) // The step says so.
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
  // A conversation may be older than its hive: earlier answers belong to nothing.
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

/** A subagent's last words come after its task ended: they still belong to it. */
function taskAtHand(state: GraphState, session: string): Task | undefined {
  const given = lastGivenTo(state, session)
  const own = currentTask(state, session) ?? (given && state.task.get(given.task_id))
  return own ?? unplannedTask(state, session)
}

const MAX_BEGUN = 1000
const MAX_SESSIONS = 1000
