import { standingConflicts } from "./graph/conflict-standing.ts"
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
import type { FailedHit } from "./knowledge/recall/recall-failed.ts"
import { checked } from "./schemas/checked.ts"
import type { Mem } from "./schemas/knowledge.ts"
import { type Source, systemSource } from "./shared/ids.ts"
import type { LogPart } from "./store/store.ts"
import { chooseRemote, requireRemote } from "./sync/remote.ts"
import { syncHive } from "./sync/sync.ts"
import { type Ledger, ledgerOf } from "./views/cost/ledger.ts"
import { settleConflict, type Take } from "./work/conflict/settle.ts"

export interface OpenOptions {
  /** Options as in `.hivemind/system/config.json`; they win over the file. */
  config?: Record<string, unknown>
  /** Who writes, as the log shows it. */
  caller?: Partial<Caller>
  source?: Source
  /** Called with errors that no call waits for. */
  onBackgroundError?: (error: unknown) => void
}

/** A mem that a query is about, or a task that failed at it: its title, and why. */
export interface Recalled extends Omit<Hit, "mem"> {
  id: string
  content: string
  kind: Mem["kind"] | "failed task"
  reason: string | null
}

export interface SyncOptions {
  remote?: string | null
  /** False: brings what others have, sends nothing. */
  push?: boolean
  /** Whoever can read the remote can read the log from then on. */
  first?: boolean
}

export interface CostOptions {
  /** Only what was answered from then on. */
  since?: Date
}

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
      /**
       * What is known about a query: hot and archived mems alike, the best first, each with why; then the tasks that failed
       * at it, unless `kinds` of mems are asked for.
       */
      recall: async (query: string, options: Omit<RecallQuery, "query"> = {}): Promise<Recalled[]> => {
        const { query: asked, ...wanted } = checked("memory.recall", recallQuery, { ...options, query })
        const { recallKnown } = await import("./knowledge/recall/recall-known.ts") // Needed for the first recall only.
        const { mems, failed } = await recallKnown(hive, asked, wanted)
        return [...mems.map(recalledMem), ...failed.map(recalledTask)]
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
    /** What the project is. The map and mems about it are kept; where nothing has changed, nothing is written. */
    scan: {
      full: async () => (await scanning()).scanHive(hive, caller, "full"),
      /** Reads only what has changed since the last one. */
      incremental: async () => (await scanning()).scanHive(hive, caller, "incremental"),
      /** What has changed since the last one; null where there was none. Writes nothing. */
      drift: async () => (await (await scanning()).lookForDrift(hive)).drift,
      /** The last one's map; undefined where there was none. */
      map: async () => (await scanning()).knownMap(hive),
    },
    /** What the code says of itself. A path tells of that file or folder alone. */
    codemap: {
      /** Reads what has changed since the last look, and keeps the map. */
      scan: async (path?: string) => (await mapping()).scanCode(hive, path),
      /** What has changed since the last scan, by file. */
      diff: async () => (await mapping()).diffCode(hive),
      inconsistencies: async (path?: string) => (await (await mapping()).inconsistenciesIn(hive, path)).found,
      todos: async (path?: string) => (await (await mapping()).todosInCode(hive, path)).todos,
      /** What a file imports, and what may break when it is changed, the nearest first. */
      graph: async (path: string) => (await mapping()).graphAround(hive, path),
    },
    /**
     * Shares the log over a remote of the repository (by default that of the branch, else `origin`; null: only keeps it in
     * the repository) and brings what others have written. A remote that has no log yet gets one only with `first`.
     */
    async sync({ remote, push, first = false }: SyncOptions = {}) {
      const chosen = remote === undefined ? ((await chooseRemote(hive.dir)) ?? null) : remote
      const name = chosen === null ? null : await requireRemote(hive.dir, chosen)
      return syncHive({ store, dir: hive.dir, remote: name, push, mayBegin: async () => first })
    },
    conflicts: {
      /** Those that wait for somebody to decide, the oldest first. */
      list: () => standingConflicts(store.read().state),
      /** `kept` leaves what stands, `lost` puts the other in its place. */
      settle: (id: string, take: Take) => settleConflict(hive, caller, { conflict: id, take }),
    },
    /**
     * What models took, by the host's own counts: in total, by plan and task, session, delegate and model, the dearest
     * first. Counted where the host runs; on another machine there is nothing.
     */
    cost: ({ since }: CostOptions = {}): Promise<Ledger> => ledgerOf(hive, since?.getTime()),
    /** The graph as it is now. Never throws; valid until the next call. */
    read: () => store.read(),
    /** Who changed what and when, oldest first: all, or the part that is asked for. */
    log: (part?: LogPart) => store.log(part),
    asOf: (time: Date) => store.asOf(time.getTime()),
    undo: (entryId: string) => store.undo(entryId, authorOf(caller)),
    fold: () => store.fold(),
    health: () => store.health(),
    close: () => store.close(),
  }
}

/** Loaded when a code map is asked for. */
function mapping() {
  return import("./project/codemap/answers.ts")
}

/** Loaded when a scan is asked for. */
function scanning() {
  return import("./knowledge/project/scan-hive.ts")
}

function recalledMem({ mem: { id, content, kind, reason }, ...hit }: Hit): Recalled {
  return { id, content, kind, reason, ...hit }
}

function recalledTask({ task: { id, title, reason }, ...hit }: FailedHit): Recalled {
  return { id, content: title, kind: "failed task", reason, ...hit, isArchived: false, replaces: null }
}
