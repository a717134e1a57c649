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
import type { Anchor, Mem } from "../../schemas/knowledge.ts"
import type { Phase, Plan } from "../../schemas/plan.ts"
import type { Session, TurningPoint } from "../../schemas/session.ts"
import type { Task } from "../../schemas/task.ts"
import { shorten } from "../../shared/text/clean.ts"
import { isReportTask } from "../../work/delegation/report-task.ts"

type Known =
  | { is: "mem"; record: Mem }
  | { is: "anchor"; record: Anchor }
  | { is: "task"; record: Task }
  | { is: "phase"; record: Phase }
  | { is: "plan"; record: Plan }
  | { is: "session"; record: Session }

/** The record with this id that a turning point can be about. */
export type FindRecord = (id: string) => Known | undefined

export interface Standing {
  text: string
  /** The more telling, the higher. */
  worth: number
}

/** How a turning point stands today, by the record it is about; undefined where that no longer bears it out. */
export function standingOf(
  point: Pick<TurningPoint, "kind" | "about"> & { text?: string },
  find: FindRecord,
): Standing | undefined {
  // Without a record there is nothing that could take it back.
  if (point.about === null) return { text: point.text ?? "", worth: UNTIED_WORTH }
  const known = find(point.about)
  if (known === undefined) return undefined
  const told = tellings[point.kind](known, find)
  return told === undefined ? undefined : { text: shorten(told.text, MAX_TEXT), worth: told.worth }
}

/** Looks in the graph or a transaction, then among the mems that left the hot set. */
export function finder(get: Lookup, archived: Pick<ReadonlyMap<string, Mem>, "get">): FindRecord {
  return (id) => {
    const mem = get("mem", id)
    if (mem !== undefined) return { is: "mem", record: mem }
    const anchor = get("anchor", id)
    if (anchor !== undefined) return { is: "anchor", record: anchor }
    const task = get("task", id)
    if (task !== undefined) return { is: "task", record: task }
    const phase = get("phase", id)
    if (phase !== undefined) return { is: "phase", record: phase }
    const plan = get("plan", id)
    if (plan !== undefined) return { is: "plan", record: plan }
    const session = get("session", id)
    if (session !== undefined) return { is: "session", record: session }
    const old = archived.get(id)
    return old === undefined ? undefined : { is: "mem", record: old }
  }
}

type Telling = (known: Known, find: FindRecord) => Standing | undefined

const tellings: Record<TurningPoint["kind"], Telling> = {
  decision({ is, record }) {
    if (is === "mem") {
      return isTakenDecision(record) ? { text: record.content, worth: 90 } : undefined
    }
    const isKept = is === "anchor" && record.type === "decision" && record.status === "active"
    return isKept ? { text: `${record.key}: ${record.value}`, worth: 95 } : undefined
  },

  direction({ is, record }) {
    if (is === "session")
      return record.intent === null ? undefined : { text: `new goal: ${record.intent}`, worth: 85 }
    // What is over is told as finished or given up.
    if (is === "plan")
      return isOpenPlan(record) ? { text: `to the plan: ${record.title}`, worth: 80 } : undefined
    if (is === "task")
      return isOpenTask(record) ? { text: `as the user asked, to: ${record.title}`, worth: 70 } : undefined
    const isUnderWay = is === "phase" && !record.inbox && !isDonePhase(record)
    return isUnderWay ? { text: `to the phase: ${record.title}`, worth: 45 } : undefined
  },

  abandoned({ is, record }, find) {
    if (is === "mem") {
      const isWarning = record.kind === "false_path" && isMemInForce(record)
      return isWarning ? { text: because(record.content, record.reason), worth: 75 } : undefined
    }
    if (is === "plan") {
      const text = because(`the plan ${record.title}`, record.reason)
      return isGivenUpPlan(record) ? { text, worth: 85 } : undefined
    }
    if (is !== "task" || !isGivenUpTask(record)) return undefined
    // That nobody came back with a report is no turn of the work.
    if (isReportTask(record)) return undefined
    const plan = find(record.parent_plan_id)
    // The plan's own line says it for all its tasks.
    if (plan?.is === "plan" && isGivenUpPlan(plan.record)) return undefined
    return { text: because(record.title, record.reason), worth: 60 }
  },

  milestone({ is, record }) {
    if (is === "plan") {
      return isDonePlan(record) ? { text: `plan done: ${record.title}`, worth: 80 } : undefined
    }
    if ((is !== "phase" && is !== "task") || record.status !== "completed") return undefined
    return is === "phase"
      ? { text: `phase done: ${record.title}`, worth: 60 }
      : { text: `done: ${record.title}`, worth: 30 }
  },
}

function because(what: string, reason: string | null): string {
  return reason === null ? what : `${shorten(what, MAX_TEXT / 2)}: ${reason}`
}

const UNTIED_WORTH = 50
const MAX_TEXT = 200
