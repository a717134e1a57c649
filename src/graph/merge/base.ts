import type { Entry } from "../../schemas/entry.ts"
import { addOp, recordIdOf } from "../../schemas/op.ts"
import type { AnyRecord, Kind } from "../../schemas/records.ts"
import { derivedId } from "../../shared/ids.ts"
import type { MergeDraft } from "./draft.ts"

/** What was there before the log began, because an older version wrote it, goes by this writer: nobody knows whose it is. */
const BASE_WRITER = "base"

export function isBase({ writer }: Pick<Entry, "writer">): boolean {
  return writer === BASE_WRITER
}

/** A record from before the log as an entry, which is the same in every clone that has the same record. */
export function baseEntry(kind: Kind, record: AnyRecord): Entry {
  return {
    id: derivedId("base", kind, JSON.stringify(record)),
    at: "created_at" in record ? record.created_at : new Date(0).toISOString(),
    by: { tool: "upgrade", session: null, agent: null },
    writer: BASE_WRITER,
    clock: 0,
    ops: [addOp(kind, record as never)], // The kind is that of the record.
  }
}

/**
 * What this clone itself has from before its log and others have brought along too: taken out of a draft that reaches
 * back to there, and returned as entries. So all versions are put in the same order in every clone. Anchors come all:
 * two clones may have different ones with one key.
 */
export function takeOutBase(
  draft: MergeDraft,
  brought: readonly Entry[],
  anchors: Iterable<string>,
): Entry[] {
  const places = [
    ...brought.flatMap(({ ops }) =>
      ops.flatMap((op) => ("kind" in op ? [[op.kind, recordIdOf(op)] as const] : [])),
    ),
    ...Array.from(anchors, (id) => ["anchor", id] as const),
  ]
  return places.flatMap(([kind, id]) => {
    const record = draft.get(kind, id)
    if (record === undefined) return []
    draft.remove(kind, id)
    return [baseEntry(kind, record)]
  })
}
