import { readFileSync } from "node:fs"
import { join } from "node:path"
import { changeBetween, isSame } from "../graph/change.ts"
import { applyOp, recordsOf } from "../graph/state.ts"
import { addOp, dropOp, type Op, setOp } from "../schemas/op.ts"
import type { AnyRecord, Kind } from "../schemas/records.ts"
import type { Pausing } from "../shared/slices.ts"
import type { HivePaths } from "./files/layout.ts"
import { replayLog } from "./replay.ts"
import { partSum, readEditedPart } from "./snapshot/part.ts"
import { type Part, signatureOf } from "./snapshot/parts.ts"
import { note, type View } from "./view.ts"

/**
 * Looks whether somebody has changed a part's file, and puts the change into force at once; the next ordered write puts
 * it into the log. Looks at a few files at a time, in turn: so a look costs the same in a large graph.
 */
export function createEditWatch(paths: HivePaths) {
  let next = 0

  return (view: View): void => {
    const parts = [...view.parts.all()]
    const count = Math.min(FILES_PER_LOOK, parts.length)
    for (let looked = 0; looked < count; looked++, next++) {
      const part = parts[next % parts.length]
      if (part !== undefined) lookAt(view, part, paths)
    }
  }
}

function lookAt(view: View, part: Part, paths: HivePaths): void {
  if (part.file === "") return
  const path = join(paths.parts, part.file)
  const signature = signatureOf(path)
  // One that is gone was replaced by another process's fold, or deleted: the next fold tells.
  if (signature === part.signature || signature === "") return
  part.signature = signature
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch {
    part.state = "unreadable"
    return
  }
  if (partSum(bytes) === part.sum) {
    part.state = "as written"
    return
  }
  const name = `graph/parts/${part.file}`
  view.problems = view.problems.filter(({ file }) => file !== name)
  const { records, problems, isBroken } = readEditedPart(name, part.kind, bytes)
  for (const problem of problems) note(view, problem)
  part.state = isBroken ? "broken" : "edited"
  for (const op of editsIn(view, part, records, isBroken))
    if (applyOp(view.state, op) === undefined) view.edits.push(op)
  for (const { id } of records) part.ids.add(id)
}

/** What a person has changed, against what the part held when it was written. What is missing from a broken file stays. */
function editsIn(view: View, part: Part, records: readonly AnyRecord[], isBroken: boolean): Op[] {
  const { kind } = part
  const now = recordsOf(view.state, kind)
  const ops: Op[] = []
  const there = new Set<string>()
  for (const record of records) {
    there.add(record.id)
    const base = baseOf(view, kind, record.id)
    const current = now.get(record.id)
    if (base === undefined) {
      if (current === undefined) ops.push(addOp(kind, record as never))
      continue
    }
    const change = changeBetween<AnyRecord>(base, record)
    if (change === undefined || current === undefined) continue
    const fields = Object.keys(change.to)
    // Good fields over a good record are a good record.
    const was = changeBetween<AnyRecord>(current, { ...current, ...change.to } as AnyRecord, fields)
    if (was !== undefined) ops.push(setOp(kind, record.id, was.to as never, was.was as never))
  }
  for (const id of isBroken ? [] : part.ids) {
    const current = now.get(id)
    // One that came after the part was written has its place in it already, but is not in the file yet.
    const wasThere = baseOf(view, kind, id) !== undefined
    if (!there.has(id) && wasThere && current !== undefined) ops.push(dropOp(kind, current as never))
  }
  return ops
}

/**
 * What was changed by hand before this process began: told from what the log knows. Of those changes only what is still
 * in force: what the log says later counts.
 */
export function* editsAgainstLog(view: View, paths: HivePaths): Pausing<Op[]> {
  const edited = [...view.parts.all()].filter(({ found }) => found !== undefined)
  if (edited.length === 0) return []
  const logged = yield* replayLog(paths, view.base)
  const ops: Op[] = []
  for (const part of edited) {
    const before = recordsOf(logged, part.kind)
    const now = recordsOf(view.state, part.kind)
    for (const record of part.found ?? []) {
      const known = before.get(record.id)
      const current = now.get(record.id)
      if (current === undefined) continue
      if (known === undefined) ops.push(addOp(part.kind, record as never))
      else ops.push(...inForce(part.kind, known, record, current))
    }
    for (const [id, record] of before)
      if (isTakenOut(view, part.kind, id)) ops.push(dropOp(part.kind, record as never))
    part.found = undefined
  }
  return ops
}

function inForce(kind: Kind, known: AnyRecord, edited: AnyRecord, current: AnyRecord): Op[] {
  const change = changeBetween<AnyRecord>(known, edited)
  if (change === undefined) return []
  const fields = Object.keys(change.to).filter((field) =>
    isSame(fieldOf(edited, field), fieldOf(current, field)),
  )
  const kept = changeBetween<AnyRecord>(known, edited, fields)
  return kept === undefined ? [] : [setOp(kind, edited.id, kept.to as never, kept.was as never)]
}

/** In the log, but neither in the graph nor taken out of it since. */
function isTakenOut(view: View, kind: Kind, id: string): boolean {
  if (recordsOf(view.state, kind).has(id)) return false
  return ![...view.changed.values()].some((changed) => changed[kind].has(id))
}

function fieldOf(record: AnyRecord, field: string): unknown {
  return (record as Record<string, unknown>)[field]
}

/** A record as the parts hold it: as it was before the first change since. */
function baseOf(view: View, kind: Kind, id: string): AnyRecord | undefined {
  for (const segment of [...view.changed.keys()].sort((a, b) => a - b)) {
    const changed = view.changed.get(segment)?.[kind]
    if (changed?.has(id)) return changed.get(id)
  }
  return recordsOf(view.state, kind).get(id)
}

const FILES_PER_LOOK = 12
