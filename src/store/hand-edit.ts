import { changeBetween } from "../graph/change.ts"
import type { GraphState } from "../graph/state.ts"
import { addOp, dropOp, type Op, setOp } from "../schemas/op.ts"
import { type Kind, type SnapshotFile, snapshotFiles } from "../schemas/records.ts"

/** What a person changed in these files: the ops that lead from what the log knows to what is there now. */
export function handEdits(files: SnapshotFile[], known: GraphState, now: GraphState): Op[] {
  return files
    .flatMap((file) => Object.values(snapshotFiles[file]))
    .flatMap((kind) => difference(kind, known, now))
}

function difference<K extends Kind>(kind: K, known: GraphState, now: GraphState): Op[] {
  const before = known[kind]
  const after = now[kind]
  const ops: Op[] = []
  for (const [id, record] of after) {
    const old = before.get(id)
    if (old === undefined) {
      ops.push(addOp(kind, record))
      continue
    }
    const change = changeBetween(old, record)
    if (change !== undefined) ops.push(setOp(kind, id, change.to, change.was))
  }
  for (const [id, record] of before) if (!after.has(id)) ops.push(dropOp(kind, record))
  return ops
}
