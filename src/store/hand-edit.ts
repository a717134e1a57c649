import { type GraphState, recordsOf } from "../graph/state.ts"
import type { Op } from "../schemas/journal.ts"
import { type Kind, type SnapshotFile, snapshotFiles } from "../schemas/records.ts"

/** What a person changed in these files: the ops that lead from what the log knows to what is there now. */
export function handEdits(files: SnapshotFile[], known: GraphState, now: GraphState): Op[] {
  return files
    .flatMap((file) => Object.values(snapshotFiles[file]))
    .flatMap((kind) => difference(kind, known, now))
}

function difference(kind: Kind, known: GraphState, now: GraphState): Op[] {
  const ops: Op[] = []
  const before = recordsOf(known, kind)
  const after = recordsOf(now, kind)
  for (const [id, record] of after) {
    const old = before.get(id) as Record<string, unknown> | undefined
    if (old === undefined) {
      ops.push({ op: "add", kind, record })
      continue
    }
    const fields = Object.entries(record).filter(
      ([field, value]) => JSON.stringify(old[field]) !== JSON.stringify(value),
    )
    if (fields.length === 0) continue
    const was = Object.fromEntries(fields.map(([field]) => [field, old[field]]))
    ops.push({ op: "set", kind, id, to: Object.fromEntries(fields), was })
  }
  for (const [id, record] of before)
    if (!after.has(id)) ops.push({ op: "drop", kind, id, was: { ...record } })
  return ops
}
