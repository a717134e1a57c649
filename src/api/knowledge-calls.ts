import * as z from "zod"
import type { Caller, Hive } from "../hive/hive.ts"
import * as anchors from "../knowledge/anchor/anchors.ts"
import { flagMem, memFlag } from "../knowledge/memory/change.ts"
import { findMem, listMems, type RecallQuery, recallQuery } from "../knowledge/memory/find.ts"
import { type NewMem, newMem, saveMem } from "../knowledge/memory/save.ts"
import type { FailedHit, Hit } from "../knowledge/recall/recall.ts"
import { checked, nothing } from "../schemas/checked.ts"
import { ref } from "../schemas/fields.ts"
import type { Mem } from "../schemas/knowledge.ts"

/** A search result: a mem (one saved piece of knowledge), or a failed task with its reason. */
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
    /** Finds mems for a query, archived ones too, best first. Adds failed tasks, unless `kinds` is given. */
    recall: async (query: string, options: Omit<RecallQuery, "query"> = {}): Promise<Recalled[]> => {
      const { query: asked, ...wanted } = checked("memory.recall", recallQuery, { ...options, query })
      const { recallKnown } = await import("../knowledge/recall/recall.ts") // Loaded on the first recall.
      const { mems, failed } = await recallKnown(hive, asked, wanted)
      return [...mems.map(recalledMem), ...failed.map(recalledTask)]
    },
    /** Lists mems that are currently valid, the newest first. */
    list: (options: MemListOptions = {}): Mem[] => {
      const { shelf, limit } = checked("memory.list", listOptions, options)
      return listMems(hive, shelf).slice(0, limit)
    },
    /** Finds a mem by its id or the beginning of its id, also in the archive. */
    get: (id: string): Mem => findMem(hive, checked("memory.get", ref, id)).mem,
    /** Marks a mem as wrong. It is kept as a warning, with the reason. */
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
  const { key: name } = anchors.newAnchor.shape
  return {
    save: async (anchor: anchors.NewAnchor) =>
      anchors.saveAnchor(hive, caller, checked("anchors.save", anchors.newAnchor, anchor)),
    /** Lists anchors, those most relevant to the caller's current task first. */
    list: (...none: []) => {
      checked("anchors.list", nothing, none)
      return anchors.listAnchors(hive, caller.session)
    },
    get: (key: string) => anchors.getAnchor(hive, checked("anchors.get", name, key)),
    update: async (update: anchors.AnchorUpdate) =>
      anchors.updateAnchor(hive, caller, checked("anchors.update", anchors.anchorUpdate, update)),
    remove: async (key: string) => anchors.removeAnchor(hive, caller, checked("anchors.remove", name, key)),
  }
}

const place = z.string().min(1)

/** The calls for project scan and code map. Their modules are imported at the first call. */
export function projectCalls(hive: Hive, caller: Caller) {
  const scanning = () => import("../knowledge/project/scan-hive.ts")
  const mapping = () => import("../project/codemap/answers.ts")
  const anywhere = (call: string, path: string | undefined) => checked(call, place.optional(), path)
  return {
    scan: {
      /** Saves the project map, and mems about the project. Writes nothing if nothing has changed. */
      full: async () => (await scanning()).scanHive(hive, caller, "full"),
      /** Like `full`, but reads only files changed since the last scan. */
      incremental: async () => (await scanning()).scanHive(hive, caller, "incremental"),
      /** Returns the changes since the last scan, or null if the project was never scanned. Writes nothing. */
      drift: async () => (await (await scanning()).detectDrift(hive)).drift,
      /** Returns the project map that the last scan saved. */
      map: async () => (await scanning()).knownMap(hive),
    },
    /** With a path, a call covers only that file or folder. */
    codemap: {
      /** Reads files that have changed, and saves the code map. */
      scan: async (path?: string) => (await mapping()).scanCode(hive, anywhere("codemap.scan", path)),
      /** Returns the changes since the last code scan, by file. */
      diff: async () => (await mapping()).diffCode(hive),
      inconsistencies: async (path?: string) =>
        (await (await mapping()).inconsistenciesIn(hive, anywhere("codemap.inconsistencies", path))).found,
      todos: async (path?: string) =>
        (await (await mapping()).todosInCode(hive, anywhere("codemap.todos", path))).todos,
      /** Returns the imports of a file, and the files that depend on it, nearest first. */
      graph: async (path: string) =>
        (await mapping()).graphAround(hive, checked("codemap.graph", place, path)),
    },
  }
}
