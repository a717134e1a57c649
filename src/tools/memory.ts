import { countAccess } from "../knowledge/memory/access.ts"
import { flagMem, linkMem, memFlag, memLink, memPurge, purgeMems } from "../knowledge/memory/change.ts"
import { listMems } from "../knowledge/memory/list.ts"
import { recallQuery } from "../knowledge/memory/recall-query.ts"
import { newMem, saveMem } from "../knowledge/memory/save.ts"
import { staleMems } from "../knowledge/memory/stale.ts"
import { memTree } from "../knowledge/memory/tree.ts"
import { shelf } from "../schemas/knowledge.ts"
import { shortId } from "../shared/ids.ts"
import { failedView, familyView, hitView, listed, shelfView, symbolView } from "./memory-reply.ts"
import { action, defineTool } from "./tool.ts"

export const memoryTool = defineTool(
  "memory",
  "Keep decisions, facts and what failed beyond this conversation. save: one thing; evidence: path or path:line. recall: what is known, by words. flag: it was wrong. purge: one, or all stale.",
  {
    save: action(newMem.shape, async (hive, caller, args) => {
      const mem = await saveMem(hive, caller, args)
      return { entity_id: mem.id, origin_task_id: mem.origin_task_id, stale_at: mem.stale_at }
    }),
    recall: action(recallQuery.omit({ kinds: true }).shape, async (hive, caller, { query, limit }) => {
      const { recallKnown } = await import("../knowledge/recall/recall-known.ts") // Needed for the first recall only.
      const { mems, failed, isCut, notice } = await recallKnown(hive, query, { limit })
      const { symbolsNamed } = await import("../project/codemap/symbols.ts")
      const symbols = await symbolsNamed(hive, query)
      const found = mems.filter(({ words }) => words.length > 0).map(({ mem }) => mem)
      // Where nothing can be written, what was found is told all the same.
      await hive.store.older?.bring(mems.map(({ mem }) => mem)).catch(() => {})
      await countAccess(hive, caller, found.slice(0, COUNTED)).catch(() => {})
      const { untakenNotice } = await import("../migrate/take-over/notice.ts")
      const note = (mems.length === 0 || isCut ? untakenNotice(hive.home) : undefined) ?? notice
      return {
        count: mems.length,
        mems: mems.map(hitView),
        ...(note !== undefined && { note }),
        ...(symbols.length > 0 && { symbols: symbols.map(symbolView) }),
        ...(failed.length > 0 && { failed_tasks: failed.map(({ task }) => failedView(task)) }),
      }
    }),
    list: action({ shelf: shelf.optional() }, (hive, _caller, args) => listed(listMems(hive, args.shelf))),
    link: action(memLink.shape, async (hive, caller, args) => {
      const { id, related_to } = await linkMem(hive, caller, args)
      return { entity_id: id, related_to: related_to.map(shortId) }
    }),
    flag: action(memFlag.shape, async (hive, caller, args) => {
      const { id, reason } = await flagMem(hive, caller, args)
      return { entity_id: id, reason }
    }),
    stale: action({}, (hive) => listed(staleMems(hive))),
    purge: action(memPurge.shape, async (hive, caller, args) => {
      const ids = await purgeMems(hive, caller, args)
      return { ...(ids[0] !== undefined && { entity_id: ids[0] }), purged: ids.length }
    }),
    tree: action({}, (hive) => {
      const { shelves, families, archived } = memTree(hive, NEWEST)
      const parts = families.map(familyView)
      return { archived, tree: shelves.map(shelfView), ...(parts.length > 0 && { parts }) }
    }),
  },
  ["origin_task_id", "parent_mem_id", "related_to", "shelf", "tags", "ttl_hours", "limit"],
)

// The answer to a question is among its first hits.
const COUNTED = 3
const NEWEST = 2
