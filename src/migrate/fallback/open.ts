import type { Hive } from "../../hive/hive.ts"
import type { HivePlace } from "../../hive/locate.ts"
import { type OpenHiveInput, openHiveAt } from "../../hive/open.ts"
import { withTimeout } from "../../shared/timeout.ts"
import { mayBePending } from "../pending.ts"

/** Opens the graph of a project for whoever reads it in the middle of something else: see `withOldFiles`. */
export async function openReadingOld(
  place: HivePlace,
  input: OpenHiveInput,
): Promise<{ hive: Hive; configProblems: string[] }> {
  const { hive, configProblems } = await openHiveAt(place, input)
  return { hive: await withOldFiles(hive, "few mems", FIRST_TURN_MS), configProblems }
}

/**
 * The hive, with what the files of older tools hold beside its graph until they are taken over. Where there are none it is
 * the hive itself. Waits until that is read: large files of mems only where all is wanted.
 */
export async function withOldFiles(hive: Hive, wanted: "all" | "few mems", maxMs?: number): Promise<Hive> {
  if (!mayBePending(hive)) return hive
  // Of no use where no older tool was.
  const { readingOld } = await import("./reading-old.ts")
  const reading = readingOld(hive, wanted)
  if (reading === undefined) return hive
  if (maxMs === undefined) await reading.read
  else await withTimeout(reading.soon, maxMs)
  return reading.hive
}

// Mostly a few; of many thousand tasks, or on a machine that is very busy, the next turn has the rest.
const FIRST_TURN_MS = 1000
