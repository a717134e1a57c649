import { isOpenDelegation } from "../graph/lifecycle.ts"
import type { Hive, StartedResearch } from "../hive/hive.ts"
import { closeLostResearch, failResearch } from "../work/delegation/research.ts"
import { isResearch, overBudget, timeLeft } from "../work/delegation/research-budget.ts"
import { runningFor } from "../work/delegation/rules.ts"
import type { TurnInput } from "./between-turns.ts"

/** Stops researchers at their limits: checked after each answer, and when their time is over. */
export function researchers({ hive, log }: Pick<TurnInput, "hive" | "log">) {
  /** Time limits, by delegation. */
  const timers = new Map<string, NodeJS.Timeout>()
  /** Started researchers by session, until they or their turn have ended: then a user speaks there. */
  const begun = new Map<string, StartedResearch>()
  /** Retries of stops that the host failed, by session. */
  const retries = new Map<string, NodeJS.Timeout>()

  /** When an answer of a session begins or ends. */
  async function check(session: string): Promise<void> {
    const opened = await hive()
    if (retries.has(session)) await stop(opened, session)
    const running = runningFor(opened.store.read().state, session)
    const started = running === undefined ? begun.get(session) : { delegation: running.id, session }
    if (started !== undefined) await enforceLimits(opened, started)
  }

  async function enforceLimits(opened: Hive, started: StartedResearch): Promise<void> {
    const { delegation: id, session } = started
    const { state } = opened.store.read()
    const delegation = state.delegation.get(id)
    if (delegation === undefined || !isOpenDelegation(delegation) || !isResearch(state, delegation)) {
      const isAtWork =
        begun.has(session) && (delegation?.status === "failed" || delegation?.status === "recalled")
      unwatch(started)
      // Recalled or failed: it would work for nothing, and without a limit.
      if (isAtWork || delegation?.child_session_id === null) await stop(opened, session)
      return
    }
    // Set before what can fail: the timer tries again.
    watch(opened, started, timeLeft(opened, delegation))
    const why = await overBudget(opened, delegation)
    if (why === undefined) return
    // Record first, then stop: a message sent while stopped is no report.
    await failResearch(opened, { session, agent: null, tool: "research budget" }, id, `stopped: ${why}`)
    unwatch(started)
    log("info", `the researcher ${session} is stopped: ${why}`)
    await stop(opened, session)
  }

  /** Also covers one that never begins to answer. */
  function watch(opened: Hive, started: StartedResearch, msLeft: number): void {
    begun.set(started.session, started)
    if (timers.has(started.delegation)) return
    const onTime = () => {
      timers.delete(started.delegation)
      enforceLimits(opened, started).catch((error: unknown) =>
        log("error", "a researcher could not be looked at; it is tried again", error),
      )
    }
    const ms = msLeft > 0 ? Math.min(msLeft, MAX_TIMER_MS) : RETRY_MS
    timers.set(started.delegation, setTimeout(onTime, ms).unref())
  }

  function unwatch({ delegation, session }: StartedResearch): void {
    clearTimeout(timers.get(delegation))
    timers.delete(delegation)
    begun.delete(session)
  }

  /** Its records say that it is over, so nothing else would stop it. */
  async function stop(opened: Hive, session: string, wait = RETRY_MS): Promise<void> {
    clearTimeout(retries.get(session))
    retries.delete(session)
    try {
      await opened.endSession(session)
    } catch (error) {
      const isLast = wait > MAX_RETRY_MS
      log(
        "error",
        `the subagent ${session} could not be stopped${isLast ? "" : "; it is tried again"}`,
        error,
      )
      if (isLast) return
      const again = () => void stop(opened, session, wait * 2)
      retries.set(session, setTimeout(again, wait).unref())
    }
  }

  return {
    check,
    async started(started: StartedResearch): Promise<void> {
      begun.set(started.session, started)
      await enforceLimits(await hive(), started)
    },
    /** A user may speak there next. An open delegation keeps its timer. */
    turnEnded: (session: string): void => void begun.delete(session),
    async closeLost(): Promise<void> {
      const opened = await hive()
      if (!opened.store.isThere()) return
      const count = await closeLostResearch(opened, { session: null, agent: null, tool: "process start" })
      if (count > 0) log("info", `${count} researcher(s) had ended with their process`)
    },
  }
}

export type Researchers = ReturnType<typeof researchers>

const MAX_TIMER_MS = 2 ** 31 - 1
const RETRY_MS = 2000
const MAX_RETRY_MS = 300_000
