import type { Hive } from "../hive/hive.ts"
import { graphIn } from "../store/store.ts"

/** The same hive without what only old files hold: for whoever takes that over. */
export function graphOnly(hive: Hive): { hive: Hive; landedFirst: ReadonlySet<string> } {
  const landedFirst = hive.store.older?.landedFirst ?? new Set<string>()
  return { hive: { ...hive, store: graphIn(hive.store) }, landedFirst }
}
