import { headIdOf, sessionIdOf } from "../../graph/read-head.ts"
import type { Entry, Op } from "../../schemas/journal.ts"
import type { TurningPoint } from "../../schemas/session.ts"
import { currentStatus, type FindRecord } from "./status.ts"

/** A turning point as the journal shows it; its text comes from the record it is about. */
type Turn = Omit<TurningPoint, "text"> & { text?: string }

/**
 * Finds by rule what changed the direction of a session's work: decisions, new directions, abandoned work, milestones.
 * Oldest first.
 */
export function findTurns(entries: readonly Entry[], session: string): Turn[] {
  return entries.flatMap(({ at, ops }) =>
    [...ops.flatMap(turnOf), ...headTurns(ops, session)].map((turn) => ({ at, ...turn })),
  )
}

/** The `max` most significant, each record once, oldest first. A turn that its record no longer confirms drops out. */
export function selectTurningPoints(turns: readonly Turn[], find: FindRecord, max: number): TurningPoint[] {
  const oldestFirst = [...turns].sort((a, b) => a.at.localeCompare(b.at))
  const seen = new Set<string>()
  const countBySort = new Map<string, number>()
  const ranked = [...oldestFirst.entries()].reverse().flatMap(([order, turn]) => {
    const { at, kind, about } = turn
    const status = currentStatus(turn, find)
    if (status === undefined) return []
    const { text } = status
    const names = [`${kind} ${about ?? text}`, text.toLowerCase()]
    if (names.some((name) => seen.has(name))) return []
    for (const name of names) seen.add(name)
    // Each newer one of the same sort lowers the worth: ten decisions must not push out everything else.
    const sort = `${kind} ${status.worth}`
    const newer = countBySort.get(sort) ?? 0
    countBySort.set(sort, newer + 1)
    const worth = status.worth - newer * WORTH_PER_NEWER
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
    const { id, kind, resolved, type }: Record<string, unknown> = op.record
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
  // Whether it is a decision at all, its record says later.
  if (op.kind === "anchor") return typeof to["value"] === "string" ? [turn("decision", id)] : []
  if (op.kind !== "task" && op.kind !== "phase" && op.kind !== "plan") return []
  const status = String(to["status"])
  if (GIVEN_UP.has(status)) return [turn("abandoned", id)]
  return FINISHED.has(status) && op.was["status"] !== "abandoned" ? [turn("milestone", id)] : []
}

/** Moves of the session's own read-head; one entry may move it more than once. */
function headTurns(ops: readonly Op[], session: string): Omit<Turn, "at">[] {
  const moves = ops.flatMap((op) =>
    op.op === "set" && op.kind === "trajectory" && op.id === headIdOf(session) ? [op] : [],
  )
  const to: Record<string, unknown> = Object.assign({}, ...moves.map((move) => move.to))
  const was: Record<string, unknown> = Object.assign({}, ...moves.map((move) => move.was).reverse())
  // A first intent, plan or phase is a start, not a turn.
  const hasChanged = (field: string) => typeof to[field] === "string" && typeof was[field] === "string"
  const turns = hasChanged("intent") ? [turn("direction", sessionIdOf(session))] : []
  if (hasChanged("active_plan_id")) return [...turns, turn("direction", to["active_plan_id"])]
  const tasks = to["active_task_ids"]
  if (typeof to["intent_shift_at"] === "string" && Array.isArray(tasks) && tasks.length > 0)
    return [...turns, turn("direction", tasks[0])]
  return hasChanged("active_phase_id") ? [...turns, turn("direction", to["active_phase_id"])] : turns
}

function turn(kind: Turn["kind"], about: unknown): Omit<Turn, "at"> {
  return { kind, about: String(about) }
}

const GIVEN_UP = new Set(["failed", "invalidated", "abandoned"])
const FINISHED = new Set(["completed", "archived"])
const WORTH_PER_NEWER = 5
