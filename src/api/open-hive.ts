import * as z from "zod"
import { openConflicts } from "../graph/open-conflicts.ts"
import { sessionOf } from "../graph/read-head.ts"
import { authorOf, type Caller } from "../hive/hive.ts"
import { openHiveIn } from "../hive/open.ts"
import { withLegacyFiles } from "../migrate/open-with-legacy.ts"
import { checked, nothing } from "../schemas/checked.ts"
import { ref } from "../schemas/fields.ts"
import { HiveError } from "../shared/error.ts"
import { type Source, systemSource } from "../shared/ids.ts"
import type { LogPart } from "../store/store.ts"
import { chooseRemote, requireRemote } from "../sync/remote.ts"
import { syncHive } from "../sync/sync.ts"
import { packedState } from "../views/context/injected.ts"
import { type Ledger, ledgerOf } from "../views/lists/costs.ts"
import {
  listSessions,
  type SessionFilter,
  type SessionRow,
  unrecordedSessions,
} from "../views/lists/sessions.ts"
import { settleConflict, type Take } from "../work/conflict/settle.ts"
import { type ChangesOptions, changesOf } from "./changes.ts"
import { anchorCalls, memoryCalls, projectCalls } from "./knowledge-calls.ts"
import { planCalls, taskCalls, workerOf } from "./plan-calls.ts"

export interface OpenOptions {
  /** Overrides `.hivemind/system/config.json`. */
  config?: Record<string, unknown>
  /** Author of the log entries. A program gets a session of its own unless it names one. */
  caller?: Partial<Caller>
  source?: Source
  /** Receives errors of background work. */
  onBackgroundError?: (error: unknown) => void
}

export interface SyncOptions {
  remote?: string | null
  /** False: receives only. */
  push?: boolean
  /** Allows the first sync: readers of the remote can then read the log. */
  first?: boolean
}

export interface CostOptions {
  since?: Date
}

export interface PackOptions {
  /** Host id of a session. Default: the project's read-head. */
  session?: string
  asOf?: Date
}

/**
 * HiveMind for programs: opens the graph of a project. Opening writes nothing; the first write creates `.hivemind/`.
 */
