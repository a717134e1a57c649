import * as anchors from "../knowledge/anchor/anchors.ts"
import { shorten } from "../shared/text/clean.ts"
import { action, defineTool } from "./tool.ts"

const { key } = anchors.newAnchor.shape

export const anchorTool = defineTool(
  "anchor",
  "Facts by key, for every session. Stale once a related file or task changes.",
  {
    save: action(anchors.newAnchor.shape, async (hive, caller, args) => {
      const { id, related_to } = await anchors.saveAnchor(hive, caller, args)
      return { entity_id: id, related_to }
    }),
    list: action({}, (hive, caller) => {
      const all = anchors.listAnchors(hive, caller.session)
      const shown = all.slice(0, LIST_LIMIT).map(({ anchor: { key, value, priority }, isStale }) => ({
        key,
        value: shorten(value, MAX_WIDTH),
        priority,
        ...(isStale ? { stale: true } : {}),
      }))
      return { count: all.length, anchors: shown }
    }),
    get: action({ key }, (hive, _caller, args) => {
      const { anchor, isStale } = anchors.getAnchor(hive, args.key)
      const { id, key, value, priority, type, related_to, updated_at } = anchor
      return { entity_id: id, key, value, priority, type, related_to, updated_at, stale: isStale }
    }),
    update: action(anchors.anchorUpdate.shape, async (hive, caller, args) => {
      const { id, priority } = await anchors.updateAnchor(hive, caller, args)
      return { entity_id: id, priority }
    }),
    remove: action({ key }, async (hive, caller, args) => ({
      entity_id: (await anchors.removeAnchor(hive, caller, args.key)).id,
    })),
  },
  ["type"],
)

const LIST_LIMIT = 50
const MAX_WIDTH = 200
