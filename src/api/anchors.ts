import type { Caller, Hive } from "../hive/hive.ts"
import { type AnchorUpdate, anchorUpdate, removeAnchor, updateAnchor } from "../knowledge/anchor/change.ts"
import { getAnchor, listAnchors } from "../knowledge/anchor/find.ts"
import { type NewAnchor, newAnchor, saveAnchor } from "../knowledge/anchor/save.ts"
import { checked, nothing } from "../schemas/checked.ts"

export function anchorCalls(hive: Hive, caller: Caller) {
  const { key: name } = newAnchor.shape
  return {
    save: async (anchor: NewAnchor) => saveAnchor(hive, caller, checked("anchors.save", newAnchor, anchor)),
    /** The most important first, as seen from the caller's place in the graph. */
    list: (...none: []) => {
      checked("anchors.list", nothing, none)
      return listAnchors(hive, caller.session)
    },
    get: (key: string) => getAnchor(hive, checked("anchors.get", name, key)),
    update: async (update: AnchorUpdate) =>
      updateAnchor(hive, caller, checked("anchors.update", anchorUpdate, update)),
    remove: async (key: string) => removeAnchor(hive, caller, checked("anchors.remove", name, key)),
  }
}
