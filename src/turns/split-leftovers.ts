import { countsOf } from "../graph/metrics.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { Hive } from "../hive/hive.ts"
import { isOtherAlive } from "../shared/process-alive.ts"
import type { Log } from "../store/files/log-file.ts"
import type { Conversations } from "./conversations.ts"

/** Notes that a split is under way, and which session it has made: whoever starts after a crash finds that. */
export async function noteBegun(hive: Hive, session: string, made?: string): Promise<void> {
  here.add(session)
  const begun = [process.pid, hive.source.now(), ...(made === undefined ? [] : [made])]
  await note(hive, session, begun.join(" "))
}

export async function noteOver(hive: Hive, session: string): Promise<void> {
  here.delete(session)
  await note(hive, session, null)
}

/** Of splits that ended with their process: what they had made is taken away, unless it counts or is used. */
export async function removeLeftovers(
  hive: Hive,
  host: Conversations,
  discard: (session: string) => Promise<void>,
  log: Log,
): Promise<void> {
  const left = [...hive.store.read().state.metrics.values()].filter(({ registers }) => BEGUN in registers)
  for (const { id: session, registers } of left) {
    const [pid, begun, made] = String(registers[BEGUN]).split(" ")
    if (here.has(session) || isOtherAlive(Number(pid))) continue
    try {
      const found = made === undefined ? await host.emptyNext(session, Number(begun)) : [made]
      for (const unused of found) if (!isUsed(hive, unused)) await discard(unused)
    } catch (error) {
      log("info", `what the split of ${session} has left was not found`, error)
    }
    await noteOver(hive, session)
  }
}

/** A split counts from the write on that makes the new session known; whoever has spoken there was counted. */
function isUsed(hive: Hive, session: string): boolean {
  const { state } = hive.store.read()
  return sessionOf(state, session) !== undefined || Object.keys(countsOf(state, session)).length > 0
}

async function note(hive: Hive, session: string, to: string | null): Promise<void> {
  await hive.store.append({ tool: "split", session, agent: null }, (tx) => tx.register(session, BEGUN, to))
}

// Under way in this process: a host may have several of us at one hive, one for each folder.
const here = new Set<string>()
const BEGUN = "split_begun"
