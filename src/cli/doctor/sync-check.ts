import { standingConflicts } from "../../graph/conflict-standing.ts"
import type { Hive } from "../../hive/hive.ts"
import { counted } from "../../shared/amounts.ts"
import { describeSyncState, syncState } from "../../sync/state.ts"
import { type Check, ok, skipped, warning } from "./check.ts"

/** Whether the log of the repository can be read, and how far it is. Nobody is asked over the network. */
export async function checkSync({ store, dir, config }: Hive): Promise<Check> {
  const state = await syncState(store, dir)
  if (state === null) return skipped("sync", "not in a git repository")
  const found = [describeSyncState(state), `option sync is ${config.sync}`]
  if (config.sync === "auto" && state.remote !== null && state.isSent === null)
    return warning("sync", "Run `hivemind sync` once: the first time is never sent by itself.", ...found)
  return ok("sync", found.join("; "))
}

export function checkConflicts({ store }: Hive): Check {
  const count = standingConflicts(store.read().state).length
  if (count === 0) return ok("conflicts", "none")
  return warning(
    "conflicts",
    "`hivemind conflicts` shows how to settle them.",
    `${counted(count, "conflict")} between clones`,
  )
}
