import type { ConflictRule } from "../../schemas/conflict.ts"
import type { Entry } from "../../schemas/entry.ts"
import type { Kind } from "../../schemas/records.ts"
import { derivedId } from "../../shared/ids.ts"
import { isSame } from "../change.ts"
import type { MergeDraft } from "./draft.ts"

export type Fields = Readonly<Record<string, unknown>>

/** Some fields as somebody has set them, and what they were to that writer. */
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
  /** Nobody needs to decide. */
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
