import type { Hive } from "../hive/hive.ts"
import type { Store } from "../store/store.ts"

interface Beneath {
  store: Store
  /** Records that a write needed before their turn had come: they are in the graph, and count as taken over. */
  landedFirst: Set<string>
}

const beneath = new WeakMap<Store, Beneath>()

/** Notes that `store` reads what old files hold beside the graph of `own`. */
export function noteBeneath(store: Store, own: Store): Beneath {
  const noted = { store: own, landedFirst: new Set<string>() }
  beneath.set(store, noted)
  return noted
}

/** The same hive without what only old files hold: for whoever takes that over. */
export function graphOnly(hive: Hive): { hive: Hive; landedFirst: Set<string> } {
  const found = beneath.get(hive.store)
  if (found === undefined) return { hive, landedFirst: new Set() }
  return { hive: { ...hive, store: found.store }, landedFirst: found.landedFirst }
}
