import { addOp, type Op, setOp } from "../schemas/op.ts"
import { type AnyRecord, type Kind, kinds, sectionNames } from "../schemas/records.ts"
import type { Pausing } from "../shared/slices.ts"
import { inboxOf } from "./inbox.ts"
import { fieldOf, HOLDING, type Link, linksFrom } from "./links.ts"
import { type Problem, type ProblemCode, quarantined } from "./problem.ts"
import { applyOp, type GraphState, recordsOf } from "./state.ts"

interface GuardOptions {
  isArchived: (id: string) => boolean
  /** True if some files could not be read: a missing record may be in them, so its links are not repaired. */
  mayReturn: () => boolean
  onMissing: (id: string) => void
  onTakenOut: (kind: Kind, record: AnyRecord) => void
}

/** Checks every foreign key of a loaded graph. A broken link is repaired or reported, or its record quarantined. */
export function* guardChains(
  state: GraphState,
  { isArchived, mayReturn, onMissing, onTakenOut }: GuardOptions,
): Pausing<{ repairs: Op[]; problems: Problem[] }> {
  const repairs: Op[] = []
  const problems: Problem[] = []
  const repair = (op: Op) => {
    if (applyOp(state, op) === undefined) repairs.push(op)
  }

  for (const kind of kinds) {
    const ids = [...recordsOf(state, kind).keys()]
    for (const link of linksFrom(kind)) {
      let count = 0
      for (const each of ids) {
        if (++count % PAUSE_EVERY === 0) yield
        const record = recordsOf(state, kind).get(each)
        if (record === undefined) continue
        const gone = link.ids(record).filter((id) => id !== null && !isThere(state, link.to, id))
        if (gone.length === 0) continue
        const id = String(gone[0])
        for (const each of gone) if (each !== null) onMissing(each)
        if ((link.to === "mem" || link.to === "any") && isArchived(id)) continue
        const reason = `${link.field} points at ${link.to} ${id}, which does not exist`
        if (mayReturn() || HOLDING.has(`${kind}.${link.field}`)) {
          problems.push(warning("broken_link", kind, record, reason))
          continue
        }
        const ops = repairFor(state, link, record, new Set(gone))
        if (ops.length > 0) {
          for (const op of ops) repair(op)
          problems.push(warning("repaired_link", kind, record, `${reason}; repaired`))
        } else {
          recordsOf(state, kind).delete(record.id)
          onTakenOut(kind, record)
          const raw = JSON.stringify(record)
          problems.push(quarantined("broken_link", fileOf(kind), reason, { kind, id: record.id, raw }))
        }
      }
    }
  }
  return { repairs, problems }
}

function repairFor(state: GraphState, link: Link, record: AnyRecord, gone: Set<string | null>): Op[] {
  const task = link.from === "task" ? state.task.get(record.id) : undefined
  if (task !== undefined && link.field === "parent_phase_id") {
    const plan = state.plan.get(task.parent_plan_id)
    if (plan === undefined) return []
    const inbox = inboxOf(plan)
    const add = state.phase.has(inbox.id) ? [] : [addOp("phase", inbox)]
    const { parent_phase_id } = task
    return [...add, setOp("task", task.id, { parent_phase_id: inbox.id }, { parent_phase_id })]
  }
  if (!CAN_BE_EMPTY.has(`${link.from}.${link.field}`)) return []
  const was = fieldOf(record, link.field)
  const to = Array.isArray(was) ? was.filter((id) => !gone.has(id)) : null
  return [setOp(link.from, record.id, { [link.field]: to }, { [link.field]: was })]
}

function isThere(state: GraphState, kind: Kind | "any", id: string): boolean {
  if (kind !== "any") return state[kind].has(id)
  return kinds.some((each) => state[each].has(id))
}

function warning(code: ProblemCode, kind: Kind, { id }: AnyRecord, reason: string): Problem {
  return { code, level: "warning", file: fileOf(kind), kind, id, reason, raw: null }
}

// Optional links. If broken, they are set to null or taken out of their list. The log still has the old value.
const CAN_BE_EMPTY = new Set([
  "trajectory.session_id",
  "trajectory.active_plan_id",
  "trajectory.active_phase_id",
  "trajectory.active_task_ids",
  "task.parent_task_id",
  "mem.origin_task_id",
  "mem.supersedes",
  "mem.parent_mem_id",
  "mem.related_to",
  "anchor.related_to",
  "artifact.task_id",
  "artifact.plan_id",
  "artifact.superseded_by",
])
const PAUSE_EVERY = 500

/** The common beginning of the file names of a kind. Only the store knows the exact file of a record. */
function fileOf(kind: Kind): string {
  return `graph/parts/${sectionNames[kind]}`
}
