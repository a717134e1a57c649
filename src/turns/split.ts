import type { Injection } from "../context/inject/record.ts"
import { handoffLine, handoffText } from "../context/split/handoff.ts"
import { registersOf } from "../graph/metrics.ts"
import { pressureOf } from "../graph/pressure.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { GraphState } from "../graph/state.ts"
import type { Hive } from "../hive/hive.ts"
import { forgetOldest } from "../shared/once-each.ts"
import type { Log } from "../store/files/log-file.ts"
import { archiveSplit } from "../views/export/archive-split.ts"
import { continuationOf, continueIn } from "../work/session/continue-in.ts"
import { ensureSession } from "../work/session/start.ts"
import type { Conversations } from "./conversations.ts"
import { noteBegun, noteOver, removeLeftovers } from "./split-leftovers.ts"

export interface SplitInput {
  hive: () => Promise<Hive>
  conversations: Conversations | undefined
  toast: (message: string) => Promise<void>
  log: Log
  /** The whole state of a session, as its model would be told it. */
  keyframe: (hive: Hive, session: string) => Injection
  /** A message was stored with that in it. */
  noteTold: (session: string, message: string, told: Injection) => void
}

/** How far a split has come. Until it is being recorded, anything else that happens in the session goes before it. */
type Stage = "preparing" | "stood back" | "recording" | "done"

interface Attempt {
  stage: Stage
  recording?: Promise<void>
}

/**
 * When a session's window is nearly full, its work goes on in a fresh one with the same state and the last messages.
 * Only between turns, and never beside a compaction: whichever of the two comes first happens.
 */
