import { registersOf } from "../graph/metrics.ts"
import { pressureOf } from "../graph/pressure.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { GraphState } from "../graph/state.ts"
import type { Hive } from "../hive/hive.ts"
import { continuationOf } from "../work/session/session.ts"
import { type AttemptInput, type Conversations, removeLeftovers, trySplit } from "./split-attempt.ts"

interface SplitInput extends Pick<AttemptInput, "toast" | "log" | "keyframe" | "noteTold"> {
  hive: () => Promise<Hive>
  /** Undefined if the host cannot do it: then nothing is split. */
  conversations: Conversations | undefined
}

/**
 * When a session's window is nearly full, its work goes on in a fresh session with the same state and the last
 * messages. Only between turns, and never beside a compaction: the first of the two happens.
 */
export function sessionSplits(input: SplitInput) {
  const { hive, conversations, toast, log } = input
  const states = splitStates()
  const turnOf = (session: string): number => states.find(session)?.turn ?? 0

  /**
   * When the host is idle: splits or offers it. If something else began since that turn, its token count is outdated,
   * and the end of the other turn asks again.
   */
  async function afterTurn(session: string, turn = turnOf(session)): Promise<void> {
    const opened = await hive()
    if (turn !== turnOf(session)) return
    const { split, split_at } = opened.config
    if (conversations === undefined || split === "off" || !opened.store.isThere()) return
    const { state } = opened.store.read()
    const share = pressureOf(state, session)?.share ?? 0
    // Once: who deleted the other session wants to stay in this one.
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
      `The window is ${Math.round(share * 100)} % full. /hive-split goes on in a fresh session, with the same state.`,
    )
  }

  /** On request: the user reads why it did not happen. */
  async function splitNow(session: string, asked?: "asked"): Promise<void> {
    const refuse = async (why: string) => {
      if (asked) await toast(`Not split: ${why}.`)
    }
    const opened = await hive()
    const state = states.of(session)
    if (conversations === undefined) return refuse("this host cannot make sessions")
    if (state.attempt !== undefined) return refuse("it is being split already")
    if (!maySplit(opened, session))
      return refuse("a subagent's session, or one that goes on elsewhere already")
    if (state.isCompacting || state.isInTurn) return refuse("the session is at work")
    const attempt: Attempt = { stage: "preparing" }
    state.attempt = attempt
    let next: string | undefined
    try {
      next = await trySplit({
        ...input,
        hive: opened,
        host: conversations,
        states,
        session,
        attempt,
        discard,
      })
    } catch (error) {
      log("error", "the session was not split; it goes on as it is", error)
      await toast("The session could not be split; it goes on as it is.")
      return
    } finally {
      state.attempt = undefined
    }
    if (next === undefined) return refuse("something else came first; the session goes on as it is")
    await conversations.show(next).catch((error: unknown) => log("info", "the view was not moved", error))
    const why = asked ? "" : "The window was nearly full. "
    await toast(`${why}The work goes on in a fresh session, with the same state.`)
  }

  /** At the user's command, after its turn. A compaction in that turn is noted now: events may come late. */
  function asked(session: string): () => Promise<void> {
    const isCompacted = () => states.find(session)?.isCompacted === true
    const wasCompacted = isCompacted()
    return async () => {
      if (!wasCompacted && !isCompacted()) await splitNow(session, "asked")
      else await toast("Not split: the session was compacted meanwhile. /hive-split once more does it.")
    }
  }

  async function discard(session: string): Promise<void> {
    if (!states.of(session).hasSpoken) await conversations?.removeUnused(session)
  }

  async function cleanUp(): Promise<void> {
    const opened = await hive()
    if (conversations === undefined || !opened.store.isThere()) return
    await removeLeftovers(opened, conversations, discard, log)
  }

  /** Something else comes first: a split that is not yet being recorded gives way. */
  function giveWay(session: string): void {
    states.nextTurn(session)
    const { attempt } = states.of(session)
    if (attempt?.stage === "preparing") attempt.stage = "stood back"
  }

  /** Tells a user who goes on in a session whose work moved. */
  async function tellWhereWorkWent(session: string): Promise<void> {
    const opened = await hive()
    const state = states.of(session)
    // The split can no longer give way: its result is known in a moment.
    if (state.attempt?.stage === "recording") await state.attempt.recording?.catch(() => {}) // It says so itself.
    const next = successorOf(opened.store.read().state, session)
    if (next === null || state.isNotified) return
    state.isNotified = true
    await toast(`The work of this session went on in ${next}, with its task. This one goes on without it.`)
  }

  return {
    afterTurn,
    turnOf,
    splitNow,
    asked,
    cleanUp,
    /** Its first message is being written. */
    isMaking: (session: string): boolean => states.find(session)?.isMaking === true,
    onUserMessage(session: string): void {
      Object.assign(states.of(session), SPOKEN)
      giveWay(session)
      tellWhereWorkWent(session).catch((error: unknown) =>
        log("error", "could not show where the work continues", error),
      )
    },
    /** True if the split came first, and the compaction must be stopped. */
    async isBeforeCompaction(session: string): Promise<boolean> {
      const state = states.of(session)
      state.isCompacting = true
      giveWay(session)
      const { attempt } = state
      // Wait for the record only: a hanging host must not hold up a turn.
      if (attempt?.stage === "recording") await attempt.recording?.catch(() => {}) // It says so itself.
      return state.isMoved === true
    },
    onCompacted(session: string): void {
      states.of(session).isCompacted = true
    },
    /** At once, not in the order of the steps. */
    onIdle(session: string): void {
      Object.assign(states.of(session), { isCompacting: false, isInTurn: false })
    },
  }
}

