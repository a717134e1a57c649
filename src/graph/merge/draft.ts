import type { ConflictRule } from "../../schemas/conflict.ts"
import type { Entry } from "../../schemas/entry.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { type AnyRecord, type Kind, kinds } from "../../schemas/records.ts"
import { derivedId } from "../../shared/ids.ts"
import { emptyState, type GraphState, isSame, mapPerKind, recordsOf } from "../state.ts"

/** Collects changes to a graph without touching it. Archived mems count as existing records. */
export function openMergeDraft(
  base: GraphState,
  archived: (id: string) => AnyRecord | undefined = () => undefined,
) {
  const touched: Record<Kind, Map<string, AnyRecord | null>> = mapPerKind()
  // The changed records as a state, so that its indexes can be queried.
  const changed = emptyState()
  const archive = emptyState()

  return {
    get(kind: Kind, id: string): AnyRecord | undefined {
      const now = touched[kind].get(id)
      if (now !== undefined) return now ?? undefined
      return recordsOf(base, kind).get(id) ?? (kind === "mem" ? archived(id) : undefined)
    },
    /** False for a mem that is only in the archive. */
    isInGraph: (kind: Kind, id: string): boolean =>
      touched[kind].has(id) ? touched[kind].get(id) !== null : recordsOf(base, kind).has(id),
    /** Adds archived mems, so that `by` finds the links that start at them. */
    addArchived(mems: readonly Mem[]): void {
      for (const mem of mems) if (!base.mem.has(mem.id)) archive.mem.set(mem.id, mem)
    },
    /** Returns the records with a key of an index (indexes.ts), in the graph and in the draft. */
    by(kind: Kind, index: string, key: string): AnyRecord[] {
      const untouched = [base, archive].flatMap((state) => [...recordsOf(state, kind).by(index, key)])
      return [
        ...untouched.filter(({ id }) => !touched[kind].has(id)),
        ...recordsOf(changed, kind).by(index, key),
      ]
    },
    put(kind: Kind, record: AnyRecord): void {
      touched[kind].set(record.id, record)
      recordsOf(changed, kind).set(record.id, record)
    },
    remove(kind: Kind, id: string): void {
      touched[kind].set(id, null)
      recordsOf(changed, kind).delete(id)
    },
    /** The ids of records that were put or removed, parents before children. */
    *touched(): Generator<{ kind: Kind; id: string }> {
      for (const kind of kinds) for (const id of touched[kind].keys()) yield { kind, id }
    },
  }
}

export type MergeDraft = ReturnType<typeof openMergeDraft>

export type Fields = Readonly<Record<string, unknown>>

/** Fields that a writer has set, and the values that the writer knew before. */
export interface FieldChange {
  to: Fields
  was: Fields
}

interface Clash {
  rule: ConflictRule
  kind: Kind
  id: string
  kept: Fields
  lost: Fields
  /** True if the existing value is the losing one, false if the merged entry's value is. */
  lostIsOlder?: boolean
  isNoted?: boolean
}

/** Adds a conflict to the graph. Its id is derived from its content, so that it is the same in every clone. */
export function noteConflict(draft: MergeDraft, entry: Entry, clash: Clash): void {
  const { rule, kind, id, kept, lost, lostIsOlder = false, isNoted = false } = clash
  if (isSame(kept, lost)) return
  const writer = (isOlder: boolean) => (isOlder ? null : entry.writer)
  const about = [rule, id, entry.id, JSON.stringify(Object.keys(lost).sort())]
  // One mem may be in conflict with several others.
  if (typeof lost["id"] === "string") about.push(lost["id"])
  draft.put("conflict", {
    id: derivedId("conflict", ...about),
    rule,
    kind,
    record_id: id,
    kept: { fields: { ...kept }, writer: writer(!lostIsOlder) },
    lost: { fields: { ...lost }, writer: writer(lostIsOlder) },
    status: isNoted ? "noted" : "open",
    created_at: entry.at,
    updated_at: entry.at,
  })
}
