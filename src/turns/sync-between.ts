import { isStanding } from "../graph/conflict-standing.ts"
import type { Hive } from "../hive/hive.ts"
import { counted } from "../shared/amounts.ts"
import { HiveError } from "../shared/error.ts"
import { chooseRemote } from "../sync/remote.ts"
import { isInRepository } from "../sync/require-repository.ts"
import { type SyncReport, syncHive } from "../sync/sync.ts"
import type { Step } from "./background.ts"
import type { TurnInput } from "./turn-input.ts"

/**
 * Keeps the log in the repository between turns, and with `auto` shares it. Never the first time by itself: whether
 * others may read the log is for a person to decide.
 */
export function syncBetween(
  { hive, log, toast }: Pick<TurnInput, "hive" | "log" | "toast">,
  later: (steps: readonly Step[]) => void,
) {
  let isRunning = false
  let last = { at: Number.NEGATIVE_INFINITY, newest: "" }

  async function sync(opened: Hive): Promise<void> {
    try {
      await syncNow(opened)
    } finally {
      isRunning = false
    }
  }

  async function syncNow(opened: Hive): Promise<void> {
    const { store, dir, config, source } = opened
    const newest = await newestEntry(opened)
    // Others may have written something; what is only kept here has to be new here.
    if (config.sync === "manual" && (newest === last.newest || !store.isThere())) return
    last = { at: source.now(), newest }
    const remote = config.sync === "auto" ? ((await chooseRemote(dir)) ?? null) : null
    const report = await syncOrKeep(opened, remote)
    last.newest = await newestEntry(opened)
    if (report.brought === 0) return
    const message = broughtText(report, opened)
    log("info", message)
    await toast(`HiveMind: ${message}`)
  }

  /** Without the network the log is kept here; the next time shares it. */
  async function syncOrKeep(opened: Hive, remote: string | null): Promise<SyncReport> {
    const { store, dir } = opened
    const input = { store, dir, timeoutMs: TIMEOUT_MS, mayBegin: async () => false }
    try {
      return await syncHive({ ...input, remote })
    } catch (error) {
      if (remote === null || !(error instanceof HiveError) || error.code !== "git_failed") throw error
      log("info", "could not share the log", error)
      return syncHive({ ...input, remote: null })
    }
  }

  /** One at a time, and not after every one of many short turns. Only begins it: the network is nothing to wait for. */
  return async (when: "session start" | "turn end"): Promise<void> => {
    const opened = await hive()
    const { config, dir, source } = opened
    if (config.sync === "off" || (when === "session start" && config.sync !== "auto")) return
    if (isRunning || source.now() - last.at < EVERY_MS || !isInRepository(dir)) return
    isRunning = true
    later([["sync", () => sync(opened)]])
  }
}

export type SyncBetween = ReturnType<typeof syncBetween>

async function newestEntry({ store }: Hive): Promise<string> {
  return (await store.log({ limit: 1 }))[0]?.id ?? ""
}

/** `3 entries of others, 1 conflict`. */
function broughtText({ brought, conflicts }: SyncReport, { store }: Hive): string {
  const { state } = store.read()
  const open = conflicts.filter((each) => isStanding(each, state)).length
  const came = `${counted(brought, "entry", "entries")} of others`
  return open === 0 ? came : `${came}, ${counted(open, "conflict")}`
}

const EVERY_MS = 60_000
const TIMEOUT_MS = 15_000
