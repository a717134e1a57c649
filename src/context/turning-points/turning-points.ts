import { familyOf } from "../../graph/conversation.ts"
import { isDonePhase, isDoneTask, isGivenUpTask, isOverPlan } from "../../graph/lifecycle.ts"
import { isCompaction } from "../../graph/metrics.ts"
import { type Lookup, lookupIn } from "../../graph/obstacles.ts"
import { headIdOf, sessionIdOf, sessionOf } from "../../graph/read-head.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Entry } from "../../schemas/entry.ts"
import { isAddOf, isSetOf, type Op } from "../../schemas/op.ts"
import type { Trajectory, TurningPoint } from "../../schemas/session.ts"
import { isForReport } from "../../work/delegation/research.ts"
import { type SessionCaller, writeGraph } from "../../work/write.ts"
import { currentStatus, type FindRecord, recordFinder } from "./status.ts"

/** Finds a session's turning points since its last compaction and saves them in its record. Slow, because it reads the log. */
export async function recordTurningPoints(hive: Hive, caller: SessionCaller): Promise<void> {
  const { store } = hive
  const { state } = store.read()
  // A session that never changed the graph has no record.
  if (sessionOf(state, caller.session) === undefined) return
  const family = familyOf(state, caller.session)
  // A researcher that only wrote the report for a compaction did none of the work, so it made no turning points.
  for (const member of [...family])
    for (const each of state.delegation.by("child", member))
      if (isForReport(state, each)) family.delete(member)
  const since = sessionOf(state, caller.session)?.created_at ?? ""
  const log = await store.log({ since })
  const own = sinceCompaction(log, caller.session).filter(({ by }) => family.has(by.session ?? ""))
  const turns = own.flatMap(({ at, ops }) =>
    [...ops.flatMap(turnOf), ...headTurns(ops, caller.session)].map((each) => ({ at, ...each })),
  )
  await writeGraph(hive, caller, (tx, at) => {
    const id = sessionIdOf(caller.session)
    const { turning_points: before } = tx.need("session", id)
    const find = recordFinder((kind, each) => tx.get(kind, each), store.archive)
    const turning_points = selectTurningPoints([...before, ...turns], find, MAX_POINTS)
    if (JSON.stringify(turning_points) === JSON.stringify(before)) return
    tx.set("session", id, { turning_points, updated_at: at })
  })
}

/** Removes turning points that their records no longer confirm. Runs before the fold, which archives superseded mems. */
export async function dropOutdatedTurningPoints(hive: Hive, caller: SessionCaller): Promise<void> {
  const isConfirmed = (get: Lookup) => {
    const find = recordFinder(get, hive.store.archive)
    return (point: TurningPoint) => currentStatus(point, find) !== undefined
  }
  const { state } = hive.store.read()
  if (sessionOf(state, caller.session)?.turning_points.every(isConfirmed(lookupIn(state))) ?? true) return
  await writeGraph(hive, caller, (tx, at) => {
    const id = sessionIdOf(caller.session)
    const turning_points = tx
      .need("session", id)
      .turning_points.filter(isConfirmed((kind, each) => tx.get(kind, each)))
    tx.set("session", id, { turning_points, updated_at: at })
  })
}

function sinceCompaction(log: readonly Entry[], session: string): readonly Entry[] {
  const last = log.findLastIndex(({ ops }) => ops.some((op) => isCompaction(op, session)))
  return log.slice(last + 1)
}

type Turn = Omit<TurningPoint, "text"> & { text?: string }

/** The `max` most significant turning points, oldest first, one per record, without those that no longer hold. */
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
    // Each newer point of the same kind and worth lowers this one's worth: ten decisions must not crowd out the rest.
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
      // The op does not say whether the anchor is a decision: that is looked up when the turning point is shown.
      return op.to.value === undefined ? [] : [turn("decision", op.id)]
    case "task":
      if (isGivenUpTask(op.to)) return [turn("abandoned", op.id)]
      return isDoneTask(op.to) ? [turn("milestone", op.id)] : []
    case "phase":
      return isDonePhase(op.to) ? [turn("milestone", op.id)] : []
    case "plan":
      if (op.to.status === "abandoned") return [turn("abandoned", op.id)]
      // A done plan and an abandoned one can both be archived. Which it was is looked up when the turning point is shown.
      return isOverPlan(op.to) ? [turn("milestone", op.id)] : []
    default:
      return []
  }
}

function headTurns(ops: readonly Op[], session: string): Omit<Turn, "at">[] {
  const moves = ops.filter((op) => isSetOf(op, "trajectory")).filter(({ id }) => id === headIdOf(session))
  const to: Partial<Trajectory> = Object.assign({}, ...moves.map((move) => move.to))
  const was: Partial<Trajectory> = Object.assign({}, ...moves.map((move) => move.was).reverse())
  // A first intent, plan or phase is a start, not a turning point.
  const changed = (field: "intent" | "active_plan_id" | "active_phase_id") =>
    isText(was[field]) && isText(to[field]) ? [to[field]] : []
  const turns = changed("intent").map(() => turn("direction", sessionIdOf(session)))
  const [plan] = changed("active_plan_id")
  if (plan !== undefined) return [...turns, turn("direction", plan)]
  const [task] = to.active_task_ids ?? []
  if (isText(to.intent_shift_at) && task !== undefined) return [...turns, turn("direction", task)]
  return [...turns, ...changed("active_phase_id").map((phase) => turn("direction", phase))]
}

const isText = (value: string | null | undefined): value is string => typeof value === "string"

const turn = (kind: Turn["kind"], about: string): Omit<Turn, "at"> => ({ kind, about })

const MAX_POINTS = 12
const WORTH_PER_NEWER = 5
