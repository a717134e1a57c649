import { isReplaced } from "../../graph/mem-standing.ts"
import { lookupIn } from "../../graph/obstacles.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import type { TurningPoint } from "../../schemas/session.ts"
import { derivedId, shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { element } from "../../shared/text/element.ts"
import { currentStatus, recordFinder } from "../turning-points/status.ts"
import { wordings } from "./fit.ts"
import type { Item } from "./item.ts"

/**
 * What the work has turned on. A turning point is left out where the block shows the decision or false path itself, and
 * where its record says otherwise by now.
 */
export function turnItems(
  state: GraphState,
  points: readonly TurningPoint[],
  knowledge: readonly Item[],
  archived: (id: string) => Mem | undefined = () => undefined,
): Item[] {
  if (points.length === 0) return []
  const shown = new Set(knowledge.map(({ id }) => id))
  const find = recordFinder(lookupIn(state), { get: archived })
  const isOver = (point: TurningPoint) =>
    point.about !== null &&
    ((find(point.about) !== undefined && currentStatus(point, find) === undefined) ||
      isReplaced(state, point.about))
  return points
    .filter(({ about }) => about === null || !shown.has(about))
    .filter((point) => !isOver(point))
    .map(
      ({ kind, text }, index): Item => ({
        kind: "turn",
        id: shortId(derivedId("turn", kind, text)),
        role: "turn",
        identity: {},
        section: "turning_points",
        // Before any mem, after what must never be forgotten; the latest turn counts most.
        worth: 692 + index / 10,
        reason: `a turning point: ${kind}`,
        ...wordings(WIDTHS, (max) => element("turn", { kind }, shorten(text, max))),
      }),
    )
}

const WIDTHS = [200, 100, 60]
