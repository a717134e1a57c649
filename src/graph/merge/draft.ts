import type { ConflictRule } from "../../schemas/conflict.ts"
import type { Entry } from "../../schemas/entry.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { type AnyRecord, type Kind, kinds } from "../../schemas/records.ts"
import { derivedId } from "../../shared/ids.ts"
import { emptyState, type GraphState, isSame, mapPerKind, recordsOf } from "../state.ts"

/** A graph in the making over one that stays as it is. A mem in the archive counts as one that is there. */
export interface MergeDraft {
  get(kind: Kind, id: string): AnyRecord | undefined
  /** False of a mem that is in the archive only. */
  isInGraph(kind: Kind, id: string): boolean
  /** Mems of the archive that links lead from. They count as long as they are not put or removed. */
  addArchived(mems: readonly Mem[]): void
  /** The records of an index's group; a link field is an index too. See indexes.ts. */
  by(kind: Kind, index: string, key: string): AnyRecord[]
  put(kind: Kind, record: AnyRecord): void
  remove(kind: Kind, id: string): void
  /** The records that were put or removed, parents before children. */
  touched(): Generator<{ kind: Kind; id: string }>
}

export function openMergeDraft(
  base: GraphState,
  archived: (id: string) => AnyRecord | undefined = () => undefined,
): MergeDraft {
  const touched: Record<Kind, Map<string, AnyRecord | null>> = mapPerKind()
  // The same without removed records, so that it can be asked for groups.
  const changed = emptyState()
  const archive = emptyState()

  return {
    get(kind, id) {
      const now = touched[kind].get(id)
      if (now !== undefined) return now ?? undefined
      return recordsOf(base, kind).get(id) ?? (kind === "mem" ? archived(id) : undefined)
    },
    isInGraph: (kind, id) =>
      touched[kind].has(id) ? touched[kind].get(id) !== null : recordsOf(base, kind).has(id),
    addArchived(mems) {
      for (const mem of mems) if (!base.mem.has(mem.id)) archive.mem.set(mem.id, mem)
    },
    by(kind, index, key) {
      const untouched = [base, archive].flatMap((state) => [...recordsOf(state, kind).by(index, key)])
      return [
        ...untouched.filter(({ id }) => !touched[kind].has(id)),
        ...recordsOf(changed, kind).by(index, key),
      ]
    },
    put(kind, record) {
      touched[kind].set(record.id, record)
      recordsOf(changed, kind).set(record.id, record)
    },
    remove(kind, id) {
      touched[kind].set(id, null)
      recordsOf(changed, kind).delete(id)
    },
    *touched() {
      for (const kind of kinds) for (const id of touched[kind].keys()) yield { kind, id }
    },
  }
}

export type Fields = Readonly<Record<string, unknown>>

/** Some fields as a writer has set them, and their values before, as far as that writer knew. */
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
  /** Whose it was that lost, if it was not the entry's that is being merged. */
  lostIsOlder?: boolean
  /** It needs no decision. */
  isNoted?: boolean
}

/** Puts a conflict into the graph. Its id follows from what clashed, so that every clone has the same one. */
export function noteConflict(draft: MergeDraft, entry: Entry, clash: Clash): void {
  const { rule, kind, id, kept, lost, lostIsOlder = false, isNoted = false } = clash
  if (isSame(kept, lost)) return
  const writer = (isOlder: boolean) => (isOlder ? null : entry.writer)
  draft.put("conflict", {
    id: derivedId("conflict", rule, id, entry.id, JSON.stringify(Object.keys(lost).sort())),
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
