import { lookupIn } from "../../graph/obstacles.ts"
import type { GraphState } from "../../graph/state.ts"
import type { TurningPoint } from "../../schemas/session.ts"
import { derivedId, shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { element } from "../../shared/text/element.ts"
import { finder, standingOf } from "../turning-points/standing.ts"
import type { Item } from "./item.ts"

/**
 * What the work has turned on: told once, and only where the block does not show the decision or false path itself, nor
 * its record says otherwise by now. One whose mem has left for the archive is taken as it was found.
 */
export function turnItems(
  state: GraphState,
  points: readonly TurningPoint[],
  knowledge: readonly Item[],
): Item[] {
  if (points.length === 0) return []
  const shown = new Set(knowledge.map(({ key }) => key))
  const find = finder(lookupIn(state), new Map())
  const isOver = (point: TurningPoint) =>
    point.about !== null && find(point.about) !== undefined && standingOf(point, find) === undefined
  return points
    .filter((point) => !shown.has(`mem ${point.about}`) && !shown.has(`anchor ${point.about}`))
    .filter((point) => !isOver(point))
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
