import { isSame } from "../graph/change.ts"
import { recordsOf } from "../graph/state.ts"
import { kinds } from "../schemas/records.ts"
import type { Pausing } from "../shared/slices.ts"
import type { HivePaths } from "./layout.ts"
import { replayLog } from "./log/replay.ts"
import type { View } from "./view.ts"

/** Replays the whole log and compares it with the graph: what differs, a line each. */
export function* compareWithLog(view: View, paths: HivePaths): Pausing<string[]> {
  const uncounted = [...view.base.void, ...view.late.keys()]
  const logged = yield* replayLog(paths, { through: view.position.segment, void: uncounted })
  const differences: string[] = []
  for (const kind of kinds) {
    if (kind === "metrics") continue
    const now = recordsOf(view.state, kind)
    const then = recordsOf(logged, kind)
    let count = 0
    for (const [id, record] of now) {
      const before = then.get(id)
      if (before === undefined) differences.push(`${kind} ${id} is in the graph, but not in the log`)
      else if (!isSame(before, record)) differences.push(`${kind} ${id} is not as the log has it`)
      if (++count % PAUSE_EVERY === 0) yield
    }
    for (const id of then.keys())
      if (!now.has(id)) differences.push(`${kind} ${id} is in the log, but not in the graph`)
  }
  return differences
}

const PAUSE_EVERY = 200
