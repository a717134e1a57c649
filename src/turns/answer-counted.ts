import { currentTask } from "../graph/current-task.ts"
import { notePressure } from "../graph/pressure.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { GraphState } from "../graph/state.ts"
import type { Hive } from "../hive/hive.ts"
import type { Task } from "../schemas/task.ts"
import type { TokenCounts } from "../schemas/usage.ts"
import { forgetOldest } from "../shared/once-each.ts"
import { runInSlices } from "../shared/slices.ts"
import { lastGivenTo } from "../work/delegation/rules.ts"
import { unplannedTask } from "../work/session/unplanned.ts"
import type { Step } from "./background.ts"
import type { Researchers } from "./researchers.ts"
import type { TurnInput } from "./turn-input.ts"

/** An answer of the model that has come to its end, with what it took by the host's count. */
export interface CountedAnswer {
  session: string
  message: string
  /** When it ended (ms). */
  at: number
  agent: string | null
  model: string
  /** How many tokens the model takes, where the host knows it. */
  window: number | undefined
  /** The summary of a compaction: it says nothing about how long the conversation is from now on. */
  isSummary: boolean
  tokens: TokenCounts
  cost: number
}

/** Puts down what answers take, for whom and for what. */
export function answerCounts(
  { hive, lastAnswers }: Pick<TurnInput, "hive" | "lastAnswers">,
  research: Pick<Researchers, "check">,
) {
  const caughtUp = new Set<string>()
  /** What was at hand when an answer began: a step that ends a task is still that task's. */
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
      putDown(opened, answer, began.get(answer.message))
    } catch (error) {
      caughtUp.delete(session) // The end of the turn makes up for it.
      throw error
    }
    // One that was stopped or failed was not counted: the window is as full as before.
    const isCounted = tokens.input + tokens.cache_read + tokens.cache_write + tokens.output > 0
    if (window === undefined || answer.isSummary || !isCounted) return
    await opened.store.append({ tool: "answer", session, agent: answer.agent }, (tx) =>
      notePressure(tx, session, tokens, window),
    )
  }

  /** What a process that died has not put down any more: looked for once per session. */
  async function catchUp(session: string): Promise<void> {
    const opened = await hive()
    if (caughtUp.has(session) || !opened.store.isThere()) return
    const answers = await lastAnswers(session)
    for (const answer of answers) {
      const known = await runInSlices(opened.usage.month(new Date(answer.at).toISOString()))
      if (!known.has(answer.message)) putDown(opened, answer, undefined)
    }
    // Only now: what failed is tried again with the next turn.
    caughtUp.add(session)
    if (caughtUp.size > MAX_SESSIONS) forgetOldest(caughtUp)
  }

  return {
    turnEnded: (session: string): Step[] => [["answers that were not counted", () => catchUp(session)]],
    begun: (session: string, message: string): Step[] => {
      // At once: behind other steps, the task that the answer ends could be over.
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

function putDown(hive: Hive, answer: CountedAnswer, begunAt: string | undefined): void {
  const { session, message, at, agent, model, tokens, cost } = answer
  const { state } = hive.store.read()
  // What was answered before there was such a thing was not for it: a conversation may be older than its hive.
  const ifThere = <R extends { created_at: string }>(record: R | undefined) =>
    record !== undefined && Date.parse(record.created_at) <= at ? record : undefined
  const task =
    (begunAt === undefined ? undefined : state.task.get(begunAt)) ?? ifThere(taskAtHand(state, session))
  hive.usage.add({
    at: new Date(at).toISOString(),
    message,
    session,
    parent: sessionOf(state, session)?.parent_host_id ?? null,
    agent,
    model,
    task: task?.id ?? null,
    plan: task?.parent_plan_id ?? null,
    delegation: ifThere(lastGivenTo(state, session))?.id ?? null,
    ...tokens,
    cost,
  })
}

/** The last words of a subagent come when its task is over: they are still that task's. */
function taskAtHand(state: GraphState, session: string): Task | undefined {
  const given = lastGivenTo(state, session)
  const own = currentTask(state, session) ?? (given && state.task.get(given.task_id))
  return own ?? unplannedTask(state, session)
}

const MAX_BEGUN = 1000
const MAX_SESSIONS = 1000
