import { countsOf, registersOf } from "../graph/metrics.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { Hive } from "../hive/hive.ts"
import { identityIn, identityText, stateOfProcess, thisProcess } from "../shared/process-identity.ts"
import type { Log } from "../store/files/log-file.ts"
import { settleArchive } from "../views/export/archive-split.ts"
import type { Conversations } from "./conversations.ts"

/** Takes a session away again, unless somebody uses it. */
export type Discard = (session: string) => Promise<void>

/** Notes that a split is under way, and which session it has made: whoever starts after a crash finds that. */
export async function noteBegun(hive: Hive, session: string, made?: string): Promise<void> {
  // What an earlier try has made, and could not take away, is not forgotten for this one.
  const left = noteOf(hive, session)?.made ?? []
  const all = made === undefined ? left : [...left, made]
  await note(hive, session, [identityText(thisProcess), hive.source.now(), ...all].join(" "))
}

/**
 * The end of a split, however it came: what it has made and does not count goes. Only then the note does. With a host
 * also what was made without its id being noted.
 */
export async function settle(
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

/** Of splits that ended with their process: what they had made is taken away, unless it counts or is used. */
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
      await settle(hive, session, discard, host)
    } catch (error) {
      log("error", `what the split of ${session} has left stays until the next start`, error)
    }
  }
}

/** Of another machine's process nothing is known: a split is over in moments. */
function isOver(hive: Hive, { by, at }: Note): boolean {
  const state = stateOfProcess(by)
  return state === "dead" || (state === "unknown" && !(hive.source.now() - at <= ELSEWHERE_MS))
}

/** A split counts from the write on that makes the new session known; whoever has spoken there was counted. */
function isUsed(hive: Hive, session: string): boolean {
  const { state } = hive.store.read()
  return sessionOf(state, session) !== undefined || Object.keys(countsOf(state, session)).length > 0
}

interface Note {
  by: Parameters<typeof stateOfProcess>[0]
  at: number
  made: string[]
}

/** Undefined without one, or where it cannot be read. */
function noteOf(hive: Hive, session: string): Note | undefined {
  const by = identityIn(String(registersOf(hive.store.read().state, session)[BEGUN] ?? ""))
  if (by === undefined) return undefined
  const [at, ...made] = by.rest
  return { by, at: Number(at), made }
}

async function note(hive: Hive, session: string, to: string | null): Promise<void> {
  await hive.store.append({ tool: "split", session, agent: null }, (tx) => tx.register(session, BEGUN, to))
}

const BEGUN = "split_begun"
const ELSEWHERE_MS = 600_000
