import type { Hive } from "../hive/hive.ts"
import type { QueuedCommand } from "../schemas/queued-command.ts"
import { shorten } from "../shared/text/clean.ts"
import { driftReport } from "../watch/drift-report.ts"
import { askFor } from "./ask-for.ts"
import { liveHive } from "./live-hive.ts"
import { guardWith, type PanelHost } from "./port.ts"
import { screen } from "./screen.ts"
import { sidebar } from "./sidebar.ts"

/** Puts the panel into a terminal UI: sidebar, screen and commands. Whatever fails is logged, and the UI goes on. */
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
  const tell = async (hive: Hive, command: QueuedCommand) => {
    const { done, text } = await askFor(hive, command)
    host.toast(text, done ? "success" : "warning")
  }

  const flag = (mem: string) =>
    inBackground("flagging", async (hive) => {
      const reason = await host.askText("Flag this mem as wrong", "why it is wrong")
      if (reason?.trim()) await tell(hive, { do: "flag_mem", mem, reason: reason.trim() })
    })()

  const acknowledge = inBackground("acknowledging", async (hive) => {
    const session = host.session()
    const warnings = session === null ? [] : driftReport(hive, session).warnings
    if (session === null || warnings.length === 0) return host.toast("No warning is standing.", "success")
    const options = warnings.map(({ signal, text }) => ({ title: shorten(text, 90), value: signal }))
    const signal = await host.choose("Acknowledge a warning", options)
    if (signal !== undefined) await tell(hive, { do: "acknowledge_warning", session, signal })
  })

  host.addSidebar(guard("sidebar", (session) => sidebar(live, host, session), null))
  host.addScreen(guard("screen", () => screen(live, host, guard, { flag }), null))
  host.addCommands([
    {
      ...{ name: "open", title: "HiveMind: plans, memory, refusals, quarantine", slash: "hive-panel" },
      run: guard("open", host.openScreen, undefined),
    },
    {
      ...{ name: "acknowledge", title: "HiveMind: acknowledge a warning" },
      run: guard("acknowledge", acknowledge, undefined),
    },
  ])
  host.onEnd(() => {
    live.close().catch((error: unknown) => log("error", "panel: could not be closed", error))
  })
}
