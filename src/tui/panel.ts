import { createElement, type Drawn, effect, insert, setProp } from "@opentui/solid"
import { createComponent, createSignal, Index, onCleanup } from "solid-js"
import type { Log } from "../store/files/log-file.ts"
import { actions } from "./actions.ts"
import { type LiveHive, liveHive } from "./live-hive.ts"
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

function sidebar({ follow }: LiveHive, { colour }: PanelHost, session: () => string): Drawn {
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
