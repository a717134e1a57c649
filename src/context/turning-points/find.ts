import { isDonePhase, isDoneTask, isGivenUpTask, isOverPlan } from "../../graph/lifecycle.ts"
import { headIdOf, sessionIdOf } from "../../graph/read-head.ts"
import type { Entry } from "../../schemas/entry.ts"
import { isAddOf, isSetOf, type Op } from "../../schemas/op.ts"
import type { Trajectory, TurningPoint } from "../../schemas/session.ts"
import { currentStatus, type FindRecord } from "./status.ts"

/** A turning point as the log shows it; its text comes from the record it is about. */
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
  if (isAddOf(op, "mem")) {
    const { id, kind, resolved } = op.record
    if (kind === "decision" && resolved !== false) return [turn("decision", id)]
    return kind === "false_path" ? [turn("abandoned", id)] : []
  }
  if (isAddOf(op, "anchor")) return op.record.type === "decision" ? [turn("decision", op.record.id)] : []
  if (op.op !== "set") return []
  switch (op.kind) {
    case "mem":
      if (op.to.kind === "false_path") return [turn("abandoned", op.id)]
      return op.to.resolved === true ? [turn("decision", op.id)] : []
    case "anchor":
      // Whether it is a decision at all, its record says later.
      return op.to.value === undefined ? [] : [turn("decision", op.id)]
    case "task":
      if (isGivenUpTask(op.to)) return [turn("abandoned", op.id)]
      return isDoneTask(op.to) ? [turn("milestone", op.id)] : []
    case "phase":
      return isDonePhase(op.to) ? [turn("milestone", op.id)] : []
    case "plan":
      if (op.to.status === "abandoned") return [turn("abandoned", op.id)]
      // One that is put away may have been abandoned before: its record says so later.
      return isOverPlan(op.to) ? [turn("milestone", op.id)] : []
    default:
      return []
  }
}

/** Moves of the session's own read-head; one entry may move it more than once. */
function headTurns(ops: readonly Op[], session: string): Omit<Turn, "at">[] {
  const moves = ops.filter((op) => isSetOf(op, "trajectory")).filter(({ id }) => id === headIdOf(session))
  const to: Partial<Trajectory> = Object.assign({}, ...moves.map((move) => move.to))
  const was: Partial<Trajectory> = Object.assign({}, ...moves.map((move) => move.was).reverse())
  // A first intent, plan or phase is a start, not a turn.
  const changed = (field: "intent" | "active_plan_id" | "active_phase_id") =>
    isText(was[field]) && isText(to[field]) ? [to[field]] : []
  const turns = changed("intent").map(() => turn("direction", sessionIdOf(session)))
  const [plan] = changed("active_plan_id")
  if (plan !== undefined) return [...turns, turn("direction", plan)]
  const [task] = to.active_task_ids ?? []
  if (isText(to.intent_shift_at) && task !== undefined) return [...turns, turn("direction", task)]
  return [...turns, ...changed("active_phase_id").map((phase) => turn("direction", phase))]
}

function isText(value: string | null | undefined): value is string {
  return typeof value === "string"
}

function turn(kind: Turn["kind"], about: string): Omit<Turn, "at"> {
  return { kind, about }
}

const WORTH_PER_NEWER = 5
