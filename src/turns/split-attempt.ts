import type { Injection } from "../context/inject/record.ts"
import { handoffLine, handoffText } from "../context/split/handoff.ts"
import { pressureOf } from "../graph/pressure.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { Hive } from "../hive/hive.ts"
import { withTimeout } from "../shared/timeout.ts"
import type { Log } from "../store/files/log-file.ts"
import { prepareArchive } from "../views/export/archive-split.ts"
import { continueIn } from "../work/session/continue-in.ts"
import { ensureSession } from "../work/session/start.ts"
import type { Conversations } from "./conversations.ts"
import { type Discard, noteBegun, settle } from "./split-leftovers.ts"
import type { Attempt, SplitStates } from "./split-state.ts"

export interface AttemptInput {
  hive: Hive
  host: Conversations
  states: SplitStates
  session: string
  attempt: Attempt
  discard: Discard
  log: Log
  toast: (message: string) => Promise<void>
  /** The whole state of a session, as its model would be told it. */
  keyframe: (hive: Hive, session: string) => Injection
  /** A message was stored with that in it. */
  noteTold: (session: string, message: string, told: Injection) => void
}

/** The new session; undefined where it stood back. On any failure nothing has moved, and the new session is gone again. */
export async function trySplit(input: AttemptInput): Promise<string | undefined> {
  const { hive, host, session, attempt, discard, log, toast } = input
  let next: string | undefined
  try {
    await noteBegun(hive, session)
    await ensureKnown(hive, session)
    next = await goOn(input)
  } catch (error) {
    attempt.stage = "stood back"
    // The host may have made a session though it could not say so.
    await settle(hive, session, discard, host).catch(stays)
    throw error
  }
  if (next !== undefined) await settle(hive, session, discard).catch(isNotArchived)
  else {
    log("info", `the split of ${session} stood back: something else came first`)
    await settle(hive, session, discard).catch(stays)
  }
  return next

  // In both cases the note stays, and the next start of the host tries again.
  function stays(error: unknown): void {
    log("error", "what the split has made stays until the next start", error)
  }
  async function isNotArchived(error: unknown): Promise<void> {
    log("error", "the file of the session that was split is not archived yet", error)
    const line = "The old session's file could not be archived yet; the next start tries again."
    await toast(line).catch((cause: unknown) => log("info", "could not show toast", cause))
  }
}

async function goOn(input: AttemptInput): Promise<string | undefined> {
  const { hive, host, states, session, attempt, log, keyframe, noteTold } = input
  const told = keyframe(hive, session)
  const handoff = handoffText(told.parts.join("\n"), await host.lastSpoken(session))
  const next = await host.makeNext(session)
  const message = await leave(input, next, handoff)
  if ((await host.stored(next, message)) !== handoff)
    throw new Error("the host has stored something else than it was given")
  const isIdle = (await hive.sessionState?.(session)) !== "busy"
  if (!isIdle || attempt.stage !== "preparing") return undefined
  prepareArchive(hive, session, handoff)
  attempt.stage = "recording"
  // Now, not after it: whoever speaks there meanwhile has the last word.
  states.of(session).isMoved = true
  attempt.recording = record(hive, session, next)
  try {
    await attempt.recording
  } catch (error) {
    // Written, though nobody could say so in time.
    if (sessionOf(hive.store.read().state, session)?.continued_in !== next) {
      states.of(session).isMoved = false
      throw error
    }
  }
  attempt.stage = "done"
  try {
    noteTold(next, message, told)
  } catch (error) {
    log("error", "the first message will be told again", error) // It is split all the same.
  }
  return next
}

/** The first message of the new session. The host tells of it like of any: whatever comes of it, the next one counts. */
async function leave({ hive, host, states, session }: AttemptInput, next: string, handoff: string) {
  states.of(next).isMaking = true
  try {
    await noteBegun(hive, session, next)
    const line = handoffLine(pressureOf(hive.store.read().state, session))
    // Other plugins see it, too: one that hangs must not keep the session from ever being split.
    const left = await withTimeout(host.leave(next, line, handoff, session), LEAVE_MS)
    if (left.timedOut) throw new Error("the host did not take the first message in time")
    return left.value
  } finally {
    states.of(next).isMaking = false
  }
}

async function record(hive: Hive, session: string, next: string): Promise<void> {
  await Promise.resolve() // Whoever waits for it can, from its first step on.
  await continueIn(hive, { session, agent: null, tool: "split" }, next)
}

/** A conversation in which nothing was done with HiveMind has no record yet, and can be full all the same. */
async function ensureKnown(hive: Hive, session: string): Promise<void> {
  if (sessionOf(hive.store.read().state, session) !== undefined) return
  const caller = { session, agent: null, tool: "split" }
  await hive.store.write(caller, (tx) => ensureSession(tx, caller, hive.source.now(), null))
}

// Nobody answers it: it is there in moments. Less than a step between turns may take.
const LEAVE_MS = 20_000
