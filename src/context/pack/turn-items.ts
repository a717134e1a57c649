import { isReplaced } from "../../graph/mem-status.ts"
import { lookupIn } from "../../graph/obstacles.ts"
import type { GraphState } from "../../graph/state.ts"
import { type TurningPoint, turnKinds } from "../../schemas/session.ts"
import { derivedId, shortId } from "../../shared/ids.ts"
import { currentStatus, recordFinder } from "../turning-points/status.ts"
import { type Item, itemOf } from "./item.ts"
import type { Sources } from "./pack.ts"

type Archived = Sources["archived"]
type Point = Omit<TurningPoint, "at">

/** The session's turning points that still hold, without those whose decision or false path the block already shows. */
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

export function singleTurnItem(state: GraphState, id: string, archived: Archived): Item | undefined {
  const point = pointOf(id)
  const text = point && currentText(state, point, archived)
  return point === undefined || !text ? undefined : turnItem({ ...point, text }, 0)
}

export function isTurnConfirmed(state: GraphState, id: string, archived: Archived): boolean {
  const point = pointOf(id)
  return point === undefined || currentText(state, point, archived) !== undefined
}

/** The text from the point's record, whose title may have changed; undefined if the record no longer confirms the point. */
function currentText(state: GraphState, point: Point, archived: Archived): string | undefined {
  if (point.about === null) return point.text
  if (isReplaced(state, point.about)) return undefined
  const find = recordFinder(lookupIn(state), { get: archived })
  return find(point.about) === undefined ? point.text : currentStatus(point, find)?.text
}

function turnItem({ kind, text, about }: Point, index: number): Item {
  const identity = about === null ? undefined : { kind, id: shortId(about) }
  return itemOf("turn", {
    id: about === null ? shortId(derivedId("turn", kind, text)) : `${kind} ${about}`,
    identity: identity ?? {},
    shown: identity ?? { kind },
    words: text,
    widths: [200, 100, 60],
    worth: 692 + index / 10,
    reason: `a turning point: ${kind}`,
  })
}

function pointOf(id: string): Point | undefined {
  const [first, about] = id.split(" ")
  const kind = turnKinds.find((each) => each === first)
  return kind === undefined || about === undefined ? undefined : { kind, about, text: "" }
}
