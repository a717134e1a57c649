import { currentStatus, recordFinder } from "../../../../src/context/turning-points/status.ts"
import { isReplaced } from "../../../../src/graph/mem-status.ts"
import { lookupIn } from "../../../../src/graph/obstacles.ts"
import { describeConflict, isOpenConflict, openConflicts } from "../../../../src/graph/open-conflicts.ts"
import type { TurningPoint } from "../../../../src/schemas/session.ts"
import { shortId } from "../../../../src/shared/ids.ts"
import { metricsOf } from "../../../../src/watch/session-metrics.ts"
import { activeSignals, warningOf } from "../../../../src/watch/signals.ts"
import { isAcknowledged } from "../../../../src/watch/warnings.ts"
import type { Told } from "./beliefs.ts"
import type { Truth } from "./compare.ts"
import { differs } from "./compare.ts"

/** A shown conflict is still open, and its record has that name. */
export function conflictCheck({ text }: Told, [id]: readonly string[], { state }: Truth): string[] {
  const conflict = [...state.conflict.values()].find((each) => shortId(each.id) === id)
  if (conflict === undefined || !isOpenConflict(conflict, state)) return ["settled"]
  const { record, stands, lost } = describeConflict(conflict, state)
  return differs("text", text, `${record}: ${stands} stands; another clone had: ${lost}`.replaceAll('"', "'"))
}

/** The oldest ones have to be known. */
export function conflictsToKnow({ state, isScoped }: Truth): string[] {
  const standing = isScoped ? [] : openConflicts(state).slice(0, 3)
  return standing.map(({ id }) => `conflict ${shortId(id)}`)
}

/** A turning point counts for as long as its record bears it out, and says what the record says. */
export function turnCheck({ text }: Told, [id, sort]: readonly string[], truth: Truth): string[] {
  const { state, archive } = truth
  const records = [state.mem, state.anchor, state.task, state.phase, state.plan, archive]
  const about = records.flatMap((each) => [...each.keys()]).find((each) => shortId(each) === id)
  if (about === undefined) return []
  const kind = sort as TurningPoint["kind"]
  const status = currentStatus({ kind, about }, recordFinder(lookupIn(state), archive))
  if (status === undefined || isReplaced(state, about)) return ["no longer so"]
  return differs("text", text, status.text)
}

/** A warning is there for as long as its pattern, and as severe. */
export function warningCheck({ text, attributes }: Told, [id]: readonly string[], truth: Truth): string[] {
  const { state, session, now, detection } = truth
  const metrics = metricsOf(state, session)
  const signal = activeSignals({ state, session, metrics, now, detection }).find(({ name }) => name === id)
  if (signal === undefined || isAcknowledged(metrics, signal.name, signal.severity)) return ["over"]
  return [
    ...differs("severity", attributes.severity, signal.severity),
    ...differs("text", text, warningOf(signal.name, signal.severity, detection).text),
  ]
}
