import { isReplaced } from "../../graph/mem-status.ts"
import { lookupIn } from "../../graph/obstacles.ts"
import type { GraphState } from "../../graph/state.ts"
import { type TurningPoint, turnKinds } from "../../schemas/session.ts"
import { derivedId, shortId } from "../../shared/ids.ts"
import { element, shorten } from "../../shared/text/clean.ts"
import { currentStatus, recordFinder } from "../turning-points/status.ts"
import { type Item, wordings } from "./item.ts"
import type { Sources } from "./pack.ts"

type Archived = Sources["archived"]
type Point = Omit<TurningPoint, "at">

/** The session's turning points that still hold and whose decision or false path the block does not show itself. */
export function turnItems(
  state: GraphState,
  points: readonly TurningPoint[],
  knowledge: readonly Item[],
  archived: Archived,
): Item[] {
  const shown = new Set(knowledge.map(({ id }) => id))
  return points
    .filter(({ about }) => about === null || !shown.has(about))
    .flatMap((point) => {
      const text = currentText(state, point, archived)
      return text === undefined ? [] : [{ ...point, text }]
    })
    .map(turnItem)
}

/** A turning point that the model knows, with its present text. */
export function singleTurnItem(state: GraphState, id: string, archived: Archived): Item | undefined {
  const point = pointOf(id)
  const text = point && currentText(state, point, archived)
  return point === undefined || !text ? undefined : turnItem({ ...point, text }, 0)
}

/** False if its record contradicts it by now. */
export function isTurnConfirmed(state: GraphState, id: string, archived: Archived): boolean {
  const point = pointOf(id)
  return point === undefined || currentText(state, point, archived) !== undefined
}

/** From its record, which may have another title by now; undefined if that no longer confirms it. */
function currentText(state: GraphState, point: Point, archived: Archived): string | undefined {
  if (point.about === null) return point.text
  if (isReplaced(state, point.about)) return undefined
  const find = recordFinder(lookupIn(state), { get: archived })
  return find(point.about) === undefined ? point.text : currentStatus(point, find)?.text
}

function turnItem({ kind, text, about }: Point, index: number): Item {
  const identity = about === null ? undefined : { kind, id: shortId(about) }
  return {
    kind: "turn",
    id: about === null ? shortId(derivedId("turn", kind, text)) : `${kind} ${about}`,
    role: "turn",
    identity: identity ?? {},
    section: "turning_points",
    // After critical anchors, before any mem; the latest first.
    worth: 692 + index / 10,
    reason: `a turning point: ${kind}`,
    ...wordings([200, 100, 60], (max) => element("turn", identity ?? { kind }, shorten(text, max))),
  }
}

/** From an item's id; undefined for a turning point without a record. */
function pointOf(id: string): Point | undefined {
  const [first, about] = id.split(" ")
  const kind = turnKinds.find((each) => each === first)
  return kind === undefined || about === undefined ? undefined : { kind, about, text: "" }
}
