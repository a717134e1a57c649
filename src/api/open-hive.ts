import { setTimeout as sleep } from "node:timers/promises"
import * as z from "zod"
import { openConflicts } from "../graph/open-conflicts.ts"
import { sessionOf } from "../graph/read-head.ts"
import { authorOf, type Caller, type Hive } from "../hive/hive.ts"
import { openHiveIn } from "../hive/open.ts"
import { withLegacyFiles } from "../migrate/open-with-legacy.ts"
import { checked, nothing } from "../schemas/checked.ts"
import type { Entry } from "../schemas/entry.ts"
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
import { anchorCalls, memoryCalls, projectCalls } from "./knowledge-calls.ts"
import { planCalls, taskCalls, workerOf } from "./plan-calls.ts"

export interface OpenOptions {
  /** Options that override `.hivemind/system/config.json`. */
  config?: Record<string, unknown>
  /** The author of the program's log entries. Without a `session`, HiveMind creates one for the program. */
  caller?: Partial<Caller>
  source?: Source
  /** Called with errors that occur in background work. */
  onBackgroundError?: (error: unknown) => void
}

const optionalText = z.string().min(1).optional()
const optionalSignal = z.instanceof(AbortSignal).optional()

const syncOptions = z.strictObject({
  remote: optionalText.nullable(),
  /** If false, the sync receives entries of others and sends none. */
  push: z.boolean().optional(),
  /** Allows the first push of the log. From then on, everyone with access to the remote can read it. */
  first: z.boolean().optional(),
})
export type SyncOptions = z.infer<typeof syncOptions>

const costOptions = z.strictObject({ since: z.date().optional() })
export type CostOptions = z.infer<typeof costOptions>

const packOptions = z.strictObject({
  /** The host's id of a session, which decides the current task. Default: the project's current task. */
  session: optionalText,
  asOf: z.date().optional(),
})
export type PackOptions = z.infer<typeof packOptions>

const changesOptions = z.strictObject({
  /** Yields entries after the one with this id. Default: only entries from now on. */
  after: optionalText,
  signal: optionalSignal,
})
export type ChangesOptions = z.infer<typeof changesOptions>

