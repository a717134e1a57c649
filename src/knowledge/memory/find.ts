import { resolveId } from "../../graph/resolve-id.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { HiveError } from "../../shared/error.ts"

export interface FoundMem {
  mem: Mem
  isArchived: boolean
}

/** The mem with that id, or whose id begins like that, hot or archived. */
export function findMem({ store }: Hive, given: string): FoundMem {
  const { state } = store.read()
  const wanted = given.toLowerCase()
  const hot = state.mem.get(wanted)
  if (hot !== undefined) return { mem: hot, isArchived: false }
  const [archived, another] = store.archive
    .startingWith(wanted, 3)
    // One that has come back stands in both.
    .filter(({ id }) => !state.mem.has(id))
  try {
    const mem = state.mem.get(resolveId(state, "mem", wanted))
    if (mem !== undefined && archived === undefined) return { mem, isArchived: false }
    if (mem !== undefined) throw unclear(given)
  } catch (error) {
    if (archived === undefined) throw error
  }
  if (archived === undefined) throw missing(given)
  if (another !== undefined) throw unclear(given)
  return { mem: store.archive.get(archived.id) ?? archived, isArchived: true }
}

function missing(given: string): HiveError {
  return new HiveError({
    code: "not_found",
    what: `There is no mem ${given}.`,
    why: "Neither the graph nor the archive has one with this id.",
    use_instead: "Use an id that a tool or the state has shown; recall finds mems by words.",
    evidence: given,
  })
}

function unclear(given: string): HiveError {
  return new HiveError({
    code: "not_found",
    what: `"${given}" is not clear.`,
    why: "Several mems have ids that begin like that.",
    use_instead: "Use more of the id.",
    evidence: given,
  })
}
