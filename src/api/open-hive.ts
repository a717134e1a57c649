import * as z from "zod"
import { standingConflicts } from "../graph/conflict-standing.ts"
import { sessionOf } from "../graph/read-head.ts"
import { authorOf, type Caller } from "../hive/hive.ts"
import { openHiveIn } from "../hive/open.ts"
import { withOldFiles } from "../migrate/fallback/open.ts"
import { checked, nothing } from "../schemas/checked.ts"
import { ref } from "../schemas/fields.ts"
import { HiveError } from "../shared/error.ts"
import { type Source, systemSource } from "../shared/ids.ts"
import type { LogPart } from "../store/store.ts"
import { chooseRemote, requireRemote } from "../sync/remote.ts"
import { syncHive } from "../sync/sync.ts"
import { type Ledger, ledgerOf } from "../views/cost/ledger.ts"
import { listSessions, type SessionFilter, type SessionRow } from "../views/look/sessions.ts"
import { unrecordedSessions } from "../views/look/unrecorded.ts"
import { packedState } from "../views/packed/packed-state.ts"
import { settleConflict, type Take } from "../work/conflict/settle.ts"
import { anchorCalls } from "./anchors.ts"
import { type ChangesOptions, changesOf } from "./changes.ts"
import { memoryCalls } from "./memory.ts"
import { planCalls } from "./plans.ts"
import { projectCalls } from "./project.ts"
import { taskCalls } from "./tasks.ts"
import { workerOf } from "./worker.ts"

export interface OpenOptions {
  /** Options as in `.hivemind/system/config.json`; they win over the file. */
  config?: Record<string, unknown>
  /** Who writes, as the log shows it. A program that plans has a session of its own unless one is named. */
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

export interface CostOptions {
  /** Only what was answered from then on. */
  since?: Date
}

export interface PackOptions {
  /** The host's id of a session whose place in the graph counts; left out: the project's. */
  session?: string
  asOf?: Date
}

/** HiveMind for programs: opens the graph of a project. Opening writes nothing; the first write makes `.hivemind/`. */
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
  const hive = await withOldFiles(opened, "all")
  const { store, config } = hive
  const caller: Caller = { session: null, agent: null, tool: "api", ...options.caller }
  const worker = workerOf(hive, caller)

  return {
    config,
    /** Options that were wrong, each with what is used instead. */
    configProblems,
    memory: memoryCalls(hive, caller),
    plans: planCalls(hive, worker),
    tasks: taskCalls(hive, worker),
    anchors: anchorCalls(hive, caller),
    sessions: {
      /** The one that was last at work first. */
      list: (wanted: SessionFilter = {}): SessionRow[] => {
        checked("sessions.list", sessionFilter, wanted)
        return listSessions(hive, wanted).items
      },
    },
    ...projectCalls(hive, caller),
    /** The block that a model would be sent in full, now or at an earlier moment. */
    pack: async (wanted: PackOptions = {}) => {
      const { session = null, asOf } = checked("pack", packOptions, wanted)
      if (session !== null && sessionOf(store.read().state, session) === undefined) {
        const others = await unrecordedSessions(hive)
        if (!others.some(({ host_id }) => host_id === session)) throw noSession(session)
      }
      return packedState(hive, { session, asOf: asOf?.getTime() })
    },
    /**
     * Shares the log over a remote of the repository (by default that of the branch, else `origin`; null: only keeps it in
     * the repository) and brings what others have written. A remote that has no log yet gets one only with `first`.
     */
    async sync(wanted: SyncOptions = {}) {
      const { remote, push, first = false } = checked("sync", syncOptions, wanted)
      const chosen = remote === undefined ? ((await chooseRemote(hive.dir)) ?? null) : remote
      const name = chosen === null ? null : await requireRemote(hive.dir, chosen)
      return syncHive({ store, dir: hive.dir, remote: name, push, mayBegin: async () => first })
    },
    conflicts: {
      /** Those that wait for somebody to decide, the oldest first. */
      list: (...none: []) => {
        checked("conflicts.list", nothing, none)
        return standingConflicts(store.read().state)
      },
      /** `kept` leaves what stands, `lost` puts the other in its place. */
      settle: async (id: string, take: Take) =>
        settleConflict(hive, caller, checked("conflicts.settle", settled, { conflict: id, take })),
    },
    /**
     * What models took, by the host's own counts: in total, by plan and task, session, delegate and model, the dearest
     * first. Counted where the host runs; on another machine there is nothing.
     */
    cost: async (wanted: CostOptions = {}): Promise<Ledger> =>
      ledgerOf(hive, checked("cost", costOptions, wanted).since?.getTime()),
    /** The graph as it is now. Never throws; valid until the next call. */
    read: () => store.read(),
    /** Who changed what and when, oldest first: all, or the part that is asked for. */
    log: async (part: LogPart = {}) => {
      checked("log", logPart, part)
      return store.log(part)
    },
    /** What is written from now on, by whichever process, as it comes: `for await (const entry of hive.changes())`. */
    changes: (wanted: ChangesOptions = {}) => {
      checked("changes", changesOptions, wanted)
      return changesOf(hive, wanted)
    },
    asOf: async (time: Date) => store.asOf(checked("asOf", z.date(), time).getTime()),
    undo: async (entryId: string) => store.undo(checked("undo", ref, entryId), authorOf(caller)),
    fold: () => store.fold(),
    health: () => store.health(),
    /** Also closes the session of a program that planned or worked without naming one. */
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
