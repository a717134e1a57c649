import { registersOf } from "../graph/metrics.ts"
import { pressureOf } from "../graph/pressure.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { GraphState } from "../graph/state.ts"
import type { Hive } from "../hive/hive.ts"
import { continuationOf } from "../work/session/session.ts"
import { type AttemptInput, type Conversations, removeLeftovers, trySplit } from "./split-attempt.ts"

interface SplitInput extends Pick<AttemptInput, "log" | "keyframe" | "noteTold"> {
  hive: () => Promise<Hive>
  toast: (message: string) => Promise<void>
  conversations: Conversations | undefined
}

/** Continues a nearly full session's work in a new session, between turns and never during a compaction. */
export function sessionSplits(input: SplitInput) {
  const { hive, conversations, toast, log } = input
  const states = new Map<string, SplitState>()
  const stateOf = (session: string): SplitState => {
    const state = states.get(session) ?? { turn: 0 }
    states.set(session, state)
    return state
  }
  const turnOf = (session: string): number => stateOf(session).turn

  /** Does nothing if a newer turn has begun: the end of that turn checks again with newer token counts. */
  async function afterTurn(session: string, turn = turnOf(session)): Promise<void> {
    const opened = await hive()
    if (turn !== turnOf(session)) return
    const { split, split_at } = opened.config
    if (conversations === undefined || split === "off" || !opened.store.isThere()) return
    const { state } = opened.store.read()
    const share = pressureOf(state, session)?.share ?? 0
    // A session is split only once: a user who deleted the new session wants to stay in this one.
    const wasSplit = (sessionOf(state, session)?.continued_in ?? null) !== null
    if (share < split_at || wasSplit || !maySplit(opened, session)) return
    if (split === "auto") await splitNow(session)
    else await offer(opened, session, share)
  }

  async function offer(opened: Hive, session: string, share: number): Promise<void> {
    if (registersOf(opened.store.read().state, session)[OFFERED] !== undefined) return
    await opened.store.append({ tool: "split", session, agent: null }, (tx) =>
      tx.register(session, OFFERED, opened.source.now()),
    )
    await toast(
      `The context window is ${Math.round(share * 100)} % full. /hive-split continues in a new session, with the same state.`,
    )
  }

  async function splitNow(session: string, asked?: "asked"): Promise<void> {
    const refuse = async (why: string) => {
      if (asked) await toast(`The session was not split: ${why}.`)
    }
    const opened = await hive()
    const state = stateOf(session)
    if (conversations === undefined) return refuse("this host cannot create sessions")
    if (state.attempt !== undefined) return refuse("a split is already running")
    if (!maySplit(opened, session))
      return refuse("it is a subagent's session, or another session has already continued its work")
    if (state.isCompacting || state.isInTurn) return refuse("a turn or a compaction is running")
    const attempt: Attempt = { stage: "preparing" }
    state.attempt = attempt
    let next: string | undefined
    try {
      const about = { hive: opened, host: conversations, stateOf, session, attempt, discard }
      next = await trySplit({ ...input, ...about })
    } catch (error) {
      log("error", "the session was not split; it goes on as it is", error)
      await toast("The session could not be split; it stays as it is.")
      return
    } finally {
      state.attempt = undefined
    }
    if (next === undefined) return refuse("a message or a compaction came first")
    await conversations.show(next).catch((error: unknown) => log("info", "the view was not moved", error))
    const why = asked ? "" : "The context window was nearly full. "
    await toast(`${why}The work continues in a new session, with the same state.`)
  }

  async function discard(session: string): Promise<void> {
    if (!stateOf(session).hasSpoken) await conversations?.removeUnused(session)
  }

  async function cleanUp(): Promise<void> {
    const opened = await hive()
    if (conversations === undefined || !opened.store.isThere()) return
    await removeLeftovers(opened, discard, log)
  }

  /** Cancels a split that is not being recorded yet, because a message or a compaction comes first. */
  function giveWay(session: string): void {
    const state = stateOf(session)
    state.turn += 1
    const { attempt } = state
    if (attempt?.stage === "preparing") attempt.stage = "stood back"
  }

  async function tellWhereWorkWent(session: string): Promise<void> {
    const opened = await hive()
    const state = stateOf(session)
    // A split that is being recorded cannot be cancelled any more, so its result is awaited.
    if (state.attempt?.stage === "recording") await state.attempt.recording?.catch(() => {}) // The split logs its error.
    const next = successorOf(opened.store.read().state, session)
    if (next === null || state.isNotified) return
    state.isNotified = true
    await toast(
      `The work of this session continues in ${next}, which has taken its task. This session has no task now.`,
    )
  }

  return {
    afterTurn,
    turnOf,
    splitNow,
    cleanUp,
    isMaking: (session: string): boolean => stateOf(session).isMaking === true,
    onUserMessage(session: string): void {
      Object.assign(stateOf(session), SPOKEN)
      giveWay(session)
      tellWhereWorkWent(session).catch((error: unknown) =>
        log("error", "could not show where the work continues", error),
      )
    },
    /** True if a split was recorded before the compaction, which must then be stopped. */
    async isBeforeCompaction(session: string): Promise<boolean> {
      const state = stateOf(session)
      state.isCompacting = true
      giveWay(session)
      const { attempt } = state
      // Only the write of the split is awaited, because a host that hangs must not hold up a turn.
      if (attempt?.stage === "recording") await attempt.recording?.catch(() => {}) // The split logs its error.
      return state.isMoved === true
    },
    onIdle(session: string): void {
      Object.assign(stateOf(session), { isCompacting: false, isInTurn: false })
    },
  }
}

function maySplit(opened: Hive, session: string): boolean {
  const { state } = opened.store.read()
  const isSubagent = (sessionOf(state, session)?.parent_host_id ?? null) !== null
  return !isSubagent && successorOf(state, session) === null
}

function successorOf(state: GraphState, session: string): string | null {
  return continuationOf(sessionOf(state, session), (host) => sessionOf(state, host))
}

export type SessionSplits = ReturnType<typeof sessionSplits>

/** A running split. Before the stage `recording`, a message or a compaction in the session cancels it. */
export interface Attempt {
  stage: "preparing" | "stood back" | "recording" | "done"
  recording?: Promise<unknown>
}

export interface SplitState {
  turn: number
  attempt?: Attempt | undefined
  isCompacting?: boolean
  /** True if the user has written since the session was last idle. */
  isInTurn?: boolean
  hasSpoken?: boolean
  isMaking?: boolean
  isMoved?: boolean
  isNotified?: boolean
}

const SPOKEN = { hasSpoken: true, isInTurn: true, isMoved: false }
const OFFERED = "split_offered"
