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
import type { Attempt, SplitState } from "./split.ts"

export interface AttemptInput {
  hive: Hive
  host: Conversations
  stateOf: (session: string) => SplitState
  session: string
  attempt: Attempt
  discard: Discard
  log: Log
  keyframe: (hive: Hive, session: string) => Injection
  noteTold: (session: string, message: string, told: Injection) => void
}

/** Returns the new session's id; undefined if a message or a compaction began first. */
export async function trySplit(input: AttemptInput): Promise<string | undefined> {
  const { hive, session, attempt, discard, log } = input
  try {
    await noteSplitBegun(hive, session)
    const caller = { session, agent: null, tool: "split" }
    if (sessionOf(hive.store.read().state, session) === undefined)
      await hive.store.write(caller, (tx) => ensureSession(tx, caller, hive.source.now(), null))
    const next = await moveToNewSession(input)
    if (next === undefined) log("info", `the split of ${session} was given up: something else came first`)
    return next
  } catch (error) {
    attempt.stage = "stood back"
    throw error
  } finally {
    // If this fails, the note about the split stays, and the next start cleans up.
    await finishSplit(hive, session, discard).catch((error: unknown) =>
      log("error", `leftovers of the split of ${session} stay until the next start`, error),
    )
  }
}

async function moveToNewSession(input: AttemptInput): Promise<string | undefined> {
  const { hive, host, stateOf, session, attempt, log, keyframe, noteTold } = input
  const told = keyframe(hive, session)
  const handoff = handoffText(told.parts.join("\n"), await host.lastSpoken(session))
  const next = await host.makeNext(session)
  const message = await addFirstMessage(input, next, handoff)
  const isIdle = (await hive.sessionState?.(session)) !== "busy"
  if (!isIdle || attempt.stage !== "preparing") return undefined
  prepareArchive(hive, session, handoff)
  attempt.stage = "recording"
  // Set before the split is written: a message sent meanwhile must count as sent after the split.
  stateOf(session).isMoved = true
  // Deferred, so that `attempt.recording` is already set when the first step runs.
  attempt.recording = Promise.resolve().then(() =>
    continueIn(hive, { session, agent: null, tool: "split" }, next),
  )
  try {
    await attempt.recording
  } catch (error) {
    if (sessionOf(hive.store.read().state, session)?.continued_in !== next) {
      stateOf(session).isMoved = false
      throw error
    }
  }
  attempt.stage = "done"
  try {
    noteTold(next, message, told)
  } catch (error) {
    log("error", "the first message will be repeated", error) // The split itself succeeded.
  }
  return next
}

/** Adds the first message to the new session. `isMaking` keeps it from being taken for a message of the user. */
async function addFirstMessage(
  { hive, host, stateOf, session }: AttemptInput,
  next: string,
  handoff: string,
) {
  stateOf(next).isMaking = true
  try {
    await noteSplitBegun(hive, session, next)
    const line = handoffLine(pressureOf(hive.store.read().state, session))
    // Other plugins receive the message too: a plugin that hangs must not block splits for ever.
    const left = await withTimeout(host.leave(next, line, handoff, session), LEAVE_MS)
    if (left.timedOut) throw new Error("the host did not take the first message in time")
    return left.value
  } finally {
    stateOf(next).isMaking = false
  }
}

type Discard = (session: string) => Promise<void>

/** Notes that a split is running and which sessions it created, so that the next start can clean up after a crash. */
async function noteSplitBegun(hive: Hive, session: string, made?: string): Promise<void> {
  const left = noteOf(hive, session)?.made ?? []
  const all = made === undefined ? left : [...left, made]
  await note(hive, session, [identityText(thisProcess), hive.source.now(), ...all].join(" "))
}

async function finishSplit(hive: Hive, session: string, discard: Discard): Promise<void> {
  const { made = [] } = noteOf(hive, session) ?? {}
  for (const each of made) if (!isUsed(hive, each)) await discard(each)
  const next = sessionOf(hive.store.read().state, session)?.continued_in ?? null
  settleArchive(hive, session, next !== null && made.includes(next))
  await note(hive, session, null)
}

export async function removeLeftovers(hive: Hive, discard: Discard, log: Log): Promise<void> {
  const left = [...hive.store.read().state.metrics.values()].filter(({ registers }) => BEGUN in registers)
  for (const { id: session } of left) {
    const begun = noteOf(hive, session)
    if (begun !== undefined && !isOver(hive, begun)) continue
    try {
      await finishSplit(hive, session, discard)
    } catch (error) {
      log("error", `leftovers of the split of ${session} stay until the next start`, error)
    }
  }
}

/** A split of a process on another machine counts as over after 10 minutes, because that process cannot be checked. */
function isOver(hive: Hive, { by, at }: Note): boolean {
  const state = stateOfProcess(by)
  return state === "dead" || (state === "unknown" && !(hive.source.now() - at <= ELSEWHERE_MS))
}

/** True if the split into this session succeeded, or if a message was sent in it. */
function isUsed(hive: Hive, session: string): boolean {
  const { state } = hive.store.read()
  return sessionOf(state, session) !== undefined || Object.keys(countsOf(state, session)).length > 0
}

type Note = { by: Parameters<typeof stateOfProcess>[0]; at: number; made: string[] }

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
  lastSpoken(session: string): Promise<Spoken[]>
  makeNext(session: string): Promise<string>
  /** Deletes a session with at most one message, unless the user has written there. */
  removeUnused(session: string): Promise<void>
  /** Adds a message that gets no answer: a line for the user, and text for the model only. Returns the message's id. */
  leave(session: string, line: string, hidden: string, before: string): Promise<string>
  show(session: string): Promise<void>
}

// Shorter than the time limit of a step between turns.
const LEAVE_MS = 20_000
const BEGUN = "split_begun"
const ELSEWHERE_MS = 600_000
