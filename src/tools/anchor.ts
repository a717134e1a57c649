import * as z from "zod"
import { removeAnchor, updateAnchor } from "../knowledge/anchor/change.ts"
import { getAnchor, listAnchors } from "../knowledge/anchor/find.ts"
import { saveAnchor } from "../knowledge/anchor/save.ts"
import { path } from "../schemas/fields.ts"
import { anchor } from "../schemas/knowledge.ts"
import { shorten } from "../shared/text/clean.ts"
import { action, defineTool } from "./tool.ts"

const { key, value, priority, type } = anchor.shape
const MAX_RELATED = 50

export const anchorTool = defineTool(
  "hivemind_anchor",
  "Facts by key that outlive compaction. Stale once a related file (path) changes or task (id) fails, until update.",
  {
    save: action(
      {
        key,
        value,
        priority: priority.optional(),
        type: type.optional(),
        related_to: z.array(path).max(MAX_RELATED).optional(),
      },
      async (hive, caller, args) => {
        const { id, related_to } = await saveAnchor(hive, caller, args)
        return { entity_id: id, related_to }
      },
    ),
    list: action({}, (hive, caller) => {
      const anchors = listAnchors(hive, caller.session)
      const shown = anchors.slice(0, LIST_LIMIT).map(({ anchor: { key, value, priority }, isStale }) => ({
        key,
        value: shorten(value, MAX_WIDTH),
        priority,
        ...(isStale ? { stale: true } : {}),
      }))
      return { count: anchors.length, anchors: shown }
    }),
    get: action({ key }, (hive, _caller, args) => {
      const { anchor, isStale } = getAnchor(hive, args.key)
      const { id, key, value, priority, type, related_to, updated_at } = anchor
      return { entity_id: id, key, value, priority, type, related_to, updated_at, stale: isStale }
    }),
    update: action({ key, value, priority: priority.optional() }, async (hive, caller, args) => {
      const { id, priority } = await updateAnchor(hive, caller, args)
      return { entity_id: id, priority }
    }),
    remove: action({ key }, async (hive, caller, args) => {
      const { id } = await removeAnchor(hive, caller, args.key)
      return { entity_id: id }
    }),
  },
)

const LIST_LIMIT = 50
const MAX_WIDTH = 200
