import { isReplaced } from "../../graph/mem-standing.ts"
import { lookupIn } from "../../graph/obstacles.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { type TurningPoint, turnKinds } from "../../schemas/session.ts"
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
  archived: Archived = () => undefined,
): Item[] {
  const shown = new Set(knowledge.map(({ id }) => id))
  return points
    .filter(({ about }) => about === null || !shown.has(about))
    .flatMap((point) => {
      const text = presentText(state, point, archived)
      return text === undefined ? [] : [{ ...point, text }]
    })
    .map(turnItem)
}

type Archived = (id: string) => Mem | undefined
type Point = Omit<TurningPoint, "at">

/** One that the model knows, as it would be said now. Undefined where there is nothing to say it by. */
export function singleTurnItem(state: GraphState, id: string, archived: Archived): Item | undefined {
  const point = pointOf(id)
  const text = point && presentText(state, { ...point, text: "" }, archived)
  return point === undefined || !text ? undefined : turnItem({ ...point, text }, 0)
}

/** False where its record says otherwise by now. One that nobody can ask stays: it happened. */
export function isTurnBorneOut(state: GraphState, id: string, archived: Archived): boolean {
  const point = pointOf(id)
  return point === undefined || presentText(state, { ...point, text: "" }, archived) !== undefined
}

/** In the words of its record, which may have another name by now; undefined where that no longer bears it out. */
function presentText(state: GraphState, point: Point, archived: Archived): string | undefined {
  if (point.about === null) return point.text
  const find = recordFinder(lookupIn(state), { get: archived })
  if (isReplaced(state, point.about)) return undefined
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
    // Before any mem, after what must never be forgotten; the latest turn counts most.
    worth: 692 + index / 10,
    reason: `a turning point: ${kind}`,
    ...wordings(WIDTHS, (max) => element("turn", identity ?? { kind }, shorten(text, max))),
  }
}

/** From an item's id; undefined of one that is about no record, or comes from before records were named. */
function pointOf(id: string): { kind: TurningPoint["kind"]; about: string } | undefined {
  const [first, about] = id.split(" ")
  const kind = turnKinds.find((each) => each === first)
  return kind === undefined || about === undefined ? undefined : { kind, about }
}

const WIDTHS = [200, 100, 60]
