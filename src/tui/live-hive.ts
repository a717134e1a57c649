import { join } from "node:path"
import { injectedFile } from "../context/inject/injected-file.ts"
import type { Hive } from "../hive/hive.ts"
import { locateHive } from "../hive/locate.ts"
import { openReadingOld } from "../migrate/fallback/open.ts"
import { defaultConfig } from "../schemas/config.ts"
import { systemSource } from "../shared/ids.ts"
import { readdirSync, statSync } from "../store/files/hive-fs.ts"
import { type HivePaths, hivePaths } from "../store/files/layout.ts"
import { type Log, openLog } from "../store/files/log-file.ts"

export interface LiveHive {
  log: Log
  /** Opened when it is first asked for; what keeps it from that may be mended later. */
  hive: () => Promise<Hive>
  /**
   * Calls `refresh` at once and whenever what it may show has changed, by whichever process; never two at a time.
   */
  follow: (session: () => string | null, refresh: (hive: Hive) => Promise<void>) => Following
  close: () => Promise<void>
}

interface Following {
  /** Something else is wanted now. */
  again: () => void
  stop: () => void
}

/** The hive of a project for somebody who looks at it for long. */
export function liveHive(directory: string, userConfig: string): LiveHive {
  const place = locateHive(directory)
  const paths = hivePaths(place.home)
  const { log } = openLog(paths, systemSource.now, () => defaultConfig.log_level)
  let opened: Promise<Hive> | undefined
  const hive = () => {
    opened ??= openReadingOld(place, {
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
    follow(session, refresh) {
      let isBusy = false
      let seen = ""
      let looks = 0
      let isAskedAgain = false
      const look = async () => {
        if (isBusy) return
        isBusy = true
        try {
          const stamp = stampOf(paths, session())
          // Files edited by hand, and how long ago things were, have no stamp.
          if (stamp === seen && ++looks < LOOKS_WITHOUT_NEWS) return
          looks = 0
          seen = stamp
          await refresh(await hive())
        } catch (error) {
          log("error", "panel: could not be brought up to date", error)
        } finally {
          isBusy = false
        }
        if (isAskedAgain) again()
      }
      const again = () => {
        isAskedAgain = isBusy
        seen = ""
        void look()
      }
      void look()
      const timer = setInterval(look, LOOK_EVERY_MS)
      return { again, stop: () => clearInterval(timer) }
    },
    close: async () => (await opened?.catch(() => undefined))?.store.close(),
  }
}

/** Differs from the one before where something was written that the panel shows: a few file sizes and times. */
function stampOf(paths: HivePaths, session: string | null): string {
  const segments = namesIn(paths.log).sort().slice(-2)
  const files = [...segments.map((name) => join(paths.log, name)), paths.refusals, paths.queue]
  const sizes = files.map((file) => {
    const found = statSync(file, { throwIfNoEntry: false })
    return found === undefined ? "-" : `${found.size} ${found.mtimeMs}`
  })
  return [session, session === null ? 0 : injectedFile(paths, session).size(), ...segments, ...sizes].join(
    "|",
  )
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // Not there before the first write.
  }
}

const LOOK_EVERY_MS = 1000
const LOOKS_WITHOUT_NEWS = 10
