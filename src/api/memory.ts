import * as z from "zod"
import type { Caller, Hive } from "../hive/hive.ts"
import { flagMem, memFlag } from "../knowledge/memory/change.ts"
import { findMem } from "../knowledge/memory/find.ts"
import { listMems } from "../knowledge/memory/list.ts"
import { type RecallQuery, recallQuery } from "../knowledge/memory/recall-query.ts"
import { type NewMem, newMem, saveMem } from "../knowledge/memory/save.ts"
import type { Hit } from "../knowledge/recall/recall.ts"
import type { FailedHit } from "../knowledge/recall/recall-failed.ts"
import { checked } from "../schemas/checked.ts"
import { ref } from "../schemas/fields.ts"
import type { Mem } from "../schemas/knowledge.ts"

/** A mem that a query is about, or a task that failed at it: its title, and why. */
export interface Recalled extends Omit<Hit, "mem"> {
  id: string
  content: string
  kind: Mem["kind"] | "failed task"
  reason: string | null
}

const listOptions = z.strictObject({ shelf: z.string().optional(), limit: z.int().positive().optional() })
export type MemListOptions = z.infer<typeof listOptions>

export function memoryCalls(hive: Hive, caller: Caller) {
  return {
    save: async (mem: NewMem) => saveMem(hive, caller, checked("memory.save", newMem, mem)),
    /**
     * What is known about a query: hot and archived mems alike, the best first, each with why; then the tasks that failed
     * at it, unless `kinds` of mems are asked for.
     */
    recall: async (query: string, options: Omit<RecallQuery, "query"> = {}): Promise<Recalled[]> => {
      const { query: asked, ...wanted } = checked("memory.recall", recallQuery, { ...options, query })
      const { recallKnown } = await import("../knowledge/recall/recall-known.ts") // Needed for the first recall only.
      const { mems, failed } = await recallKnown(hive, asked, wanted)
      return [...mems.map(recalledMem), ...failed.map(recalledTask)]
    },
    /** The mems in force, newest first. */
    list: (options: MemListOptions = {}): Mem[] => {
      const { shelf, limit } = checked("memory.list", listOptions, options)
      return listMems(hive, shelf).slice(0, limit)
    },
    /** One mem by its id or the start of it, hot or archived. */
    get: (id: string): Mem => findMem(hive, checked("memory.get", ref, id)).mem,
    /** Takes a mem back: from then on it is a warning, with the reason. */
    flag: async (id: string, reason: string) =>
      flagMem(hive, caller, checked("memory.flag", memFlag, { mem_id: id, reason })),
  }
}

function recalledMem({ mem: { id, content, kind, reason }, ...hit }: Hit): Recalled {
  return { id, content, kind, reason, ...hit }
}

function recalledTask({ task: { id, title, reason }, ...hit }: FailedHit): Recalled {
  return { id, content: title, kind: "failed task", reason, ...hit, isArchived: false, replaces: null }
}
