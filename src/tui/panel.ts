import { createElement, type Drawn, effect, insert, setProp } from "@opentui/solid"
import { createComponent, createSignal, Index, onCleanup } from "solid-js"
import { fingerprint, watchedFiles } from "../dashboard/watched-files.ts"
import type { Hive } from "../hive/hive.ts"
import { locateHive } from "../hive/locate.ts"
import { openWithLegacyFiles } from "../migrate/open-with-legacy.ts"
import { defaultConfig } from "../schemas/config.ts"
import { systemSource } from "../shared/ids.ts"
import { hivePaths } from "../store/files/layout.ts"
import { type Log, openLog } from "../store/files/log-file.ts"
import { actions } from "./actions.ts"
import type { PanelHost } from "./port.ts"
import { readPanel } from "./read-panel.ts"
import { type Line, sidebarLines } from "./sidebar-lines.ts"

/** Adds the panel to a terminal UI: the sidebar, and commands in the palette. Errors are logged and do not reach the UI. */
export function startPanel(host: PanelHost): void {
  const live = liveHive(host.directory, host.userConfig)
  const { log } = live
  host.addSidebar((session) => loggingErrors(log, "sidebar", () => sidebar(live, host, session)))
  host.addCommands(
    actions.map(({ name, title, run }) => ({
      name,
      title: `HiveMind: ${title}`,
      run: () => {
        live
          .hive()
          .then((hive) => run(hive, host))
          .catch((error: unknown) => {
            log("error", `panel: ${title} failed`, error)
            const text = `HiveMind could not ${title}. The reason is in .hivemind/system/log/.`
            loggingErrors(log, "toast", () => host.toast(text, "warning"))
          })
      },
    })),
  )
  host.onEnd(() => {
    live.close().catch((error: unknown) => log("error", "panel: could not be closed", error))
  })
}

/** Logs errors instead of throwing them, because they would break OpenCode's screen. */
function loggingErrors<T>(log: Log, what: string, run: () => T): T | null {
  try {
    return run()
  } catch (error) {
    log("error", `panel: ${what} failed`, error)
    return null
  }
}

function sidebar(
  { follow }: ReturnType<typeof liveHive>,
  { colour }: PanelHost,
  session: () => string,
): Drawn {
  const [lines, setLines] = createSignal<readonly Line[]>([])
  const following = follow(session, async (hive) => setLines(sidebarLines(await readPanel(hive, session()))))
  onCleanup(following.stop)
  const box = createElement("box")
  // `Index` keeps the element of a line if only its text changes.
  const children = createComponent(Index<Line>, {
    get each() {
      return lines()
    },
    children: (item: () => Line) => drawLine(item, colour),
  })
  insert(box, children)
  return box
}

function drawLine(item: () => Line, colour: PanelHost["colour"]): Drawn {
  const text = createElement("text")
  setProp(text, "wrapMode", "word")
  setProp(text, "flexShrink", 0)
  effect(() => {
    const { tone } = item()
    setProp(text, "fg", colour(tone))
    setProp(text, "attributes", tone === "title" ? BOLD : 0)
  })
  insert(text, () => item().text)
  return text
}

const BOLD = 1

/** The project's hive, read again whenever its files change. */
function liveHive(directory: string, userConfig: string) {
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
