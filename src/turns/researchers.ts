import { isOpenDelegation } from "../graph/lifecycle.ts"
import type { Hive, StartedResearch } from "../hive/hive.ts"
import { runningFor } from "../work/delegation/check-delegation.ts"
import {
  closeLostResearch,
  failResearch,
  isResearch,
  overBudget,
  timeLeft,
} from "../work/delegation/research.ts"
import type { TurnInput } from "./between-turns.ts"

export function researchers({ hive, log }: Pick<TurnInput, "hive" | "log">) {
  const timers = new Map<string, NodeJS.Timeout>()
  /** Started researchers by session, until their turn ends: later messages there may be the user's. */
  const begun = new Map<string, StartedResearch>()

  async function check(session: string): Promise<void> {
    const opened = await hive()
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
      // A recalled or failed researcher is stopped: its result is not used any more, and no limit would end it.
      if (isAtWork || delegation?.child_session_id === null) await stop(opened, started)
      else unwatch(started)
      return
    }
    // The timer is set first, so that the limits are checked again if a step below fails.
    watch(opened, started, timeLeft(opened, delegation))
    const why = await overBudget(opened, delegation)
    if (why === undefined) return
    // The failure is recorded before the stop, so that a message sent while stopping is not taken for a report.
    await failResearch(opened, { session, agent: null, tool: "research budget" }, id, `stopped: ${why}`)
    log("info", `the researcher ${session} is stopped: ${why}`)
    await stop(opened, started)
  }

  /** Sets the timer for the time limit, which also ends a researcher that never begins to answer. */
  function watch(opened: Hive, started: StartedResearch, msLeft: number): void {
    begun.set(started.session, started)
    if (timers.has(started.delegation)) return
    const onTime = () => {
      timers.delete(started.delegation)
      enforceLimits(opened, started).catch((error: unknown) =>
        log("error", "could not check a researcher's limits; trying again", error),
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

  async function stop(opened: Hive, started: StartedResearch): Promise<void> {
    unwatch(started)
    try {
      await opened.endSession(started.session)
    } catch (error) {
      begun.set(started.session, started) // It will be stopped at its next answer.
      log("error", `the subagent ${started.session} could not be stopped`, error)
    }
  }

  return {
    check,
    async started(started: StartedResearch): Promise<void> {
      begun.set(started.session, started)
      await enforceLimits(await hive(), started)
    },
    /** The next message may be the user's. The timer of an open delegation goes on. */
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