export function sessionSplits({ hive, conversations, toast, log, keyframe, noteTold }: SplitInput) {
  const underWay = new Map<string, Attempt>()
  const compacting = new Set<string>()
  /** Sessions that were made for it, until the first message is there: that one is nobody's. */
  const making = new Set<string>()
  const toldWhere = new Set<string>()
  /** Sessions in which somebody has spoken: none of these is ever taken away. */
  const spoken = new Set<string>()
  /** Sessions whose user has spoken since they were last idle. */
  const inTurn = new Set<string>()
  /** Sessions that were split, and nobody has spoken there since: no compaction follows. */
  const moved = new Set<string>()

  /** How often somebody has spoken in a session, or it was to be compacted. */
  const turns = new Map<string, number>()
  const turnOf = (session: string): number => turns.get(session) ?? 0

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

  /** A subagent's session is a part of its parent's; one that was split goes on elsewhere. */
  function maySplit(opened: Hive, session: string): boolean {
    const { state } = opened.store.read()
    const isSubagent = (sessionOf(state, session)?.parent_host_id ?? null) !== null
    return !isSubagent && whereTo(state, session) === null
  }

  /** Where somebody has asked for it, it says so if nothing comes of it. */
  async function splitNow(session: string, asked?: "asked"): Promise<void> {
    const refuse = async (why: string) => {
      if (asked) await toast(`Not split: ${why}.`)
    }
    const opened = await hive()
    if (conversations === undefined || underWay.has(session)) return
    if (!maySplit(opened, session))
      return refuse("a subagent's session, or one that goes on elsewhere already")
    if (compacting.has(session) || inTurn.has(session)) return refuse("the session is at work")
    const attempt: Attempt = { stage: "preparing" }
    underWay.set(session, attempt)
    let next: string | undefined
    try {
      next = await goOn(opened, conversations, session, attempt)
    } catch (error) {
      log("error", "the session was not split; it goes on as it is", error)
      await toast("The session could not be split; it goes on as it is.")
      return
    } finally {
      underWay.delete(session)
    }
    if (next === undefined) return refuse("something else came first; the session goes on as it is")
    await conversations.show(next).catch((error: unknown) => log("info", "the view was not moved", error))
    const why = asked ? "" : "The window was nearly full. "
    await toast(`${why}The work goes on in a fresh session, with the same state.`)
  }

  /** Undefined where it stood back. On any failure nothing has moved, and the new session is gone again. */
  async function goOn(
    opened: Hive,
    host: Conversations,
    session: string,
    attempt: Attempt,
  ): Promise<string | undefined> {
    await noteBegun(opened, session)
    let next: string | undefined
    try {
      await ensureKnown(opened, session)
      const told = keyframe(opened, session)
      const handoff = handoffText(told.parts.join("\n"), await host.lastSpoken(session))
      next = await host.makeNext(session)
      await noteBegun(opened, session, next)
      making.add(next)
      const line = handoffLine(pressureOf(opened.store.read().state, session))
      const message = await host.leave(next, line, handoff, session)
      making.delete(next)
      const stored = await host.stored(next, message)
      if (stored !== handoff) throw new Error("the host has stored something else than it was given")
      const isIdle = (await opened.sessionState?.(session)) !== "busy"
      if (isIdle && attempt.stage === "preparing") {
        archiveSplit(opened, session, handoff)
        attempt.stage = "recording"
        attempt.recording = record(opened, session, next)
        await attempt.recording
        attempt.stage = "done"
        noteTold(next, message, told)
      }
    } catch (error) {
      // Written, though nobody could say so in time.
      if (next === undefined || sessionOf(opened.store.read().state, session)?.continued_in !== next) {
        attempt.stage = "stood back"
        if (next !== undefined) await discard(host, next)
        await noteOver(opened, session)
        throw error
      }
      attempt.stage = "done"
    }
    if (attempt.stage === "done") moved.add(session)
    else {
      log("info", `the split of ${session} stood back: something else came first`)
      await discard(host, next)
    }
    await noteOver(opened, session).catch((error: unknown) => log("error", "a note stayed", error))
    return attempt.stage === "done" ? next : undefined
  }

  async function record(opened: Hive, session: string, next: string): Promise<void> {
    await Promise.resolve() // Whoever waits for it can, from its first step on.
    await continueIn(opened, { session, agent: null, tool: "split" }, next)
  }

  /** A conversation in which nothing was done with HiveMind has no record yet, and can be full all the same. */
  async function ensureKnown(opened: Hive, session: string): Promise<void> {
    if (sessionOf(opened.store.read().state, session) !== undefined) return
    const caller = { session, agent: null, tool: "split" }
    await opened.store.write(caller, (tx) => ensureSession(tx, caller, opened.source.now(), null))
  }

  async function discard(host: Conversations, session: string): Promise<void> {
    making.delete(session)
    if (spoken.has(session)) return
    await host.removeUnused(session).catch((error: unknown) => log("error", "a session was left over", error))
  }

  async function cleanUp(): Promise<void> {
    const opened = await hive()
    if (conversations === undefined || !opened.store.isThere()) return
    const host = conversations
    await removeLeftovers(opened, host, (session) => discard(host, session), log)
  }

  return {
    afterTurn,
    turnOf,
    splitNow,
    cleanUp,
    /** True of a session whose first message is being put there. */
    isMaking: (session: string): boolean => making.has(session),
    /** The user speaks: a split that is only being prepared stands back. */
    onUserMessage(session: string): void {
      spoken.add(session)
      if (spoken.size > MAX_SPOKEN) forgetOldest(spoken)
      inTurn.add(session)
      turns.set(session, turnOf(session) + 1)
      moved.delete(session)
      standBack(session)
      tellWhere(session).catch((error: unknown) =>
        log("error", "could not tell where the work went on", error),
      )
    },
    /** True where the split was first, and the compaction is to be stopped. */
    async isBeforeCompaction(session: string): Promise<boolean> {
      compacting.add(session)
      turns.set(session, turnOf(session) + 1)
      standBack(session)
      const attempt = underWay.get(session)
      // For nothing else: what a host that hangs is asked meanwhile must not hold up a turn.
      if (attempt?.stage === "recording") await attempt.recording?.catch(() => {}) // It says so itself.
      return attempt?.stage === "done" || moved.has(session)
    },
    /** At the moment, not in the order of the steps: what is over is over. */
    onIdle(session: string): void {
      compacting.delete(session)
      inTurn.delete(session)
    },
  }

  /** Somebody goes on where the work no longer is: that is fine, but they should know. */
  async function tellWhere(session: string): Promise<void> {
    const next = whereTo((await hive()).store.read().state, session)
    if (next === null || toldWhere.has(session)) return
    toldWhere.add(session)
    await toast(`The work of this session went on in ${next}, with its task. This one goes on without it.`)
  }

  function standBack(session: string): void {
    const attempt = underWay.get(session)
    if (attempt?.stage === "preparing") attempt.stage = "stood back"
  }
}

function whereTo(state: GraphState, session: string): string | null {
  return continuationOf(sessionOf(state, session), (host) => sessionOf(state, host))
}

export type SessionSplits = ReturnType<typeof sessionSplits>

const OFFERED = "split_offered"
const MAX_SPOKEN = 1000
