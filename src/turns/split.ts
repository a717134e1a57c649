import { registersOf } from "../graph/metrics.ts"
import { pressureOf } from "../graph/pressure.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { GraphState } from "../graph/state.ts"
import type { Hive } from "../hive/hive.ts"
import { continuationOf } from "../work/session/continue-in.ts"
import type { Conversations } from "./conversations.ts"
import { type AttemptInput, trySplit } from "./split-attempt.ts"
import { removeLeftovers } from "./split-leftovers.ts"
import { type Attempt, splitStates } from "./split-state.ts"

export interface SplitInput extends Pick<AttemptInput, "toast" | "log" | "keyframe" | "noteTold"> {
  hive: () => Promise<Hive>
  /** Left out where the host cannot do that: then nothing is split. */
  conversations: Conversations | undefined
}

/**
 * When a session's window is nearly full, its work goes on in a fresh one with the same state and the last messages.
 * Only between turns, and never beside a compaction: whichever of the two comes first happens.
 */
export function sessionSplits(input: SplitInput) {
  const { hive, conversations, toast, log } = input
  const states = splitStates()
  const turnOf = (session: string): number => states.find(session)?.turn ?? 0

  /**
   * The host waits for the user: is there more room to be had? This may come late: where something else has begun
   * since that turn, the count of its last answer is no longer true, and the end of the other asks again.
   */
  async function afterTurn(session: string, turn = turnOf(session)): Promise<void> {
    const opened = await hive()
    if (turn !== turnOf(session)) return
    const { split, split_at } = opened.config
    if (conversations === undefined || split === "off" || !opened.store.isThere()) return
    const { state } = opened.store.read()
    const share = pressureOf(state, session)?.share ?? 0
    // Once: somebody who has deleted the other session wants to stay in this one.
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

  /** Where somebody has asked for it, it says so if nothing comes of it. */
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

  /** At the user's command, once its turn is over. What was compacted in that turn is seen now: the rest may come late. */
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

  /** Something else comes: a split that is only being prepared stands back. */
  function standBack(session: string): void {
    states.nextTurn(session)
    const { attempt } = states.of(session)
    if (attempt?.stage === "preparing") attempt.stage = "stood back"
  }

  /** Somebody goes on where the work no longer is: that is fine, but they should know. */
  async function tellWhere(session: string): Promise<void> {
    const opened = await hive()
    const state = states.of(session)
    // It cannot stand back any more: where to is known in a moment.
    if (state.attempt?.stage === "recording") await state.attempt.recording?.catch(() => {}) // It says so itself.
    const next = whereTo(opened.store.read().state, session)
    if (next === null || state.isTold) return
    state.isTold = true
    await toast(`The work of this session went on in ${next}, with its task. This one goes on without it.`)
  }

  return {
    afterTurn,
    turnOf,
    splitNow,
    asked,
    cleanUp,
    /** True of a session whose first message is being put there. */
    isMaking: (session: string): boolean => states.find(session)?.isMaking === true,
    onUserMessage(session: string): void {
      Object.assign(states.of(session), SPOKEN)
      standBack(session)
      tellWhere(session).catch((error: unknown) =>
        log("error", "could not tell where the work went on", error),
      )
    },
    /** True where the split was first, and the compaction is to be stopped. */
    async isBeforeCompaction(session: string): Promise<boolean> {
      const state = states.of(session)
      state.isCompacting = true
      standBack(session)
      const { attempt } = state
      // For nothing else: what a host that hangs is asked meanwhile must not hold up a turn.
      if (attempt?.stage === "recording") await attempt.recording?.catch(() => {}) // It says so itself.
      return state.isMoved === true
    },
    onCompacted(session: string): void {
      states.of(session).isCompacted = true
    },
    /** At the moment, not in the order of the steps: what is over is over. */
    onIdle(session: string): void {
      Object.assign(states.of(session), { isCompacting: false, isInTurn: false })
    },
  }
}

/** A subagent's session is a part of its parent's; one that was split goes on elsewhere. */
function maySplit(opened: Hive, session: string): boolean {
  const { state } = opened.store.read()
  const isSubagent = (sessionOf(state, session)?.parent_host_id ?? null) !== null
  return !isSubagent && whereTo(state, session) === null
}

function whereTo(state: GraphState, session: string): string | null {
  return continuationOf(sessionOf(state, session), (host) => sessionOf(state, host))
}

export type SessionSplits = ReturnType<typeof sessionSplits>

const SPOKEN = { hasSpoken: true, isInTurn: true, isMoved: false, isCompacted: false }
const OFFERED = "split_offered"
