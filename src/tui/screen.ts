import { effect, setProp, useTerminalDimensions } from "@opentui/solid"
import { createSignal, onCleanup } from "solid-js"
import { ACTION_KEYS, actionFor } from "./actions.ts"
import { box, drawLines } from "./draw.ts"
import type { LiveHive } from "./live-hive.ts"
import type { Guard, PanelHost, PanelKey } from "./port.ts"
import { readScreen, type ScreenView, type Tab, tabs } from "./read/screen.ts"
import { type Line, line, type Row, type Subject, visibleLines, wholeRow } from "./text/lines.ts"
import { screenRows } from "./text/screen-rows.ts"

/** The panel's screen: one list at a time, or one row of it in full, by keyboard. */
export function screen(
  live: LiveHive,
  host: PanelHost,
  guard: Guard,
  actOn: (subject: Subject) => void,
): unknown {
  const size = useTerminalDimensions()
  const [tab, setTab] = createSignal<Tab>("plans")
  const [view, setView] = createSignal<ScreenView | undefined>(undefined)
  const [chosen, setChosen] = createSignal(0)
  /** The opened row, as it was when it was opened; the list is refreshed below it. `top` is the first visible line. */
  const [open, setOpen] = createSignal<{ row: Row; top: number } | undefined>(undefined)
  const following = live.follow(
    () => null,
    async (hive) => {
      const read = await readScreen(hive, tab())
      // The reader may have turned to another tab meanwhile; that one is read next.
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
    setOpen(undefined)
    setView(undefined)
    following.again()
  }
  const height = () => Math.max(1, size().height - FRAME)
  const row = (): Row | undefined => open()?.row ?? rows()[Math.min(chosen(), rows().length - 1)]
  const wholeOf = (read: Row) => wholeRow(read, Math.max(MIN_WIDTH, size().width - MARGIN))
  const move = (by: number) => {
    const read = open()
    if (read === undefined) return setChosen(Math.max(0, Math.min(rows().length - 1, chosen() + by)))
    const last = wholeOf(read.row).length - height()
    setOpen({ ...read, top: Math.max(0, Math.min(last, read.top + by)) })
  }
  const openRow = () => {
    const shown = row()
    if (open() === undefined && shown?.whole !== undefined) setOpen({ row: shown, top: 0 })
  }
  const back = () => (open() === undefined ? host.closeScreen() : setOpen(undefined))
  const beside = (by: number) =>
    turnTo(tabs[(tabs.indexOf(tab()) + by + tabs.length) % tabs.length] ?? "plans")
  const keys: PanelKey[] = [
    { name: "close", key: "escape,q", title: "Back", run: back },
    { name: "open", key: "return", title: "Open", run: openRow },
    { name: "right", key: "right,tab,l", title: "Next list", run: () => beside(1) },
    { name: "left", key: "left,shift+tab,h", title: "List before", run: () => beside(-1) },
    { name: "down", key: "down,j", title: "Down", run: () => move(1) },
    { name: "up", key: "up,k", title: "Up", run: () => move(-1) },
    { name: "pagedown", key: "pagedown", title: "Page down", run: () => move(10) },
    { name: "pageup", key: "pageup", title: "Page up", run: () => move(-10) },
    ...ACTION_KEYS.map((key) => ({
      ...{ name: `change-${key}`, key, title: "Change the selected row" },
      run: () => {
        const subject = row()?.of
        if (subject !== undefined && actionFor(subject)?.key === key) actOn(subject)
      },
    })),
    ...tabs.map((name, index) => ({
      ...{ name: `list-${index + 1}`, key: String(index + 1), title: `Show ${name}` },
      run: () => turnTo(name),
    })),
  ]
  host.bindKeys(keys.map((key) => ({ ...key, run: guard(`key ${key.key}`, key.run, undefined) })))

  const shown = () => {
    const read = open()
    if (read === undefined) return visibleLines(rows(), chosen(), height())
    return wholeOf(read.row).slice(read.top, read.top + height())
  }
  const body = guard("screen", shown, [])
  const all = box(
    { flexDirection: "column", paddingLeft: 2, paddingRight: 2, paddingTop: 1 },
    drawLines(() => [headLine(tab()), line("")], host.colour, "none"),
    drawLines(() => (view() === undefined ? [line("…", "muted")] : body()), host.colour, "none"),
    box({ flexGrow: 1 }),
    drawLines(() => [line(footText(row(), open() !== undefined), "muted")], host.colour, "none"),
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

function footText(row: Row | undefined, isOpen: boolean): string {
  const action = actionFor(row?.of)
  const change = action === undefined ? [] : [`${action.key} ${action.title}`]
  if (isOpen) return ["↑/↓ read on", ...change, "esc back"].join(" · ")
  const open = row?.whole === undefined ? [] : ["enter open"]
  return ["←/→ list", "↑/↓ choose", ...open, ...change, "esc back"].join(" · ")
}

// Columns beside each row: padding plus the selection mark.
const MARGIN = 6
// Above and below the rows: padding, head, empty line, foot.
const FRAME = 5
const MIN_WIDTH = 20
