import {
  isDonePhase,
  isDonePlan,
  isGivenUpPlan,
  isGivenUpTask,
  isMemInForce,
  isOpenPlan,
  isOpenTask,
  isTakenDecision,
} from "../../graph/lifecycle.ts"
import type { Lookup } from "../../graph/obstacles.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import type { RecordOf } from "../../schemas/records.ts"
import type { TurningPoint } from "../../schemas/session.ts"
import { shorten } from "../../shared/text/clean.ts"

const KINDS = ["mem", "anchor", "task", "phase", "plan", "session"] as const
type Known = { [K in (typeof KINDS)[number]]: { kind: K; record: RecordOf<K> } }[(typeof KINDS)[number]]

export type FindRecord = (id: string) => Known | undefined

export interface PointStatus {
  text: string
  worth: number
}

/** Text and worth of a turning point, from its record; undefined if the record no longer confirms it. */
export function currentStatus(
  point: Pick<TurningPoint, "kind" | "about"> & { text?: string },
  find: FindRecord,
): PointStatus | undefined {
  if (point.about === null) return { text: point.text ?? "", worth: UNTIED_WORTH }
  const known = find(point.about)
  if (known === undefined) return undefined
  const status = describers[point.kind](known, find)
  return status && { ...status, text: shorten(status.text, MAX_TEXT) }
}

export function recordFinder(get: Lookup, archived: Pick<ReadonlyMap<string, Mem>, "get">): FindRecord {
  return (id) => {
    for (const kind of KINDS) {
      const record = get(kind, id)
      // The cast is safe: the type of a record follows from its kind.
      if (record !== undefined) return { kind, record } as Known
    }
    const mem = archived.get(id)
    return mem === undefined ? undefined : { kind: "mem", record: mem }
  }
}

type Describe = (known: Known, find: FindRecord) => PointStatus | undefined

const describers: Record<TurningPoint["kind"], Describe> = {
  decision({ kind, record }) {
    if (kind === "mem") {
      return isTakenDecision(record) ? { text: record.content, worth: 90 } : undefined
    }
    const isKept = kind === "anchor" && record.type === "decision" && record.status === "active"
    return isKept ? { text: `${record.key}: ${record.value}`, worth: 95 } : undefined
  },

  direction({ kind, record }) {
    if (kind === "session")
      return record.intent === null ? undefined : { text: `new goal: ${record.intent}`, worth: 85 }
    // A finished or abandoned plan, task or phase has another turning point: a milestone, or that it was abandoned.
    if (kind === "plan")
      return isOpenPlan(record) ? { text: `to the plan: ${record.title}`, worth: 80 } : undefined
    if (kind === "task")
      return isOpenTask(record) ? { text: `as the user asked, to: ${record.title}`, worth: 70 } : undefined
    const isUnderWay = kind === "phase" && !record.inbox && !isDonePhase(record)
    return isUnderWay ? { text: `to the phase: ${record.title}`, worth: 45 } : undefined
  },

  abandoned({ kind, record }, find) {
    if (kind === "mem") {
      const isWarning = record.kind === "false_path" && isMemInForce(record)
      return isWarning ? { text: withReason(record.content, record.reason), worth: 75 } : undefined
    }
    if (kind === "plan") {
      const text = withReason(`the plan ${record.title}`, record.reason)
      return isGivenUpPlan(record) ? { text, worth: 85 } : undefined
    }
    if (kind !== "task" || !isGivenUpTask(record)) return undefined
    // A researcher without a report has no effect on the work, so this is no turning point.
    if (record.purpose === "report") return undefined
    const plan = find(record.parent_plan_id)
    // The turning point of an abandoned plan covers all its tasks.
    if (plan?.kind === "plan" && isGivenUpPlan(plan.record)) return undefined
    return { text: withReason(record.title, record.reason), worth: 60 }
  },

  milestone({ kind, record }) {
    if (kind === "plan") {
      return isDonePlan(record) ? { text: `plan done: ${record.title}`, worth: 80 } : undefined
    }
    if ((kind !== "phase" && kind !== "task") || record.status !== "completed") return undefined
    return kind === "phase"
      ? { text: `phase done: ${record.title}`, worth: 60 }
      : { text: `done: ${record.title}`, worth: 30 }
  },
}

function withReason(what: string, reason: string | null): string {
  return reason === null ? what : `${shorten(what, MAX_TEXT / 2)}: ${reason}`
}

const UNTIED_WORTH = 50
const MAX_TEXT = 200
