import { isOpenConflict } from "../graph/open-conflicts.ts"
import type { Hive } from "../hive/hive.ts"
import { counted } from "../shared/amounts.ts"
import { HiveError } from "../shared/error.ts"
import { hivePaths } from "../store/files/layout.ts"
import { readText } from "../store/files/text-file.ts"
import { backupHive, removeBackup } from "../sync/backup.ts"
import { chooseRemote } from "../sync/remote.ts"
import { hasSharedLog, restoredText } from "../sync/restore.ts"
import { type SyncReport, syncHive } from "../sync/sync.ts"
import type { Step, TurnInput } from "./between-turns.ts"

/** Backs up the hive after every turn that changed the graph or the configuration, and syncs it if the user has ever run a sync. */
export function backgroundSync(
  { hive, log, toast }: Pick<TurnInput, "hive" | "log" | "toast">,
  later: (steps: readonly Step[]) => void,
) {
  let isRunning = false
  let last = { at: Number.NEGATIVE_INFINITY, newest: "" }
  let backedUp = ""

  async function backUp(opened: Hive): Promise<void> {
    if (opened.config.sync === "off") return removeBackup(opened)
    const found = `${await newestEntry(opened)}\n${readText(hivePaths(opened.home).config) ?? ""}`
    if (found === "\n" || found === backedUp) return
    const report = await backupHive(opened)
    // The newest entry before the backup, because entries that were written during the backup may be missing in it.
    backedUp = found
    if (report !== undefined && report.brought > 0) await tell(restoredText(report))
  }

  async function tell(message: string): Promise<void> {
    log("info", message)
    await toast(`HiveMind: ${message}`)
  }

  async function sync(opened: Hive): Promise<void> {
    const { store, dir, config, source } = opened
    const newest = await newestEntry(opened)
    // With `manual` only local changes matter. With `auto` other clones may have pushed entries.
    if (config.sync === "manual" && (newest === last.newest || !store.isThere())) return
    last = { at: source.now(), newest }
    const remote = config.sync === "auto" ? ((await chooseRemote(dir)) ?? null) : null
    const report = await syncOrKeep(opened, remote)
    if (report.brought > 0) await tell(broughtText(report, opened))
  }

  async function syncOrKeep(opened: Hive, remote: string | null): Promise<SyncReport> {
    const { store, dir } = opened
    const input = { store, dir, timeoutMs: 15_000, mayBegin: async () => false }
    try {
      return await syncHive({ ...input, remote })
    } catch (error) {
      if (remote === null || !(error instanceof HiveError) || error.code !== "git_failed") throw error
      log("info", "could not share the log", error)
      return syncHive({ ...input, remote: null })
    }
  }

  async function beginSync(opened: Hive, when: "session start" | "turn end"): Promise<void> {
    const { config, dir, source } = opened
    if (config.sync === "off" || (when === "session start" && config.sync !== "auto")) return
    if (isRunning || source.now() - last.at < EVERY_MS || !(await hasSharedLog(dir))) return
    isRunning = true
    const run = () =>
      sync(opened).finally(() => {
        isRunning = false
      })
    later([["sync", run]])
  }

  return async (when: "session start" | "turn end"): Promise<void> => {
    const opened = await hive()
    try {
      if (when === "turn end") await backUp(opened)
    } finally {
      await beginSync(opened, when)
    }
  }
}

export type BackgroundSync = ReturnType<typeof backgroundSync>

async function newestEntry({ store }: Hive): Promise<string> {
  return (await store.log({ limit: 1 }))[0]?.id ?? ""
}

function broughtText({ brought, conflicts }: SyncReport, { store }: Hive): string {
  const { state } = store.read()
  const open = conflicts.filter((each) => isOpenConflict(each, state)).length
  const came = `${counted(brought, "entry", "entries")} from other clones`
  return open === 0 ? came : `${came}, ${counted(open, "conflict")}`
}

const EVERY_MS = 60_000
