import { effect, setProp, useTerminalDimensions } from "@opentui/solid"
import { createSignal, onCleanup } from "solid-js"
import { box, drawLines } from "./draw.ts"
import type { LiveHive } from "./live-hive.ts"
import type { Guard, PanelHost, PanelKey } from "./port.ts"
import { readScreen, type ScreenView, type Tab, tabs } from "./read/screen.ts"
import { type Line, line } from "./text/line.ts"
import { type Row, screenRows } from "./text/screen-rows.ts"
import { visibleLines } from "./text/visible-lines.ts"

export interface ScreenActions {
  flag: (mem: string) => void
}

/** The whole terminal: plans, memory, refusals and quarantine, one at a time, by keyboard. */
export function screen(live: LiveHive, host: PanelHost, guard: Guard, actions: ScreenActions): unknown {
  const size = useTerminalDimensions()
  const [tab, setTab] = createSignal<Tab>("plans")
  const [view, setView] = createSignal<ScreenView | undefined>(undefined)
  const [chosen, setChosen] = createSignal(0)
  const following = live.follow(
    () => null,
    async (hive) => {
      const read = await readScreen(hive, tab())
      // Another tab was asked for meanwhile: that one is read next.
      if (read.tab === tab()) setView(read)
    },
  )
  onCleanup(following.stop)

  const rows = (): Row[] => {
    const read = view()
    return read === undefined ? [] : screenRows(read, Date.now(), size().width - MARGIN)
  }
  const turnTo = (next: Tab) => {
    setTab(next)
    setChosen(0)
    setView(undefined)
    following.again()
  }
  const move = (by: number) => setChosen(Math.max(0, Math.min(rows().length - 1, chosen() + by)))
  const beside = (by: number) =>
    turnTo(tabs[(tabs.indexOf(tab()) + by + tabs.length) % tabs.length] ?? "plans")
  const keys: PanelKey[] = [
    { name: "close", key: "escape,q", title: "Close the panel", run: host.closeScreen },
    { name: "right", key: "right,tab,l", title: "Next list", run: () => beside(1) },
    { name: "left", key: "left,shift+tab,h", title: "List before", run: () => beside(-1) },
    { name: "down", key: "down,j", title: "Down", run: () => move(1) },
    { name: "up", key: "up,k", title: "Up", run: () => move(-1) },
    { name: "pagedown", key: "pagedown", title: "Page down", run: () => move(10) },
    { name: "pageup", key: "pageup", title: "Page up", run: () => move(-10) },
    {
      name: "flag",
      key: "f",
      title: "Flag the mem as wrong",
      run: () => {
        const { mem } = rows()[chosen()] ?? {}
        if (mem !== undefined) actions.flag(mem)
      },
    },
    ...tabs.map((name, index) => ({
      ...{ name, key: String(index + 1), title: `Show ${name}` },
      run: () => turnTo(name),
    })),
  ]
  host.bindKeys(keys.map((key) => ({ ...key, run: guard(`key ${key.key}`, key.run, undefined) })))

  const body = guard("screen", () => visibleLines(rows(), chosen(), Math.max(1, size().height - FRAME)), [])
  const all = box(
    { flexDirection: "column", paddingLeft: 2, paddingRight: 2, paddingTop: 1 },
    drawLines(() => [headLine(tab()), line("")], host.colour, "none"),
    drawLines(() => (view() === undefined ? [line("…", "muted")] : body()), host.colour, "none"),
    box({ flexGrow: 1 }),
    drawLines(() => [line(footText(tab()), "muted")], host.colour, "none"),
  )
  effect(() => {
    setProp(all, "width", size().width)
    setProp(all, "height", size().height)
    setProp(all, "backgroundColor", host.colour("background"))
  })
  return all
}

function headLine(tab: Tab): Line {
  const names = tabs.map((name, index) =>
    name === tab ? `[${index + 1} ${name}]` : ` ${index + 1} ${name} `,
  )
  return line(`HiveMind   ${names.join(" ")}`, "title")
}

function footText(tab: Tab): string {
  return `←/→ list · ↑/↓ choose${tab === "memory" ? " · f flag as wrong" : ""} · esc back`
}

// Beside a row: the padding and the mark of the one that is chosen.
const MARGIN = 6
// Above and below the rows: padding, head, empty line, foot.
const FRAME = 5
