import type { Problem } from "../graph/problem.ts"
import { mapPerKind, recordsOf } from "../graph/state.ts"
import { type RecordOp, recordIdOf } from "../schemas/op.ts"
import type { Manifest } from "./snapshot/manifest.ts"
import type { ChangedRecords, View } from "./view.ts"

/** Kept until the next fold: a change by hand is told from one of ours by what the parts held. */
export function rememberBefore(view: View, op: RecordOp, segment: number): void {
  const id = recordIdOf(op)
  if (op.kind === "mem") rememberMem(view, op.op, id, segment)
  const changed = view.changed.get(segment) ?? mapPerKind<ChangedRecords>()
  view.changed.set(segment, changed)
  if (changed[op.kind].has(id)) return
  // Too many are not kept in memory: so many have gone only where no manifest, and so no part, is left.
  const isKept = op.op !== "archive" || view.unheld === 0
  changed[op.kind].set(id, isKept ? recordsOf(view.state, op.kind).get(id) : undefined)
  view.unplaced.push({ kind: op.kind, id })
}

function rememberMem(view: View, op: RecordOp["op"], id: string, segment: number): void {
  if (op === "drop") view.gone.set(id, segment)
  if (op === "add") view.gone.delete(id)
  if (op === "set") return
  view.archived.delete(id)
  const mem = view.state.mem.get(id)
  if (op !== "archive" || mem === undefined) return
  if (view.archived.size >= MAX_HELD) view.unheld++
  else view.archived.set(id, { mem, segment })
}

/** Finds the part of each changed record; new ones get a place, and those that are gone leave theirs. */
export function* placeChanges(view: View): Generator<void, void, void> {
  const waiting = view.unplaced
  view.unplaced = []
  for (const { kind, id } of waiting) {
    const isThere = recordsOf(view.state, kind).has(id) || view.takenOut[kind].has(id)
    const part = isThere ? view.parts.placeOf(kind, id) : view.parts.remove(kind, id)
    if (part !== undefined) view.dirty.add(part)
    yield
  }
}

/** The parts hold everything up to there by now. */
export function forgetFolded(view: View, manifest: Manifest): void {
  view.base = manifest
  view.filed = mapPerKind()
  view.problems = view.problems.flatMap((problem) => unlessFolded(view, problem))
  for (const segment of view.changed.keys()) if (segment <= manifest.through) view.changed.delete(segment)
  for (const [id, { segment }] of view.archived) if (segment <= manifest.through) view.archived.delete(id)
  view.unheld = 0
  for (const [id, segment] of view.gone) if (segment <= manifest.through) view.gone.delete(id)
  // A write may be tried twice around the end of a segment.
  for (const [id, segment] of view.applied) if (segment < manifest.through) view.applied.delete(id)
  for (const id of manifest.void) view.late.delete(id)
}

/** A problem of a file that is no longer in use is over; a link that leads nowhere is not. */
function unlessFolded(view: View, problem: Problem): Problem[] {
  const { code, file, kind, id } = problem
  const segment = /^graph\/log\/(\d+)/.exec(file)?.[1]
  if (segment !== undefined) return Number(segment) > view.base.through ? [problem] : []
  const manifest = /^graph\/manifest\.(\d+)/.exec(file)?.[1]
  if (manifest !== undefined) return Number(manifest) > view.base.number ? [problem] : []
  if (!file.startsWith("graph/parts/")) return [problem]
  const isLink = code === "broken_link" || code === "repaired_link"
  const part = isLink && kind !== null && id !== null ? view.parts.find(kind, id) : undefined
  if (part !== undefined) return [{ ...problem, file: `graph/parts/${part.file}` }]
  return view.base.parts.some((each) => file === `graph/parts/${each.file}`) ? [problem] : []
}

const MAX_HELD = 20_000
