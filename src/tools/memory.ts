import * as z from "zod"
import { listMems } from "../knowledge/memory/list.ts"
import { saveMem } from "../knowledge/memory/save.ts"
import { line, ref, text } from "../schemas/fields.ts"
import { memKind, shelf } from "../schemas/knowledge.ts"
import { action, defineTool } from "./tool.ts"

export const memoryTool = defineTool(
  "hivemind_memory",
  "Keep what is worth knowing (a decision, a fact, what failed and why), tied to the task it came from. Mems outlive this conversation and come back by themselves when they matter. save: one thing, with evidence as path or path@hash. list: what is kept.",
  {
    save: action(
      {
        content: text,
        origin_task_id: ref.optional(),
        shelf: shelf.optional(),
        kind: memKind.optional(),
        tags: z.array(z.string().trim().min(1).max(60)).optional(),
        evidence: z.array(line).optional(),
        supersedes: ref.optional(),
        related_to: z.array(ref).optional(),
        ttl_hours: z.number().positive().max(1_000_000).optional(),
      },
      async (hive, caller, args) => {
        const mem = await saveMem(hive, caller, args)
        return { entity_id: mem.id, origin_task_id: mem.origin_task_id, stale_at: mem.stale_at }
      },
    ),
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