/** Opens the graph of a project, for programs. Opening writes nothing: the first write creates `.hivemind/`. */
export async function openHive(dir: string, options: OpenOptions = {}) {
  const home = checked("openHive", folder, dir)
  checked("openHive", openOptions, options)
  const { source = systemSource, onBackgroundError } = options
  const { hive: opened, configProblems } = await openHiveIn(home, {
    source,
    userConfig: null,
    options: { name: "the options given", value: options.config },
    ...(onBackgroundError && { onBackgroundError }),
  })
  const hive = await withLegacyFiles(opened)
  const { store, config } = hive
  const caller: Caller = { session: null, agent: null, tool: "api", ...options.caller }
  const worker = workerOf(hive, caller)

  return {
    config,
    /** Messages about invalid options, each with the value that is used instead. */
    configProblems,
    memory: memoryCalls(hive, caller),
    plans: planCalls(hive, worker),
    tasks: taskCalls(hive, worker),
    anchors: anchorCalls(hive, caller),
    sessions: {
      /** Lists sessions, the most recently active first. */
      list: (wanted: SessionFilter = {}): SessionRow[] => {
        checked("sessions.list", sessionFilter, wanted)
        return listSessions(hive, wanted).items
      },
    },
    ...projectCalls(hive, caller),
    /** The complete block that HiveMind would put before a model, now or at an earlier time. */
    pack: async (wanted: PackOptions = {}) => {
      const { session = null, asOf } = checked("pack", packOptions, wanted)
      if (session !== null && sessionOf(store.read().state, session) === undefined) {
        const others = await unrecordedSessions(hive)
        if (!others.some(({ host_id }) => host_id === session)) throw noSession(session)
      }
      return packedState(hive, { session, asOf: asOf?.getTime() })
    },
    /**
     * Shares the log through a git remote and receives the entries of others. Default remote: the branch's, or `origin`.
     * With null, the log is only kept in the local repository.
     */
    async sync(wanted: SyncOptions = {}) {
      const { remote, push, first = false } = checked("sync", syncOptions, wanted)
      const chosen = remote === undefined ? ((await chooseRemote(hive.dir)) ?? null) : remote
      const name = chosen === null ? null : await requireRemote(hive.dir, chosen)
      return syncHive({ store, dir: hive.dir, remote: name, push, mayBegin: async () => first })
    },
    conflicts: {
      /** Lists sync conflicts that are not settled yet, the oldest first. */
      list: (...none: []) => {
        checked("conflicts.list", nothing, none)
        return openConflicts(store.read().state)
      },
      /** Settles a conflict: `kept` confirms the current value, `lost` restores the value that sync has replaced. */
      settle: async (id: string, take: Take) =>
        settleConflict(hive, caller, checked("conflicts.settle", settled, { conflict: id, take })),
    },
    /**
     * Token usage and cost as counted by the host: in total, and by plan and task, session, subagent and model, most
     * expensive first. Each machine knows only the usage of its own hosts.
     */
    cost: async (wanted: CostOptions = {}): Promise<Ledger> =>
      ledgerOf(hive, checked("cost", costOptions, wanted).since?.getTime()),
    /** Returns the current graph; never throws. Do not keep the result: it is only valid until the next call. */
    read: () => store.read(),
    /** Returns log entries, the oldest first. */
    log: async (part: LogPart = {}) => {
      checked("log", logPart, part)
      return store.log(part)
    },
    /** Yields new log entries of all processes: `for await (const entry of hive.changes())`. */
    changes: (wanted: ChangesOptions = {}) => {
      const { after, signal } = checked("changes", changesOptions, wanted)
      // Read now and not at the first iteration, so that entries written in between are not missed.
      const newest = async () => after ?? (await store.log({ limit: 1 })).at(-1)?.id
      return follow(hive, newest(), signal)
    },
    asOf: async (time: Date) => store.asOf(checked("asOf", z.date(), time).getTime()),
    undo: async (entryId: string) => store.undo(checked("undo", ref, entryId), authorOf(caller)),
    fold: () => store.fold(),
    health: () => store.health(),
    /** Closes the session that was created for the program, and the store. */
    close: async () => {
      try {
        await worker.end()
      } finally {
        await store.close()
      }
    },
  }
}

/** Polls the log for new entries. File watchers do not work on every file system, and the folder may not exist yet. */
async function* follow(
  { store }: Hive,
  begin: Promise<string | undefined>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Entry, void> {
  let last = await begin
  while (signal?.aborted !== true) {
    const entries = await store.log(last === undefined ? undefined : { after: last })
    for (const entry of entries) {
      last = entry.id
      yield entry
    }
    if (entries.length === 0) await sleep(LOOK_AGAIN_MS, undefined, { signal }).catch(() => {}) // An abort ends the wait.
  }
}

const LOOK_AGAIN_MS = 250

function noSession(session: string): HiveError {
  return new HiveError({
    code: "not_found",
    what: `There is no session ${session}.`,
    why: "`session` takes the id that the host gave the session.",
    use_instead: "Pass a `host_id` from `sessions.list()`, or leave out `session`.",
    evidence: `pack: ${session}`,
  })
}

const folder = z.string().min(1)
const isFunction = z.custom((given) => typeof given === "function", "a function is expected")
const openOptions = z.strictObject({
  config: z.record(z.string(), z.unknown()).optional(),
  caller: z
    .strictObject({
      session: optionalText.nullable(),
      agent: optionalText.nullable(),
      tool: optionalText,
    })
    .optional(),
  source: z.looseObject({ now: isFunction, newId: isFunction }).optional(),
  onBackgroundError: isFunction.optional(),
})
const settled = z.strictObject({ conflict: z.string().min(1), take: z.enum(["kept", "lost"]) })
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
