import * as z from "zod"
import type { Caller, Hive } from "../hive/hive.ts"
import {
  type AnchorUpdate,
  anchorUpdate,
  getAnchor,
  listAnchors,
  type NewAnchor,
  newAnchor,
  removeAnchor,
  saveAnchor,
  updateAnchor,
} from "../knowledge/anchor/anchors.ts"
import { flagMem, memFlag } from "../knowledge/memory/change.ts"
import { findMem, listMems, type RecallQuery, recallQuery } from "../knowledge/memory/find.ts"
import { type NewMem, newMem, saveMem } from "../knowledge/memory/save.ts"
import type { FailedHit, Hit } from "../knowledge/recall/recall.ts"
import { checked, nothing } from "../schemas/checked.ts"
import { ref } from "../schemas/fields.ts"
import type { Mem } from "../schemas/knowledge.ts"

/** A found mem, or a failed task with its reason. */
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
     * Hot and archived mems about a query, best first, each with its reason; then failed tasks, unless `kinds` are
     * given.
     */
    recall: async (query: string, options: Omit<RecallQuery, "query"> = {}): Promise<Recalled[]> => {
      const { query: asked, ...wanted } = checked("memory.recall", recallQuery, { ...options, query })
      const { recallKnown } = await import("../knowledge/recall/recall.ts") // Needed for the first recall only.
      const { mems, failed } = await recallKnown(hive, asked, wanted)
      return [...mems.map(recalledMem), ...failed.map(recalledTask)]
    },
    /** Mems in force, newest first. */
    list: (options: MemListOptions = {}): Mem[] => {
      const { shelf, limit } = checked("memory.list", listOptions, options)
      return listMems(hive, shelf).slice(0, limit)
    },
    /** By its id or the start of it, hot or archived. */
    get: (id: string): Mem => findMem(hive, checked("memory.get", ref, id)).mem,
    /** Invalidates a mem: it becomes a warning with the reason. */
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

export function anchorCalls(hive: Hive, caller: Caller) {
  const { key: name } = newAnchor.shape
  return {
    save: async (anchor: NewAnchor) => saveAnchor(hive, caller, checked("anchors.save", newAnchor, anchor)),
    /** Highest score first, from the caller's position. */
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

const place = z.string().min(1)

/** Project scan and code map, loaded on demand. */
export function projectCalls(hive: Hive, caller: Caller) {
  const scanning = () => import("../knowledge/project/scan-hive.ts")
  const mapping = () => import("../project/codemap/answers.ts")
  const anywhere = (call: string, path: string | undefined) => checked(call, place.optional(), path)
  return {
    /** Map and mems are kept; without changes nothing is written. */
    scan: {
      full: async () => (await scanning()).scanHive(hive, caller, "full"),
      /** Reads only files changed since the last scan. */
      incremental: async () => (await scanning()).scanHive(hive, caller, "incremental"),
      /** Changes since the last scan; null without one. Writes nothing. */
      drift: async () => (await (await scanning()).detectDrift(hive)).drift,
      /** The map of the last scan. */
      map: async () => (await scanning()).knownMap(hive),
    },
    /** A path limits the result to that file or folder. */
    codemap: {
      /** Reads changed files and keeps the map. */
      scan: async (path?: string) => (await mapping()).scanCode(hive, anywhere("codemap.scan", path)),
      /** Changes since the last scan, by file. */
      diff: async () => (await mapping()).diffCode(hive),
      inconsistencies: async (path?: string) =>
        (await (await mapping()).inconsistenciesIn(hive, anywhere("codemap.inconsistencies", path))).found,
      todos: async (path?: string) =>
        (await (await mapping()).todosInCode(hive, anywhere("codemap.todos", path))).todos,
      /** Imports and dependents of a file, nearest first. */
      graph: async (path: string) =>
        (await mapping()).graphAround(hive, checked("codemap.graph", place, path)),
    },
  }
}
