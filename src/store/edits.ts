import { join } from "node:path"
import { changeBetween, isSame } from "../graph/change.ts"
import { applyOp, type GraphState, mapPerKind, recordsOf } from "../graph/state.ts"
import { addOp, dropOp, type Op, setOp } from "../schemas/op.ts"
import { type AnyRecord, type Kind, kinds } from "../schemas/records.ts"
import type { Pausing } from "../shared/slices.ts"
import { fileRecord } from "./filed.ts"
import { checksum } from "./files/checksum.ts"
import { readFileSync } from "./files/hive-fs.ts"
import type { HivePaths } from "./files/layout.ts"
import { bringBack } from "./guard.ts"
import { changesIn } from "./log/changes-in.ts"
import { isSealLine } from "./log/line.ts"
import { replayLog } from "./replay.ts"
import { manifestNumbers, NO_MANIFEST } from "./snapshot/manifest.ts"
import { missingPart, readEditedPart, readPart, unreadablePart } from "./snapshot/part.ts"
import { type Part, type Parts, signatureOf } from "./snapshot/parts.ts"
import { note, type View } from "./view.ts"

/**
 * Looks whether somebody has changed a part's file, and puts the change into force at once; the next ordered write puts
 * it into the log. Looks at a few files at a time, in turn: so a look costs the same in a large graph. Says whether the
 * graph has to be read anew: a file can be read that could not be read before.
 */
export function createEditWatch(paths: HivePaths) {
  let parts: Parts | undefined
  let waiting: Part[] = []

  return (view: View): { mustReload: boolean } => {
    if (view.parts !== parts || waiting.length === 0) waiting = [...view.parts.all()]
    parts = view.parts
    const looks = waiting.splice(0, FILES_PER_LOOK).map((part) => lookAt(view, part, paths))
    return { mustReload: looks.includes("readable again") }
  }
}

function lookAt(view: View, part: Part, paths: HivePaths): "readable again" | undefined {
  if (part.file === "") return undefined
  const path = join(paths.parts, part.file)
  const signature = signatureOf(path)
  if (signature === part.signature && part.state !== "unreadable") return undefined
  const name = `graph/parts/${part.file}`
  if (signature === "") {
    lookForMissing(view, part, paths)
    return undefined
  }
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    if (part.state !== "unreadable") note(view, unreadablePart(name, error))
    part.state = "unreadable"
    return undefined
  }
  if (part.state === "unreadable") return "readable again"
  part.signature = signature
  view.problems = view.problems.filter(({ file }) => file !== name)
  takeOver(view, part, bytes)
  return undefined
}

/** One that is gone was deleted; or another process has folded, and needs it no more. */
function lookForMissing(view: View, part: Part, paths: HivePaths): void {
  if ((manifestNumbers(paths.graph).at(-1) ?? NO_MANIFEST.number) !== view.base.number) return
  part.signature = ""
  part.state = "broken"
  note(view, missingPart(`graph/parts/${part.file}`))
}

function takeOver(view: View, part: Part, bytes: Buffer): void {
  const isAsWritten = checksum(bytes) === part.sum
  const { records, problems, isBroken } = isAsWritten
    ? { records: readPart(part.kind, bytes), problems: [], isBroken: false }
    : readEditedPart(`graph/parts/${part.file}`, part.kind, bytes)
  for (const problem of problems) note(view, problem)
  part.state = isAsWritten ? "as written" : isBroken ? "broken" : "edited"
  // What an edit mends may be what kept a record out.
  bringBack(view)
  view.isUnguarded = true
  for (const op of editsIn(view, part, records, isBroken))
    if (applyOp(view.state, op) === undefined) view.edits.push(op)
  for (const { id } of records) view.parts.hold(part, id)
}

/** Of a file that was edited again after the log told of it, what is newer than that. */
export function takeOverFound(view: View, { kind, found }: Part): void {
  for (const record of found ?? []) {
    if (!view.filed[kind].has(record.id)) continue
    for (const op of editsOf(view, kind, record))
      if (applyOp(view.state, op) === undefined) view.edits.push(op)
  }
}

/** What a person has changed, against what the file held before. What is missing from a broken file stays. */
function editsIn(view: View, part: Part, records: readonly AnyRecord[], isBroken: boolean): Op[] {
  const { kind } = part
  const ops = records.flatMap((record) => editsOf(view, kind, record))
  const there = new Set(records.map(({ id }) => id))
  for (const id of isBroken ? [] : part.ids) {
    const current = recordsOf(view.state, kind).get(id)
    // One that came after the part was written has its place in it already, but is not in the file yet.
    const wasThere = fileRecord(view, kind, id) !== undefined
    if (there.has(id) || !wasThere || current === undefined) continue
    ops.push(dropOp(kind, current as never))
    view.filed[kind].set(id, null)
  }
  return ops
}

