import { createElement, type Drawn, effect, insert, setProp } from "@opentui/solid"
import { createComponent, createSignal, Index, onCleanup } from "solid-js"
import type { LiveHive } from "./live-hive.ts"
import type { PanelHost } from "./port.ts"
import { readPanel } from "./read/panel.ts"
import type { Line } from "./text/lines.ts"
import { sidebarLines } from "./text/sidebar-lines.ts"

/** Our part of the host's sidebar, for the session that it shows. */
export function sidebar({ follow }: LiveHive, { colour }: PanelHost, session: () => string): unknown {
  const [lines, setLines] = createSignal<readonly Line[]>([])
  const following = follow(session, async (hive) => setLines(sidebarLines(await readPanel(hive, session()))))
  onCleanup(following.stop)
  return box({}, drawLines(lines, colour, "word"))
}

type Colour = PanelHost["colour"]

/** A box with these settings, whose children stand below each other. */
export function box(settings: Record<string, unknown>, ...children: unknown[]): Drawn {
  const made = createElement("box")
  for (const [name, value] of Object.entries(settings)) setProp(made, name, value)
  for (const child of children) insert(made, child)
  return made
}

/** One text for each line, which stays where only its words change. */
export function drawLines(lines: () => readonly Line[], colour: Colour, wrapMode: "word" | "none"): unknown {
  return createComponent(Index<Line>, {
    get each() {
      return lines()
    },
    children: (item: () => Line) => drawLine(item, colour, wrapMode),
  })
}

function drawLine(item: () => Line, colour: Colour, wrapMode: "word" | "none"): Drawn {
  const made = createElement("text")
  setProp(made, "wrapMode", wrapMode)
  setProp(made, "flexShrink", 0)
  effect(() => {
    const { tone } = item()
    setProp(made, "fg", colour(tone))
    setProp(made, "attributes", tone === "title" ? BOLD : 0)
  })
  insert(made, () => item().text)
  return made
}

const BOLD = 1