/** Not for subagents, nor for a session that goes on elsewhere. */
function maySplit(opened: Hive, session: string): boolean {
  const { state } = opened.store.read()
  const isSubagent = (sessionOf(state, session)?.parent_host_id ?? null) !== null
  return !isSubagent && successorOf(state, session) === null
}

function successorOf(state: GraphState, session: string): string | null {
  return continuationOf(sessionOf(state, session), (host) => sessionOf(state, host))
}

export type SessionSplits = ReturnType<typeof sessionSplits>

/** The stage of a split. Until it is being recorded, anything else in the session comes first. */
export interface Attempt {
  stage: "preparing" | "stood back" | "recording" | "done"
  recording?: Promise<void>
}

/** State of a session while the process runs. */
interface SplitState {
  /** Number of the last message or compaction. */
  turn: number
  attempt?: Attempt | undefined
  isCompacting?: boolean
  /** Compacted since the user's last message there. */
  isCompacted?: boolean
  /** The user has written since it was last idle. */
  isInTurn?: boolean
  /** The new session contains a user message, so it is never deleted. */
  hasSpoken?: boolean
  /** Made by a split; its first message is being written. */
  isMaking?: boolean
  /** Split (or being recorded as such), without a user message since. */
  isMoved?: boolean
  /** The user was notified where the work continues. */
  isNotified?: boolean
}

/** Bounded: sessions unused for long are forgotten. */
function splitStates() {
  const states = new Map<string, SplitState>()
  let turns = 0

  function of(session: string): SplitState {
    const state = states.get(session) ?? { turn: 0 }
    // Most recently used last.
    states.delete(session)
    states.set(session, state)
    if (states.size > MAX_SESSIONS) forgetOne(session)
    return state
  }

  function forgetOne(last: string): void {
    for (const [session, { attempt, isMaking }] of states)
      if (session !== last && attempt === undefined && isMaking !== true) {
        states.delete(session)
        return
      }
  }

  return {
    of,
    find: (session: string): Readonly<SplitState> | undefined => states.get(session),
    /** Never reused, so that a forgotten turn is not mistaken for a later one. */
    nextTurn(session: string): void {
      of(session).turn = ++turns
    },
  }
}

export type SplitStates = ReturnType<typeof splitStates>

const SPOKEN = { hasSpoken: true, isInTurn: true, isMoved: false, isCompacted: false }
const OFFERED = "split_offered"
const MAX_SESSIONS = 1000