function editsOf(view: View, kind: Kind, record: AnyRecord): Op[] {
  const before = fileRecord(view, kind, record.id)
  const current = recordsOf(view.state, kind).get(record.id)
  const change = before === undefined ? undefined : changeBetween<AnyRecord>(before, record)
  if (before !== undefined && change === undefined) return []
  view.filed[kind].set(record.id, record)
  if (current === undefined) return before === undefined ? [addOp(kind, record as never)] : []
  if (change === undefined) return []
  const fields = Object.keys(change.to)
  // Good fields over a good record are a good record.
  const edit = changeBetween<AnyRecord>(current, { ...current, ...change.to } as AnyRecord, fields)
  return edit === undefined ? [] : [setOp(kind, record.id, edit.to as never, edit.was as never)]
}

/**
 * What was changed by hand before this process began: told from what the log knows. Of those changes only what is still
 * in force: what the log says later counts.
 */
export function* editsAgainstLog(view: View, paths: HivePaths): Pausing<Op[]> {
  const edited = [...view.parts.all()].filter(({ found }) => found !== undefined)
  if (edited.length === 0) return []
  const found = mapPerKind<Record<Kind, Map<string, AnyRecord>>>()
  for (const part of edited) for (const record of part.found ?? []) found[part.kind].set(record.id, record)
  const editedKinds = kinds.filter((kind) => edited.some((part) => part.kind === kind))
  const logged = yield* loggedBefore(view, paths, found, editedKinds)
  const ops: Op[] = []
  for (const kind of editedKinds) {
    const before = recordsOf(logged, kind)
    const now = recordsOf(view.state, kind)
    for (const [id, record] of found[kind]) {
      const known = before.get(id)
      const current = now.get(id)
      if (current === undefined) continue
      const told = view.filed[kind].get(id)
      if (known !== undefined) ops.push(...inForce(kind, known, record, current, told))
      else if (told === undefined) ops.push(addOp(kind, record as never))
    }
    const isAllReadable = ![...view.parts.all()].some(
      (part) => part.kind === kind && part.state === "unreadable",
    )
    if (isAllReadable)
      for (const [id, record] of before)
        if (isTakenOut(view, kind, id)) ops.push(dropOp(kind, record as never))
  }
  for (const part of edited) part.found = undefined
  return ops
}

/**
 * The records of edited parts as the log has them. Most of the log is about others: its lines are not even parsed, only
 * looked at for records that somebody has taken out of a file. Where there are any, all of it is read.
 */
function* loggedBefore(
  view: View,
  paths: HivePaths,
  found: Record<Kind, ReadonlyMap<string, AnyRecord>>,
  editedKinds: readonly Kind[],
): Pausing<GraphState> {
  const kindOf = new Map<string, Kind>(editedKinds.map((kind) => [kind, kind]))
  const uncounted = new Set(view.base.void)
  const missing = new Set<string>()
  let isClear = true
  const namesFound = (line: Buffer): boolean => {
    const seen = changesIn(line)
    isClear &&= seen !== undefined || isSealLine(line)
    if (seen === undefined || uncounted.has(seen.entry)) return false
    let isWanted = false
    for (const { op, kind: name, id } of seen.changes) {
      const kind = kindOf.get(name)
      if (kind === undefined) continue
      if (found[kind].has(id)) isWanted = true
      else if (op === "add" && isTakenOut(view, kind, id)) missing.add(`${kind} ${id}`)
      else if (op === "drop" || op === "archive") missing.delete(`${kind} ${id}`)
    }
    return isWanted
  }
  const isFound = (kind: Kind, id: string) => found[kind].has(id)
  const { state } = yield* replayLog(paths, view.base, isFound, namesFound)
  if (isClear && missing.size === 0) return state
  const isOfInterest = (kind: Kind, id: string) =>
    kindOf.has(kind) && (found[kind].has(id) || isTakenOut(view, kind, id))
  return (yield* replayLog(paths, view.base, isOfInterest)).state
}

function inForce(
  kind: Kind,
  known: AnyRecord,
  edited: AnyRecord,
  current: AnyRecord,
  told: AnyRecord | null | undefined,
): Op[] {
  const change = changeBetween<AnyRecord>(known, edited)
  if (change === undefined) return []
  const fields = Object.keys(change.to).filter((field) => {
    // Another process may have seen the same edit, and put it into the log.
    const isTold = told != null && isSame(fieldOf(edited, field), fieldOf(told, field))
    return !isTold && isSame(fieldOf(edited, field), fieldOf(current, field))
  })
  const kept = changeBetween<AnyRecord>(known, edited, fields)
  return kept === undefined ? [] : [setOp(kind, edited.id, kept.to as never, kept.was as never)]
}

/** Neither in the graph, nor taken out of it since. */
function isTakenOut(view: View, kind: Kind, id: string): boolean {
  if (recordsOf(view.state, kind).has(id) || view.takenOut[kind].has(id)) return false
  return ![...view.changed.values()].some((changed) => changed[kind].has(id))
}

function fieldOf(record: AnyRecord, field: string): unknown {
  return (record as Record<string, unknown>)[field]
}

const FILES_PER_LOOK = 4
