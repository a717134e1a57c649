import { authorOf, type Caller } from "./hive/hive.ts"
import { openHiveIn } from "./hive/open.ts"
import { type AnchorUpdate, removeAnchor, updateAnchor } from "./knowledge/anchor/change.ts"
import { getAnchor, listAnchors } from "./knowledge/anchor/find.ts"
import { type NewAnchor, saveAnchor } from "./knowledge/anchor/save.ts"
import { listMems } from "./knowledge/memory/list.ts"
import { type NewMem, saveMem } from "./knowledge/memory/save.ts"
import { type Source, systemSource } from "./shared/ids.ts"
import type { LogPart } from "./store/store.ts"

export interface OpenOptions {
  /** Options as in `.hivemind/system/config.json`; they win over the file. */
  config?: Record<string, unknown>
  /** Who writes, as the log shows it. */
  caller?: Partial<Caller>
  source?: Source
  /** Called with errors that no call waits for. */
  onBackgroundError?: (error: unknown) => void
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
