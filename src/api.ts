import { standingConflicts } from "./graph/conflict-standing.ts"
import { authorOf, type Caller } from "./hive/hive.ts"
import { openHiveIn } from "./hive/open.ts"
import { type AnchorUpdate, removeAnchor, updateAnchor } from "./knowledge/anchor/change.ts"
import { getAnchor, listAnchors } from "./knowledge/anchor/find.ts"
import { type NewAnchor, saveAnchor } from "./knowledge/anchor/save.ts"
import { listMems } from "./knowledge/memory/list.ts"
import { type NewMem, saveMem } from "./knowledge/memory/save.ts"
import { type Source, systemSource } from "./shared/ids.ts"
import type { LogPart } from "./store/store.ts"
import { chooseRemote, requireRemote } from "./sync/remote.ts"
import { syncHive } from "./sync/sync.ts"
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

export interface SyncOptions {
  remote?: string | null
  /** False: brings what others have, sends nothing. */
  push?: boolean
  /** Whoever can read the remote can read the log from then on. */
  first?: boolean
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
      list: (shelf?: string) => listMems(hive, shelf),
    },
    anchors: {
      save: (anchor: NewAnchor) => saveAnchor(hive, caller, anchor),
      /** The most important first, as seen from the caller's place in the graph. */
      list: () => listAnchors(hive, caller.session),
      get: (key: string) => getAnchor(hive, key),
      update: (update: AnchorUpdate) => updateAnchor(hive, caller, update),
      remove: (key: string) => removeAnchor(hive, caller, key),
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
