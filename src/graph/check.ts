import { type Anchor, anchorKey } from "../schemas/knowledge.ts"
import { firstStatuses, lifecycles } from "../schemas/lifecycle.ts"
import type { Phase } from "../schemas/plan.ts"
import { type AnyRecord, type Kind, kinds, type RecordOf } from "../schemas/records.ts"
import type { Trajectory } from "../schemas/session.ts"
import type { Task } from "../schemas/task.ts"
import { HiveError } from "../shared/error.ts"
import { callText } from "../shared/tool-names.ts"
import { isAnchorKept } from "./lifecycle.ts"
import { findCycle, leadsIntoCycle, linksFrom } from "./links.ts"
import { isSame } from "./state.ts"
import type { Draft } from "./transaction.ts"

type IsArchived = (id: string) => boolean

/** Checks rules that involve other records: status changes, foreign keys, cycles. Throws at the first violation. */
export function checkTransaction(draft: Draft, isArchived: IsArchived): void {
  for (const kind of kinds)
    for (const record of changed(draft, kind)) {
      // An undo may also make status changes that are otherwise forbidden.
      if (!draft.isPutBack()) checkLifecycle(kind, draft.base[kind].get(record.id), record, isArchived)
      checkLinks(draft, kind, record, isArchived)
    }
  for (const phase of changed(draft, "phase")) checkPhase(draft, phase)
  for (const head of changed(draft, "trajectory")) checkHead(draft, head)
  for (const task of changed(draft, "task")) checkTask(draft, task)
  for (const anchor of changed(draft, "anchor"))
    checkAnchorKey(draft, anchor, draft.base.anchor.get(anchor.id))
  checkNothingPointsAtDropped(draft)
  checkCycles(draft, "task", "depends_on")
  checkCycles(draft, "task", "parent_task_id")
  checkCycles(draft, "plan", "depends_on")
  checkCycles(draft, "mem", "supersedes")
  checkCycles(draft, "mem", "parent_mem_id")
}

function* changed<K extends Kind>(draft: Draft, kind: K): Iterable<RecordOf<K>> {
  for (const record of draft.touched[kind].values()) if (record !== null) yield record
}

function checkLifecycle(
  kind: Kind,
  before: AnyRecord | undefined,
  after: AnyRecord,
  isArchived: IsArchived,
): void {
  const steps = lifecycles[kind]
  if (steps === undefined) return
  const to = statusOf(after)
  if (before === undefined) {
    const first = firstStatuses[kind] ?? []
    // A mem from the archive keeps its status.
    if (first.includes(to) || (kind === "mem" && isArchived(after.id))) return
    throw new HiveError({
      code: "lifecycle",
      what: `A ${kind} cannot be created as "${to}".`,
      why: `A new ${kind} starts as ${first.join(" or ")}.`,
      use_instead: `Create it as "${first[0]}", then change its status.`,
      evidence: `${kind} ${after.id}: status = ${to}`,
    })
  }
  const from = statusOf(before)
  if (from === to || steps[from]?.includes(to)) return
  const next = steps[from] ?? []
  // Some status changes have no call, so they are not suggested.
  const calls = next.flatMap((status) => CALLS[kind]?.[status] ?? [])
  throw new HiveError({
    code: "lifecycle",
    what: `The ${kind} cannot change from "${from}" to "${to}".`,
    why: next.length > 0 ? `"${from}" can only become ${next.join(" or ")}.` : `"${from}" is final.`,
    use_instead:
      calls.length > 0 ? `Possible now: ${calls.join(", ")}.` : `Create a new ${kind}, or leave this one.`,
    evidence: `${kind} ${after.id}: status = ${from}`,
  })
}

function checkLinks(draft: Draft, kind: Kind, record: AnyRecord, isArchived: IsArchived): void {
  const before = draft.base[kind].get(record.id)
  const isThere = (to: Kind | "any", id: string) =>
    (to === "any" ? kinds : [to]).some((each) => draft.get(each, id) !== undefined)
  for (const link of linksFrom(kind)) {
    const known = before === undefined ? [] : link.ids(before)
    for (const id of link.ids(record)) {
      // Links that were broken before do not prevent other changes of the record.
      if (id === null || isThere(link.to, id) || known.includes(id)) continue
      if ((link.to === "mem" || link.to === "any") && isArchived(id)) continue
      const target = link.to === "any" ? "record" : link.to
      throw new HiveError({
        code: "orphan",
        what: `The ${kind} was not written: "${link.field}" names a record that does not exist.`,
        why: `There is no ${target} ${id}.`,
        use_instead: `Use the id of an existing ${target}, or leave the field out if it is optional.`,
        evidence: `${kind}.${link.field} = ${id}`,
      })
    }
  }
}

