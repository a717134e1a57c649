import type { Hive } from "../hive/hive.ts"
import { closeLostResearch } from "../work/delegation/research.ts"
import { isResearch, overBudget } from "../work/delegation/research-budget.ts"
import { runningFor } from "../work/delegation/rules.ts"
import { recordFailure } from "../work/delegation/run.ts"
import type { TurnInput } from "./turn-input.ts"

/** Keeps researchers within their limits: looked at after each answer, and once their time is over. */
export function researchers({ hive, log }: Pick<TurnInput, "hive" | "log">) {
  const timers = new Map<string, NodeJS.Timeout>()

  async function check(session: string): Promise<void> {
    const opened = await hive()
    const running = runningFor(opened.store.read().state, session)
    if (running === undefined || !isResearch(opened.store.read().state, running)) {
      clearTimeout(timers.get(session))
      timers.delete(session)
      return
    }
    if (!timers.has(session)) watch(opened, session)
    const why = await overBudget(opened, running)
    if (why === undefined) return
    // First that it is over, then its end: what it says while it is stopped is no report.
    await recordFailure(opened, { session, agent: null, tool: "research budget" }, session, `stopped: ${why}`)
    await opened.endSession(session)
    log("info", `the researcher ${session} was stopped: ${why}`)
  }

  /** A model that never answers ends no answer. */
  function watch(opened: Hive, session: string): void {
    const ms = Math.min(opened.config.research.minutes * 60_000, MAX_TIMER_MS)
    const onTime = () => {
      timers.delete(session)
      check(session).catch((error: unknown) => log("error", "a researcher could not be stopped", error))
    }
    timers.set(session, setTimeout(onTime, ms).unref())
  }

  return {
    check,
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
