import { firstStatuses, lifecycles } from "../../schemas/lifecycle.ts"
import { type AnyRecord, type Kind, kinds } from "../../schemas/records.ts"
import { HiveError } from "../../shared/error.ts"
import { findCycle } from "./cycle.ts"
import { linksFrom } from "./links.ts"
import { recordsOf } from "./state.ts"
import type { Draft } from "./transaction.ts"

/** All rules that reach beyond one record: lifecycles, foreign keys, orphans, cycles. Throws the first that is broken. */
export function checkTransaction(draft: Draft, isArchived: (id: string) => boolean, isUndo: boolean): void {
  for (const [kind, records] of draft.touched) {
    for (const [id, record] of records) {
      if (record === null) {
        checkNothingPointsAt(draft, kind, id)
        continue
      }
      // Taking a step back is what undo is for; all other rules hold for it too.
      if (!isUndo) checkLifecycle(kind, recordsOf(draft.base, kind).get(id), record)
      checkLinks(draft, kind, record, isArchived)
      if (kind === "task") checkTask(draft, record as never)
      if (kind === "anchor") checkAnchorKey(draft, record as never)
    }
  }
  checkCycles(draft, "task", "depends_on")
  checkCycles(draft, "task", "parent_task_id")
  checkCycles(draft, "plan", "depends_on")
  checkCycles(draft, "mem", "supersedes")
}

function checkLifecycle(kind: Kind, before: AnyRecord | undefined, after: AnyRecord): void {
  const steps = lifecycles[kind]
  if (steps === undefined) return
  const to = statusOf(after)
  if (before === undefined) {
    const first = firstStatuses[kind] ?? []
    if (first.includes(to)) return
    throw new HiveError({
      code: "lifecycle",
      what: `A ${kind} cannot be created as "${to}".`,
      why: `A new ${kind} starts as ${first.join(" or ")}.`,
      use_instead: `Create it as "${first[0]}", then move it on.`,
      evidence: `${kind} ${after.id}: status = ${to}`,
    })
  }
  const from = statusOf(before)
  if (from === to || steps[from]?.includes(to)) return
  const next = steps[from] ?? []
  throw new HiveError({
    code: "lifecycle",
    what: `The ${kind} cannot go from "${from}" to "${to}".`,
    why: next.length > 0 ? `After "${from}" comes ${next.join(", ")}.` : `"${from}" is final.`,
    use_instead: next.length > 0 ? `Move it to one of: ${next.join(", ")}.` : `Make a new ${kind}.`,
    evidence: `${kind} ${after.id}: status = ${from}`,
  })
}

function checkLinks(draft: Draft, kind: Kind, record: AnyRecord, isArchived: (id: string) => boolean): void {
  for (const link of linksFrom(kind)) {
    for (const id of link.ids(record)) {
      if (id === null || isThere(draft, link.to, id)) continue
      if ((link.to === "mem" || link.to === "any") && isArchived(id)) continue
      throw new HiveError({
        code: "orphan",
        what: `The ${kind} was not written: "${link.field}" points at nothing.`,
        why: `There is no ${link.to === "any" ? "record" : link.to} ${id}.`,
        use_instead: `Use the id of ${link.to === "any" ? "a record" : `a ${link.to}`} that is there, or leave it out if it is optional.`,
        evidence: `${kind}.${link.field} = ${id}`,
      })
    }
  }
}

function checkNothingPointsAt(draft: Draft, dropped: Kind, id: string): void {
  for (const kind of kinds) {
    const pointing = linksFrom(kind).filter((link) => link.to === dropped || link.to === "any")
    if (pointing.length === 0) continue
    for (const record of draft.all(kind)) {
      const link = pointing.find((each) => each.ids(record).includes(id))
      if (link === undefined) continue
      throw new HiveError({
        code: "in_use",
        what: `The ${dropped} ${id} cannot be taken away.`,
        why: `The ${kind} ${record.id} points at it.`,
        use_instead: `Change or undo the ${kind} first.`,
        evidence: `${kind}.${link.field} = ${id}`,
      })
    }
  }
}

function checkTask(
  draft: Draft,
  task: { id: string; parent_plan_id: string; parent_phase_id: string },
): void {
  const phase = draft.need("phase", task.parent_phase_id)
  if (phase.parent_plan_id === task.parent_plan_id) return
  throw new HiveError({
    code: "orphan",
    what: "The task was not written: its phase belongs to another plan.",
    why: `The phase ${phase.id} is part of the plan ${phase.parent_plan_id}.`,
    use_instead: "Name a phase of the task's own plan.",
    evidence: `task.parent_plan_id = ${task.parent_plan_id}`,
  })
}

function checkAnchorKey(draft: Draft, anchor: { id: string; key: string; status: string }): void {
  if (anchor.status === "removed") return
  for (const other of draft.all("anchor")) {
    if (other.id === anchor.id || other.key !== anchor.key || other.status === "removed") continue
    throw new HiveError({
      code: "duplicate",
      what: `There is an anchor "${anchor.key}" already.`,
      why: "A key names one anchor.",
      use_instead: "Update that anchor, or choose another key.",
      evidence: `anchor ${other.id}`,
    })
  }
}

function checkCycles(draft: Draft, kind: Kind, field: string): void {
  const link = linksFrom(kind).find((each) => each.field === field)
  if (link === undefined) return
  const next = (id: string) => {
    const record = draft.get(kind, id)
    return record === undefined ? [] : link.ids(record).filter((each) => each !== null)
  }
  for (const id of draft.touched.get(kind)?.keys() ?? []) {
    const cycle = findCycle(id, next)
    if (cycle === undefined) continue
    throw new HiveError({
      code: "cycle",
      what: `The ${kind} was not written: "${field}" would run in a circle.`,
      why: `${cycle.join(" → ")}.`,
      use_instead: "Leave out the link that closes the circle.",
      evidence: `${kind}.${field} of ${id}`,
    })
  }
}

function isThere(draft: Draft, kind: Kind | "any", id: string): boolean {
  if (kind !== "any") return draft.get(kind, id) !== undefined
  return kinds.some((each) => draft.get(each, id) !== undefined)
}

function statusOf(record: AnyRecord): string {
  return "status" in record ? record.status : ""
}
