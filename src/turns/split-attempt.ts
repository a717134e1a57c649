import type { Injection } from "../context/inject/record.ts"
import { handoffLine, handoffText, type Spoken } from "../context/split/handoff.ts"
import { countsOf, registersOf } from "../graph/metrics.ts"
import { pressureOf } from "../graph/pressure.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { Hive } from "../hive/hive.ts"
import { identityIn, identityText, stateOfProcess, thisProcess } from "../shared/process-identity.ts"
import { withTimeout } from "../shared/timeout.ts"
import type { Log } from "../store/files/log-file.ts"
import { prepareArchive, settleArchive } from "../views/export/archive-split.ts"
import { continueIn, ensureSession } from "../work/session/session.ts"
import type { Attempt, SplitStates } from "./split.ts"

export interface AttemptInput {
  hive: Hive
  host: Conversations
  states: SplitStates
  session: string
  attempt: Attempt
  discard: Discard
  log: Log
  toast: (message: string) => Promise<void>
  /** The whole state of a session, as its model would get it. */
  keyframe: (hive: Hive, session: string) => Injection
  /** Records that a message was stored with that state. */
  noteTold: (session: string, message: string, told: Injection) => void
}

/**
 * Returns the new session's id; undefined if a message or a compaction began first. On failure the old session keeps
 * its work and the new one is deleted.
 */
export async function trySplit(input: AttemptInput): Promise<string | undefined> {
  const { hive, host, session, attempt, discard, log, toast } = input
  let next: string | undefined
  try {
    await noteSplitBegun(hive, session)
    await ensureRecord(hive, session)
    next = await moveToNewSession(input)
  } catch (error) {
    attempt.stage = "stood back"
    // The host may have made a session without reporting it.
    await finishSplit(hive, session, discard, host).catch(logLeftovers)
    throw error
  }
  if (next !== undefined) await finishSplit(hive, session, discard).catch(reportUnarchived)
  else {
    log("info", `the split of ${session} stood back: something else came first`)
    await finishSplit(hive, session, discard).catch(logLeftovers)
  }
  return next

  // In both cases the note stays, and the next start tries again.
  function logLeftovers(error: unknown): void {
    log("error", "the new session stays until the next start", error)
  }
  async function reportUnarchived(error: unknown): Promise<void> {
    log("error", "the file of the session that was split is not archived yet", error)
    const line = "The old session's file could not be archived yet; the next start tries again."
    await toast(line).catch((cause: unknown) => log("info", "could not show toast", cause))
  }
}

async function moveToNewSession(input: AttemptInput): Promise<string | undefined> {
  const { hive, host, states, session, attempt, log, keyframe, noteTold } = input
  const told = keyframe(hive, session)
  const handoff = handoffText(told.parts.join("\n"), await host.lastSpoken(session))
  const next = await host.makeNext(session)
  const message = await addFirstMessage(input, next, handoff)
  if ((await host.stored(next, message)) !== handoff)
    throw new Error("the host has stored something else than it was given")
  const isIdle = (await hive.sessionState?.(session)) !== "busy"
  if (!isIdle || attempt.stage !== "preparing") return undefined
  prepareArchive(hive, session, handoff)
  attempt.stage = "recording"
  // Before the record: a message sent meanwhile must come after it.
  states.of(session).isMoved = true
  attempt.recording = record(hive, session, next)
  try {
    await attempt.recording
  } catch (error) {
    // Recorded, although the write failed to report it in time.
    if (sessionOf(hive.store.read().state, session)?.continued_in !== next) {
      states.of(session).isMoved = false
      throw error
    }
  }
  attempt.stage = "done"
  try {
    noteTold(next, message, told)
  } catch (error) {
    log("error", "the first message will be repeated", error) // It is split all the same.
  }
  return next
}

/** Puts the first message into the new session. Meanwhile its events are not a user's. */
async function addFirstMessage({ hive, host, states, session }: AttemptInput, next: string, handoff: string) {
  states.of(next).isMaking = true
  try {
    await noteSplitBegun(hive, session, next)
    const line = handoffLine(pressureOf(hive.store.read().state, session))
    // Other plugins see it too: one that hangs must not block splits for ever.
    const left = await withTimeout(host.leave(next, line, handoff, session), LEAVE_MS)
    if (left.timedOut) throw new Error("the host did not take the first message in time")
    return left.value
  } finally {
    states.of(next).isMaking = false
  }
}

async function record(hive: Hive, session: string, next: string): Promise<void> {
  await Promise.resolve() // Lets callers await it from its first step on.
  await continueIn(hive, { session, agent: null, tool: "split" }, next)
}

