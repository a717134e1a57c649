import { authorOf, type Caller } from "./hive/hive.ts"
import { openHiveIn } from "./hive/open.ts"
import { type AnchorUpdate, removeAnchor, updateAnchor } from "./knowledge/anchor/change.ts"
import { getAnchor, listAnchors } from "./knowledge/anchor/find.ts"
import { type NewAnchor, saveAnchor } from "./knowledge/anchor/save.ts"
import { flagMem, memFlag } from "./knowledge/memory/change.ts"
import { findMem } from "./knowledge/memory/find.ts"
import { listMems } from "./knowledge/memory/list.ts"
import { type RecallQuery, recallQuery } from "./knowledge/memory/recall-query.ts"
import { type NewMem, saveMem } from "./knowledge/memory/save.ts"
import type { Hit } from "./knowledge/recall/recall.ts"
import { checked } from "./schemas/checked.ts"
import type { Mem } from "./schemas/knowledge.ts"
import { type Source, systemSource } from "./shared/ids.ts"

export interface OpenOptions {
  /** Options as in `.hivemind/system/config.json`; they win over the file. */
  config?: Record<string, unknown>
  /** Who writes, as the log shows it. */
  caller?: Partial<Caller>
  source?: Source
  /** Called with errors that no call waits for. */
  onBackgroundError?: (error: unknown) => void
}

/** A mem that a query is about. */
export type Recalled = Pick<Mem, "id" | "content" | "kind"> & Omit<Hit, "mem">

/** HiveMind for programs: opens the graph of a project. Opening writes nothing; the first write makes `.hivemind/`. */
export async function openHive(dir: string, options: OpenOptions = {}) {
  const { hive, configProblems } = await openHiveIn(dir, {
    source: options.source ?? systemSource,
    userConfig: null,
    options: { name: "the options given", value: options.config },
    ...(options.onBackgroundError === undefined ? {} : { onBackgroundError: options.onBackgroundError }),
  })
  const { store, config } = hive
  const caller: Caller = { session: null, agent: null, tool: "api", ...options.caller }

  return {
    config,
    /** Options that were wrong, each with what is used instead. */
    configProblems,
    memory: {
      save: (mem: NewMem) => saveMem(hive, caller, mem),
      /** What is known about a query, the best first: hot and archived mems alike, each with why. */
      recall: async (query: string, options: Omit<RecallQuery, "query"> = {}): Promise<Recalled[]> => {
        const { query: asked, ...wanted } = checked("memory.recall", recallQuery, { ...options, query })
        const { recall } = await import("./knowledge/recall/recall.ts") // Needed for the first recall only.
        const hits = await recall(hive, asked, wanted)
        return hits.map(({ mem: { id, content, kind }, ...hit }) => ({ id, content, kind, ...hit }))
      },
      list: (shelf?: string) => listMems(hive, shelf),
      /** One mem by its id or the start of it, hot or archived. */
      get: (id: string) => findMem(hive, id).mem,
      /** Takes a mem back: from then on it is a warning, with the reason. */
      flag: async (id: string, reason: string) =>
        flagMem(hive, caller, checked("memory.flag", memFlag, { mem_id: id, reason })),
    },
    anchors: {
      save: (anchor: NewAnchor) => saveAnchor(hive, caller, anchor),
      /** The most important first, as seen from the caller's place in the graph. */
      list: () => listAnchors(hive, caller.session),
      get: (key: string) => getAnchor(hive, key),
      update: (update: AnchorUpdate) => updateAnchor(hive, caller, update),
      remove: (key: string) => removeAnchor(hive, caller, key),
    },
    /** The graph as it is now. Never throws; valid until the next call. */
    read: () => store.read(),
    log: () => store.log(),
    asOf: (time: Date) => store.asOf(time.getTime()),
    undo: (entryId: string) => store.undo(entryId, authorOf(caller)),
    fold: () => store.fold(),
    health: () => store.health(),
    close: () => store.close(),
  }
}
