import { compare } from "../../graph/by-age.ts"
import { ALL } from "../../graph/indexes.ts"
import { isReplaced } from "../../graph/mem-status.ts"
import { type Place, placeOf } from "../../graph/place.ts"
import { headOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import { scoreAnchors } from "../../knowledge/anchor/staleness.ts"
import type { Session, TurningPoint } from "../../schemas/session.ts"
import type { Checkpoint } from "../../schemas/task.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { element } from "../../shared/text/element.ts"
import { chainItems } from "../pack/chain-items.ts"
import { fitItems, type Wordable, wordings } from "../pack/item.ts"

export interface WorkInput {
  state: GraphState
  session: string
  /** Turning points that the prompt does not have elsewhere. */
  points: Session["turning_points"]
  now: number
  budget: number
}

/** The state of the work now, for the model that summarises the conversation; "" if nothing is known. */
export function currentWork({ state, session, points, now, budget }: WorkInput): string {
  const head = headOf(state, session)
  const place = placeOf(state, head)
  const chain = chainItems(state, head, place, false, () => undefined)
  const next = chain.filter(({ section }) => section === "next").slice(0, MAX_NEXT)
  const items: Wordable[] = [
    ...chain.filter(({ section }) => section !== "next" && (section !== "head" || head !== undefined)),
    ...checkpointItems(state, place),
    ...next,
    ...criticalAnchors(state, place, now),
    ...openDecisions(state),
    ...points.filter(({ about }) => about === null || !isReplaced(state, about)).map(turnItem),
  ]
  if (items.length === 0) return ""
  const { fitted } = fitItems(items, budget)
  return ["<work>", ...fitted.map(({ text }) => text), "</work>"].join("\n")
}

function checkpointItems(state: GraphState, { tasks }: Place): Wordable[] {
  // Of checkpoints with the same time, the ids decide.
  const recent = tasks
    .flatMap(({ id }) => newest(state, id))
    .sort((a, b) => compare(b.created_at, a.created_at) || compare(b.id, a.id))
    .slice(0, MAX_CHECKPOINTS)
  return recent.map((checkpoint, index) => wordable(850 - index, (max) => checkpointElement(checkpoint, max)))
}

function newest(state: GraphState, taskId: string): Checkpoint[] {
  const found: Checkpoint[] = []
  for (const checkpoint of state.checkpoint.by("task_id", taskId).backwards()) {
    const isOlder = checkpoint.created_at !== found.at(-1)?.created_at
    if (found.length >= MAX_CHECKPOINTS && isOlder) break
    found.push(checkpoint)
  }
  return found
}

function checkpointElement({ task_id, ok, summary }: Checkpoint, max: number): string {
  return element("did", { task: shortId(task_id), ok: ok ? undefined : "no" }, shorten(summary, max))
}

function criticalAnchors(state: GraphState, place: Place, now: number): Wordable[] {
  const critical = scoreAnchors(state, place, now).filter(
    ({ anchor }) => anchor.priority === "critical" && anchor.status === "active",
  )
  return critical
    .slice(0, MAX_ANCHORS)
    .map(({ anchor }, index) =>
      wordable(800 - index, (max) => element("anchor", { key: anchor.key }, shorten(anchor.value, max))),
    )
}

function openDecisions(state: GraphState): Wordable[] {
  const open = [...state.mem.by("undecided", ALL)].sort((a, b) => compare(a.id, b.id))
  return open
    .slice(0, MAX_DECISIONS)
    .map((mem, index) =>
      wordable(780 - index, (max) =>
        element("open_decision", { id: shortId(mem.id) }, shorten(mem.content, max)),
      ),
    )
}

function turnItem({ kind, text }: TurningPoint, index: number): Wordable {
  return wordable(600 + index, (max) => element("turn", { kind }, shorten(text, max)))
}

function wordable(worth: number, render: (max: number) => string): Wordable {
  return { worth, ...wordings(WIDTHS, render) }
}

const WIDTHS = [200, 100, 50]
const MAX_NEXT = 2
const MAX_CHECKPOINTS = 5
const MAX_ANCHORS = 12
const MAX_DECISIONS = 6
