import { createElement, type Drawn, effect, insert, setProp } from "@opentui/solid"
import { createComponent, Index } from "solid-js"
import type { PanelHost } from "./port.ts"
import type { Line } from "./text/line.ts"

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
