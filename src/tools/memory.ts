import { listMems } from "../knowledge/memory/list.ts"
import { newMem, saveMem } from "../knowledge/memory/save.ts"
import { shelf } from "../schemas/knowledge.ts"
import { action, defineTool } from "./tool.ts"

export const memoryTool = defineTool(
  "memory",
  "Keep what is worth knowing (a decision, a fact, what failed and why), tied to the task it came from. Mems outlive this conversation and come back by themselves when they matter. save: one thing, with evidence as path or path@hash. list: what is kept.",
  {
    save: action(newMem.shape, async (hive, caller, args) => {
      const mem = await saveMem(hive, caller, args)
      return { entity_id: mem.id, origin_task_id: mem.origin_task_id, stale_at: mem.stale_at }
    }),
    list: action({ shelf: shelf.optional() }, (hive, _caller, args) => {
      const mems = listMems(hive, args.shelf)
      const shown = mems
        .slice(0, LIST_LIMIT)
        .map(({ id, shelf, kind, content }) => ({ id, shelf, kind, content }))
      return { count: mems.length, mems: shown }
    }),
  },
)

const LIST_LIMIT = 50
