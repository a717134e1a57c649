import type { TurningPoint } from "../../schemas/session.ts"
import { derivedId } from "../../shared/ids.ts"
import { shorten } from "./escape.ts"
import { element, type Item, shortId } from "./item.ts"

/** What the work has turned on: told once, and only where the block does not show the decision or false path itself. */
export function turnItems(points: readonly TurningPoint[], knowledge: readonly Item[]): Item[] {
  if (points.length === 0) return []
  const shown = new Set(knowledge.map(({ key }) => key))
  return points
    .filter(({ about }) => !shown.has(`mem ${about}`) && !shown.has(`anchor ${about}`))
    .map(({ kind, text }, index) => ({
      key: `turn ${shortId(derivedId("turn", kind, text))}`,
      section: "turning_points",
      // Before any mem, after what must never be forgotten; the latest turn counts most.
      worth: 692 + index / 10,
      reason: `a turning point: ${kind}`,
      levels: WIDTHS.length,
      render: (level) => element("turn", { kind }, shorten(text, WIDTHS[level] ?? 0)),
    }))
}

const WIDTHS = [200, 100, 60]