function checkNothingPointsAtDropped(draft: Draft): void {
  const dropped = kinds.flatMap((kind) =>
    [...draft.touched[kind]].flatMap(([id, record]) => (record === null ? [[id, kind] as const] : [])),
  )
  if (dropped.length === 0) return
  for (const kind of kinds)
    for (const link of linksFrom(kind))
      for (const [id, target] of dropped) {
        if (link.to !== target && link.to !== "any") continue
        const [user] = draft.by(kind, link.field, id)
        if (user === undefined) continue
        throw new HiveError({
          code: "in_use",
          what: `The ${target} ${id} cannot be removed.`,
          why: `The ${kind} ${user.id} points at it.`,
          use_instead: `Change or undo the ${kind} first.`,
          evidence: `${kind}.${link.field} = ${id}`,
        })
      }
}

function checkTask(draft: Draft, { parent_plan_id: plan, parent_phase_id, parent_task_id }: Task): void {
  if (draft.need("phase", parent_phase_id).parent_plan_id !== plan)
    throw misplaced("task", "its phase belongs to another plan", `task.parent_plan_id = ${plan}`)
  const parent = draft.get("task", parent_task_id ?? "")
  if (parent !== undefined && parent.parent_plan_id !== plan)
    throw misplaced("task", "its parent task belongs to another plan", `task.parent_task_id = ${parent.id}`)
}

function checkPhase(draft: Draft, phase: Phase): void {
  const before = draft.base.phase.get(phase.id)
  if (before === undefined || before.parent_plan_id === phase.parent_plan_id) return
  for (const task of draft.by("task", "parent_phase_id", phase.id))
    if (task.parent_plan_id !== phase.parent_plan_id)
      throw misplaced("phase", "its tasks belong to another plan", `task ${task.id}`)
}

function checkHead(draft: Draft, head: Trajectory): void {
  const phase = draft.get("phase", head.active_phase_id ?? "")
  if (phase === undefined || phase.parent_plan_id === head.active_plan_id) return
  throw misplaced("read-head", "its phase belongs to another plan", `active_phase_id = ${phase.id}`)
}

function misplaced(what: string, why: string, evidence: string): HiveError {
  return new HiveError({
    code: "orphan",
    what: `The ${what} was not written: ${why}.`,
    why: "A phase, its tasks and their sub-tasks must belong to the same plan.",
    use_instead: "Use records of the same plan.",
    evidence,
  })
}

function checkAnchorKey(draft: Draft, anchor: Anchor, before: Anchor | undefined): void {
  if (!isAnchorKept(anchor)) return
  const key = anchorKey(anchor.key)
  // Imports can create anchors with the same key. Their other fields may still be changed.
  if (before !== undefined && isAnchorKept(before) && anchorKey(before.key) === key) return
  for (const other of draft.by("anchor", "key", key))
    if (other.id !== anchor.id && isAnchorKept(other))
      throw new HiveError({
        code: "duplicate",
        what: `There is an anchor "${anchor.key}" already.`,
        why: "Each key can belong to one anchor only.",
        use_instead: "Update that anchor, or choose another key.",
        evidence: `anchor ${other.id}`,
      })
}

function checkCycles(draft: Draft, kind: Kind, field: string): void {
  // A temporal gate blocks a task as a dependency does, so a circle can be made of both.
  const isGated = field === "depends_on" && kind === "task"
  const followed = isGated ? [field, "temporal_gate.after_task_id"] : [field]
  const links = linksFrom(kind).filter((each) => followed.includes(each.field))
  const linkedIds = (record: AnyRecord | undefined) =>
    record === undefined ? [] : links.flatMap((link) => link.ids(record)).filter((id) => id !== null)
  const next = (id: string) => linkedIds(draft.get(kind, id))
  // Only records with changed links can be in a new circle.
  const suspects = [...draft.touched[kind].keys()].filter(
    (id) => !isSame(next(id), linkedIds(draft.base[kind].get(id))),
  )
  // Follows links backwards, because few records depend on a new one.
  const before = (id: string) =>
    links.flatMap(({ field: each }) => Array.from(draft.by(kind, each, id), (record) => record.id))
  if (!leadsIntoCycle(suspects, before)) return
  for (const id of suspects) {
    const cycle = findCycle(id, next)
    if (cycle === undefined) continue
    throw new HiveError({
      code: "cycle",
      what: `The ${kind} was not written: "${field}" would form a circle.`,
      why: `${cycle.join(" → ")}.`,
      use_instead: "Leave out the link that closes the circle.",
      evidence: `${kind}.${field} of ${id}`,
    })
  }
}

function statusOf(record: AnyRecord): string {
  return "status" in record ? record.status : ""
}

const CALLS: Partial<Record<Kind, Record<string, string>>> = {
  session: { closed: callText("session", "close"), active: callText("session", "resume") },
  plan: { archived: callText("plan", "archive"), abandoned: callText("plan", "abandon") },
  task: {
    active: callText("task", "start"),
    review: callText("task", "review"),
    completed: callText("task", "complete"),
    failed: callText("task", "fail"),
  },
  mem: { invalidated: callText("memory", "flag"), purged: callText("memory", "purge") },
  anchor: { active: callText("anchor", "update"), removed: callText("anchor", "remove") },
  delegation: { recalled: callText("delegate", "recall") },
}