export async function openHive(dir: string, options: OpenOptions = {}) {
  const home = checked("openHive", folder, dir)
  checked("openHive", openOptions, options)
  const source = options.source ?? systemSource
  const { hive: opened, configProblems } = await openHiveIn(home, {
    source,
    userConfig: null,
    options: { name: "the options given", value: options.config },
    ...(options.onBackgroundError === undefined ? {} : { onBackgroundError: options.onBackgroundError }),
  })
  const hive = await withLegacyFiles(opened)
  const { store, config } = hive
  const caller: Caller = { session: null, agent: null, tool: "api", ...options.caller }
  const worker = workerOf(hive, caller)

  return {
    config,
    /** Invalid options, each with the value used instead. */
    configProblems,
    memory: memoryCalls(hive, caller),
    plans: planCalls(hive, worker),
    tasks: taskCalls(hive, worker),
    anchors: anchorCalls(hive, caller),
    sessions: {
      /** Most recently active first. */
      list: (wanted: SessionFilter = {}): SessionRow[] => {
        checked("sessions.list", sessionFilter, wanted)
        return listSessions(hive, wanted).items
      },
    },
    ...projectCalls(hive, caller),
    /** The full block that a model would get, now or at an earlier time. */
    pack: async (wanted: PackOptions = {}) => {
      const { session = null, asOf } = checked("pack", packOptions, wanted)
      if (session !== null && sessionOf(store.read().state, session) === undefined) {
        const others = await unrecordedSessions(hive)
        if (!others.some(({ host_id }) => host_id === session)) throw noSession(session)
      }
      return packedState(hive, { session, asOf: asOf?.getTime() })
    },
    /**
     * Shares the log over a remote (default: the branch's, else `origin`; null: only keeps it in the repository) and
     * receives others' entries. Creates the remote's log only with `first`.
     */
    async sync(wanted: SyncOptions = {}) {
      const { remote, push, first = false } = checked("sync", syncOptions, wanted)
      const chosen = remote === undefined ? ((await chooseRemote(hive.dir)) ?? null) : remote
      const name = chosen === null ? null : await requireRemote(hive.dir, chosen)
      return syncHive({ store, dir: hive.dir, remote: name, push, mayBegin: async () => first })
    },
    conflicts: {
      /** Sync conflicts to settle, oldest first. */
      list: (...none: []) => {
        checked("conflicts.list", nothing, none)
        return openConflicts(store.read().state)
      },
      /** `kept` confirms the value in force, `lost` replaces it. */
      settle: async (id: string, take: Take) =>
        settleConflict(hive, caller, checked("conflicts.settle", settled, { conflict: id, take })),
    },
    /**
     * Token usage and cost by the host's counts: total, by plan and task, session, delegate and model, most expensive
     * first. Usage is kept on the machine where the host runs.
     */
    cost: async (wanted: CostOptions = {}): Promise<Ledger> =>
      ledgerOf(hive, checked("cost", costOptions, wanted).since?.getTime()),
    /** The present graph. Never throws; valid until the next call. */
    read: () => store.read(),
    /** Log entries, oldest first. */
    log: async (part: LogPart = {}) => {
      checked("log", logPart, part)
      return store.log(part)
    },
    /** New entries of any process: `for await (const entry of hive.changes())`. */
    changes: (wanted: ChangesOptions = {}) => {
      checked("changes", changesOptions, wanted)
      return changesOf(hive, wanted)
    },
    asOf: async (time: Date) => store.asOf(checked("asOf", z.date(), time).getTime()),
    undo: async (entryId: string) => store.undo(checked("undo", ref, entryId), authorOf(caller)),
    fold: () => store.fold(),
    health: () => store.health(),
    /** Also closes the program's own session. */
    close: async () => {
      try {
        await worker.end()
      } finally {
        await store.close()
      }
    },
  }
}

function noSession(session: string): HiveError {
  return new HiveError({
    code: "not_found",
    what: `There is no session ${session}.`,
    why: "A session is named by the host's id of it.",
    use_instead: "`sessions.list()` has them, as `host_id`; left out, the project's place counts.",
    evidence: `pack: ${session}`,
  })
}

const folder = z.string().min(1)
const optionalText = z.string().min(1).optional()
const isFunction = z.custom((given) => typeof given === "function", "a function is expected")
const openOptions = z.strictObject({
  config: z.record(z.string(), z.unknown()).optional(),
  caller: z
    .strictObject({
      session: z.string().min(1).nullable().optional(),
      agent: z.string().min(1).nullable().optional(),
      tool: optionalText,
    })
    .optional(),
  source: z.looseObject({ now: isFunction, newId: isFunction }).optional(),
  onBackgroundError: isFunction.optional(),
})
const signal = z.instanceof(AbortSignal).optional()
const packOptions = z.strictObject({ session: optionalText, asOf: z.date().optional() })
const syncOptions = z.strictObject({
  remote: z.string().min(1).nullable().optional(),
  push: z.boolean().optional(),
  first: z.boolean().optional(),
})
const settled = z.strictObject({ conflict: z.string().min(1), take: z.enum(["kept", "lost"]) })
const costOptions = z.strictObject({ since: z.date().optional() })
const changesOptions = z.strictObject({ after: optionalText, signal })
const logPart = z.strictObject({
  since: z.iso.datetime({ offset: true }).optional(),
  naming: optionalText,
  tool: optionalText,
  after: optionalText,
  isOwn: z.boolean().optional(),
  limit: z.int().positive().optional(),
})
const sessionFilter = z.strictObject({
  state: z.enum(["open", "left", "continued", "closed"]).optional(),
  subagents: z.boolean().optional(),
  words: optionalText,
})
