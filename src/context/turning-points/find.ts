import { headIdOf, sessionIdOf } from "../../graph/read-head.ts"
import type { Entry, Op } from "../../schemas/journal.ts"
import type { TurningPoint } from "../../schemas/session.ts"
import { type FindRecord, standingOf } from "./standing.ts"

/** A turn as it stands in the log; its words come from the record it is about. */
type Turn = Omit<TurningPoint, "text"> & { text?: string }

/**
 * What changed the direction of a session's work, read from its entries: decisions, new directions, what was given up,
 * what was finished. Oldest first.
 */
export function findTurns(entries: readonly Entry[], session: string): Turn[] {
  return entries.flatMap(({ at, ops }) =>
    [...ops.flatMap(turnOf), ...headTurns(ops, session)].map((turn) => ({ at, ...turn })),
  )
}

/** Those worth keeping, each record once, oldest first. What its record no longer bears out is over and drops out. */
export function mostTelling(turns: readonly Turn[], find: FindRecord, max: number): TurningPoint[] {
  const oldestFirst = [...turns].sort((a, b) => a.at.localeCompare(b.at))
  const seen = new Set<string>()
  const ofSort = new Map<string, number>()
  const ranked = [...oldestFirst.entries()].reverse().flatMap(([order, turn]) => {
    const { at, kind, about } = turn
    const standing = standingOf(turn, find)
    if (standing === undefined) return []
    const { text } = standing
    const names = [`${kind} ${about ?? text}`, text.toLowerCase()]
    if (names.some((name) => seen.has(name))) return []
    for (const name of names) seen.add(name)
    // Newer ones of the same sort take a little away: ten decisions must not push out all the rest.
    const sort = `${kind} ${standing.worth}`
    const newer = ofSort.get(sort) ?? 0
    ofSort.set(sort, newer + 1)
    const worth = standing.worth - newer * WORTH_PER_NEWER
    return [{ order, worth, point: { at, kind, text, about } }]
  })
  return ranked
    .sort((a, b) => b.worth - a.worth)
    .slice(0, max)
    .sort((a, b) => a.order - b.order)
    .map(({ point }) => point)
}

function turnOf(op: Op): Omit<Turn, "at">[] {
  if (op.op === "add") {
    const { id, kind, resolved, type } = op.record as Record<string, unknown>
    if (op.kind === "mem" && kind === "decision" && resolved !== false) return [turn("decision", id)]
    if (op.kind === "mem" && kind === "false_path") return [turn("abandoned", id)]
    return op.kind === "anchor" && type === "decision" ? [turn("decision", id)] : []
  }
  if (op.op !== "set") return []
  const { id, to } = op
  if (op.kind === "mem") {
    if (to["kind"] === "false_path") return [turn("abandoned", id)]
    return to["resolved"] === true ? [turn("decision", id)] : []
  }
  // That it is a decision at all is for its record to say.
  if (op.kind === "anchor") return typeof to["value"] === "string" ? [turn("decision", id)] : []
  if (op.kind !== "task" && op.kind !== "phase" && op.kind !== "plan") return []
  const status = String(to["status"])
  if (GIVEN_UP.has(status)) return [turn("abandoned", id)]
  return FINISHED.has(status) && op.was["status"] !== "abandoned" ? [turn("milestone", id)] : []
}

/** Where the session's own read-head went, in one entry that may move it more than once. */
function headTurns(ops: readonly Op[], session: string): Omit<Turn, "at">[] {
  const moves = ops.flatMap((op) =>
    op.op === "set" && op.kind === "trajectory" && op.id === headIdOf(session) ? [op] : [],
  )
  const to = Object.assign({}, ...moves.map((move) => move.to)) as Record<string, unknown>
  const was = Object.assign({}, ...moves.map((move) => move.was).reverse()) as Record<string, unknown>
  // Coming from nowhere is a start, not a turn.
  const turned = (field: string) => typeof to[field] === "string" && typeof was[field] === "string"
  const turns = turned("intent") ? [turn("direction", sessionIdOf(session))] : []
  if (turned("active_plan_id")) return [...turns, turn("direction", to["active_plan_id"])]
  const tasks = to["active_task_ids"]
  if (typeof to["intent_shift_at"] === "string" && Array.isArray(tasks) && tasks.length > 0)
    return [...turns, turn("direction", tasks[0])]
  return turned("active_phase_id") ? [...turns, turn("direction", to["active_phase_id"])] : turns
}

function turn(kind: Turn["kind"], about: unknown): Omit<Turn, "at"> {
  return { kind, about: String(about) }
}

const GIVEN_UP = new Set(["failed", "invalidated", "abandoned"])
const FINISHED = new Set(["completed", "archived"])
const WORTH_PER_NEWER = 5
