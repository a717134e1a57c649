/** How far a split has come. Until it is being recorded, anything else that happens in the session goes before it. */
export interface Attempt {
  stage: "preparing" | "stood back" | "recording" | "done"
  recording?: Promise<void>
}

/** What splitting has to know of a session, as long as the process runs. */
export interface SplitState {
  /** Of the last time somebody spoke there, or it was to be compacted. */
  turn: number
  attempt?: Attempt | undefined
  isCompacting?: boolean
  /** It was compacted since its user last spoke there. */
  isCompacted?: boolean
  /** Its user has spoken since it was last idle. */
  isInTurn?: boolean
  /** Somebody has spoken there: it is never taken away. */
  hasSpoken?: boolean
  /** Made for a split, and its first message is being put there: that one is nobody's. */
  isMaking?: boolean
  /** It was split, or is just being recorded as such, and nobody has spoken there since: no compaction follows. */
  isMoved?: boolean
  /** Somebody who went on there was told where the work is. */
  isTold?: boolean
}

/** Bounded: of sessions that nothing was heard of for long, nothing is kept. */
export function splitStates(most = MAX_SESSIONS) {
  const states = new Map<string, SplitState>()
  let turns = 0

  function of(session: string): SplitState {
    const state = states.get(session) ?? { turn: 0 }
    // The one that was asked for last is forgotten last.
    states.delete(session)
    states.set(session, state)
    if (states.size > most) forgetOne(session)
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
    /** Never a number that there was before: one that was forgotten is not mistaken for a later one. */
    nextTurn(session: string): void {
      of(session).turn = ++turns
    },
    size: () => states.size,
  }
}

export type SplitStates = ReturnType<typeof splitStates>

const MAX_SESSIONS = 1000
