import type { Mem } from "../../schemas/knowledge.ts"
import { type AnyRecord, type Kind, kinds } from "../../schemas/records.ts"
import { emptyState, type GraphState, mapPerKind, recordsOf } from "../state.ts"

/** A graph in the making over one that stays as it is. A mem in the archive counts as one that is there. */
export interface MergeDraft {
  get(kind: Kind, id: string): AnyRecord | undefined
  /** False of a mem that is in the archive only. */
  isInGraph(kind: Kind, id: string): boolean
  /** Mems of the archive that links lead from. They count as long as they are not put or removed. */
  addArchived(mems: readonly Mem[]): void
  /** Those that link there by this field, or of another group of the state; see indexes.ts. */
  by(kind: Kind, index: string, key: string): AnyRecord[]
  put(kind: Kind, record: AnyRecord): void
  remove(kind: Kind, id: string): void
  /** What was put or removed, parents before children. */
  touched(): Generator<{ kind: Kind; id: string }>
}

export function openMergeDraft(
  base: GraphState,
  archived: (id: string) => AnyRecord | undefined = () => undefined,
): MergeDraft {
  const touched: Record<Kind, Map<string, AnyRecord | null>> = mapPerKind()
  // The same without what was removed, so that it can be asked for groups.
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
