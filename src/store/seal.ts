import { recordsOf } from "../graph/state.ts"
import type { AnyRecord } from "../schemas/records.ts"
import { runInSlices, runToEnd } from "../shared/slices.ts"
import { placeChanges } from "./changes.ts"
import type { HivePaths } from "./files/layout.ts"
import { followLog } from "./follow-log.ts"
import type { Append } from "./log/appender.ts"
import { sealLine } from "./log/line.ts"
import { isUnwritten, type Part } from "./snapshot/parts.ts"
import type { View } from "./view.ts"

/** The graph at the end of a segment, as far as the parts do not hold it yet. */
export interface Captured {
  through: number
  seq: number
  clock: number
  late: string[]
  dirty: ReadonlyMap<Part, readonly AnyRecord[]>
}

/** Ends the open segment, and takes hold of the state at that very point while others go on writing behind it. */
export async function sealSegment(view: View, paths: HivePaths, append: Append): Promise<Captured> {
  const { segment } = view.position
  let captured: Captured | undefined
  view.onSeal = (sealed) => {
    captured ??= capture(view, sealed)
  }
  try {
    // A disk may take less than it was given: a torn seal is none.
    for (let attempt = 0; attempt < MAX_ATTEMPTS && captured === undefined; attempt++) {
      const appended = await append(segment, [sealLine(segment, view.base.sealed)])
      if (appended.state !== "synced") throw appended.error
      await runInSlices(followLog(view, paths))
    }
  } finally {
    view.onSeal = undefined
  }
  if (captured === undefined) throw new Error(`segment ${segment} was sealed, but cannot be read`)
  return captured
}

/** Records are never changed in place: holding on to them is enough. */
function capture(view: View, sealed: number): Captured {
  runToEnd(placeChanges(view))
  const dirty = [...view.parts.all()].filter((part) => view.dirty.has(part) || isUnwritten(part))
  const recordsIn = ({ kind, ids }: Part) =>
    Array.from(ids, (id) => recordsOf(view.state, kind).get(id) ?? view.takenOut[kind].get(id))
  return {
    through: sealed,
    seq: view.seq,
    clock: view.clock,
    late: [...view.late.keys()],
    dirty: new Map(dirty.map((part) => [part, recordsIn(part).filter((record) => record !== undefined)])),
  }
}

const MAX_ATTEMPTS = 3