/** A conversation without HiveMind has no record, and can be full too. */
async function ensureRecord(hive: Hive, session: string): Promise<void> {
  if (sessionOf(hive.store.read().state, session) !== undefined) return
  const caller = { session, agent: null, tool: "split" }
  await hive.store.write(caller, (tx) => ensureSession(tx, caller, hive.source.now(), null))
}

/** Removes a session unless it is in use. */
type Discard = (session: string) => Promise<void>

/** Notes that a split is under way and which session it made: the next start finds it after a crash. */
async function noteSplitBegun(hive: Hive, session: string, made?: string): Promise<void> {
  // Sessions that an earlier attempt could not remove.
  const left = noteOf(hive, session)?.made ?? []
  const all = made === undefined ? left : [...left, made]
  await note(hive, session, [identityText(thisProcess), hive.source.now(), ...all].join(" "))
}

/**
 * After a split: removes unused sessions that it made, then the note. With a host also sessions whose id was not
 * noted.
 */
async function finishSplit(
  hive: Hive,
  session: string,
  discard: Discard,
  host?: Pick<Conversations, "emptyNext">,
): Promise<void> {
  const { at = Number.NaN, made = [] } = noteOf(hive, session) ?? {}
  const unnamed = Number.isNaN(at) ? [] : ((await host?.emptyNext(session, at)) ?? [])
  for (const each of new Set([...made, ...unnamed])) if (!isUsed(hive, each)) await discard(each)
  const next = sessionOf(hive.store.read().state, session)?.continued_in ?? null
  settleArchive(hive, session, next !== null && made.includes(next))
  await note(hive, session, null)
}

/** Cleans up splits whose process has ended. */
export async function removeLeftovers(
  hive: Hive,
  host: Conversations,
  discard: Discard,
  log: Log,
): Promise<void> {
  const left = [...hive.store.read().state.metrics.values()].filter(({ registers }) => BEGUN in registers)
  for (const { id: session } of left) {
    const begun = noteOf(hive, session)
    if (begun !== undefined && !isOver(hive, begun)) continue
    try {
      await finishSplit(hive, session, discard, host)
    } catch (error) {
      log("error", `leftovers of the split of ${session} stay until the next start`, error)
    }
  }
}

/** Nothing is known of another machine's process, but a split takes moments. */
function isOver(hive: Hive, { by, at }: Note): boolean {
  const state = stateOfProcess(by)
  return state === "dead" || (state === "unknown" && !(hive.source.now() - at <= ELSEWHERE_MS))
}

/** In use: it has a record (the split succeeded) or counts (a message was sent there). */
function isUsed(hive: Hive, session: string): boolean {
  const { state } = hive.store.read()
  return sessionOf(state, session) !== undefined || Object.keys(countsOf(state, session)).length > 0
}

interface Note {
  by: Parameters<typeof stateOfProcess>[0]
  at: number
  made: string[]
}

/** Undefined if there is none or it is unreadable. */
function noteOf(hive: Hive, session: string): Note | undefined {
  const by = identityIn(String(registersOf(hive.store.read().state, session)[BEGUN] ?? ""))
  if (by === undefined) return undefined
  const [at, ...made] = by.rest
  return { by, at: Number(at), made }
}

async function note(hive: Hive, session: string, to: string | null): Promise<void> {
  await hive.store.append({ tool: "split", session, agent: null }, (tx) => tx.register(session, BEGUN, to))
}

/** Conversation operations of a host. Without them sessions are not split. */
export interface Conversations {
  /** Oldest first. */
  lastSpoken(session: string): Promise<Spoken[]>
  /** Makes an empty session as the successor of another; returns its id. */
  makeNext(session: string): Promise<string>
  /** Empty successors made at about that time (ms). */
  emptyNext(session: string, since: number): Promise<string[]>
  /** Deletes a session with at most one message, unless the user has written there. */
  removeUnused(session: string): Promise<void>
  /**
   * Adds a message without an answer: a line for the person, and text for the model only. Agent and model are those of
   * the session before. Returns its id.
   */
  leave(session: string, line: string, hidden: string, before: string): Promise<string>
  /** The text for the model only, as the host stored it. */
  stored(session: string, message: string): Promise<string | undefined>
  /** Moves the person's view to the session. */
  show(session: string): Promise<void>
}

// Nothing is generated: it takes moments. Less than a step between turns may take.
const LEAVE_MS = 20_000
const BEGUN = "split_begun"
const ELSEWHERE_MS = 600_000
