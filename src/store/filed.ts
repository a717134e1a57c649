import { recordsOf } from "../graph/state.ts"
import { type Op, type RecordOp, recordIdOf, setOp } from "../schemas/op.ts"
import type { AnyRecord, Kind } from "../schemas/records.ts"
import type { View } from "./view.ts"

/** Another process, or this one, has put into the log what it saw in a file: there it is no news any more. */
export function noteFiled(view: View, op: RecordOp): void {
  const filed = view.filed[op.kind]
  switch (op.op) {
    case "add":
      filed.set(op.record.id, op.record)
      break
    case "set": {
      const before = filed.get(op.id) ?? fileRecord(view, op.kind, op.id)
      // Good fields over a good record are a good record.
      if (before !== undefined) filed.set(op.id, { ...before, ...op.to } as AnyRecord)
      break
    }
    case "drop":
      filed.set(op.id, null)
  }
}

/** A record as its file holds it, as far as that is known. */
export function fileRecord(view: View, kind: Kind, id: string): AnyRecord | undefined {
  const filed = view.filed[kind].get(id)
  if (filed !== undefined) return filed ?? undefined
  for (const segment of [...view.changed.keys()].sort((a, b) => a - b)) {
    const changed = view.changed.get(segment)?.[kind]
    if (changed?.has(id)) return changed.get(id)
  }
  return recordsOf(view.state, kind).get(id) ?? view.takenOut[kind].get(id)
}

/** What is left of a change by hand after the log has changed the same record. */
export function unlessOvertaken(edit: Op, later: RecordOp): Op[] {
  if (!("kind" in edit) || edit.kind !== later.kind || recordIdOf(edit) !== recordIdOf(later)) return [edit]
  if (edit.op !== "set" || later.op !== "set") return []
  const without = (fields: object) =>
    Object.fromEntries(Object.entries(fields).filter(([field]) => !(field in later.to)))
  const to = without(edit.to)
  return Object.keys(to).length === 0 ? [] : [setOp(edit.kind, edit.id, to, without(edit.was))]
}
