import { fingerprint, watchedFiles } from "../dashboard/watched-files.ts"
import type { Hive } from "../hive/hive.ts"
import { locateHive } from "../hive/locate.ts"
import { openWithLegacyFiles } from "../migrate/open-with-legacy.ts"
import { defaultConfig } from "../schemas/config.ts"
import { systemSource } from "../shared/ids.ts"
import { hivePaths } from "../store/files/layout.ts"
import { openLog } from "../store/files/log-file.ts"

export type LiveHive = ReturnType<typeof liveHive>

export function liveHive(directory: string, userConfig: string) {
  const place = locateHive(directory)
  const paths = hivePaths(place.home)
  const { log } = openLog(paths, systemSource.now, () => defaultConfig.log_level)
  let opened: Promise<Hive> | undefined
  /** Opens the hive at the first call. If that fails, the next call tries again. */
  const hive = () => {
    opened ??= openWithLegacyFiles(place, {
      source: systemSource,
      userConfig,
      options: { name: "the panel's options", value: undefined },
      onBackgroundError: (error) => log("error", "panel: fold failed", error),
    }).then(
      (found) => found.hive,
      (error: unknown) => {
        opened = undefined
        throw error
      },
    )
    return opened
  }

  return {
    log,
    hive,
    /** Calls `refresh` now, after every change by any process, and when the session changes. Calls never overlap. */
    follow(session: () => string, refresh: (hive: Hive) => Promise<void>) {
      let isBusy = false
      let seen = ""
      let unchanged = 0
      const check = async () => {
        if (isBusy) return
        isBusy = true
        try {
          const now = `${session()} ${fingerprint(watchedFiles(paths))}`
          // Every tenth check refreshes anyway: the fingerprint misses edits by hand and texts such as "2 min ago".
          if (now === seen && ++unchanged < MAX_UNCHANGED) return
          unchanged = 0
          seen = now
          await refresh(await hive())
        } catch (error) {
          log("error", "panel: could not refresh", error)
        } finally {
          isBusy = false
        }
      }
      void check()
      const timer = setInterval(check, CHECK_MS)
      return { stop: () => clearInterval(timer) }
    },
    close: async () => (await opened?.catch(() => undefined))?.store.close(),
  }
}

const CHECK_MS = 1000
const MAX_UNCHANGED = 10
