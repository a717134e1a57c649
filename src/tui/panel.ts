import type { Hive } from "../hive/hive.ts"
import { acknowledge, act, restore, undo } from "./actions.ts"
import { sidebar } from "./draw.ts"
import { liveHive } from "./live-hive.ts"
import { guardWith, type PanelHost } from "./port.ts"
import { screen } from "./screen.ts"
import type { Subject } from "./text/lines.ts"

/** Adds the panel to a terminal UI: sidebar, screen and commands. Errors are logged, and the UI goes on. */
export function startPanel(host: PanelHost): void {
  const live = liveHive(host.directory, host.userConfig)
  const { log } = live
  const guard = guardWith(log)
  const inBackground = (what: string, run: (hive: Hive) => Promise<void>) => () => {
    live
      .hive()
      .then(run)
      .catch((error: unknown) => {
        log("error", `panel: ${what} failed`, error)
        guard(
          "toast",
          () => host.toast(`HiveMind: ${what} failed; its log says more.`, "warning"),
          undefined,
        )()
      })
  }
  const actOn = (subject: Subject) => inBackground("the change", (hive) => act(hive, host, subject))()

  host.addSidebar(guard("sidebar", (session) => sidebar(live, host, session), null))
  host.addScreen(guard("screen", () => screen(live, host, guard, actOn), null))
  host.addCommands([
    {
      ...{ name: "open", title: "HiveMind: panel", slash: "hive-panel" },
      run: guard("open", host.openScreen, undefined),
    },
    {
      ...{ name: "acknowledge", title: "Acknowledge a warning of HiveMind" },
      run: inBackground("acknowledging", (hive) => acknowledge(hive, host)),
    },
    {
      ...{ name: "undo", title: "Take back a change in HiveMind" },
      run: inBackground("taking back", (hive) => undo(hive, host)),
    },
    {
      ...{ name: "restore", title: "Restore files from a snapshot of HiveMind" },
      run: inBackground("restoring", (hive) => restore(hive, host)),
    },
  ])
  host.onEnd(() => {
    live.close().catch((error: unknown) => log("error", "panel: could not be closed", error))
  })
}
