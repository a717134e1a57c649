import type { Entry } from "../../schemas/entry.ts"
import { type Anchor, anchorKey } from "../../schemas/knowledge.ts"
import type { Kind } from "../../schemas/records.ts"
import { isAnchorKept } from "../lifecycle.ts"
import { noteConflict } from "./conflicts.ts"
import type { MergeDraft } from "./draft.ts"

/** A key has one anchor: of two that different clones saved, the one that comes later in the order stands. */
export function settleAnchorKey(draft: MergeDraft, entry: Entry, kind: Kind, id: string): void {
  if (kind !== "anchor") return
  const anchor = draft.get("anchor", id) as Anchor | undefined
  if (anchor === undefined || !isAnchorKept(anchor)) return
  for (const other of draft.by("anchor", "key", anchorKey(anchor.key)) as Anchor[]) {
    if (other.id === id || !isAnchorKept(other)) continue
    draft.put("anchor", { ...other, status: "removed" })
    const shown = ({ key, value, priority }: Anchor) => ({ key, value, priority })
    noteConflict(draft, entry, {
      rule: "anchor_key",
      kind,
      id,
      kept: shown(anchor),
      lost: shown(other),
      lostIsOlder: true,
    })
  }
}
