import { join } from "node:path"
import { changeBetween, isSame } from "../graph/change.ts"
import { applyOp, type GraphState, mapPerKind, recordsOf } from "../graph/state.ts"
import { addOp, dropOp, type Op, setOp } from "../schemas/op.ts"
import { type AnyRecord, type Kind, kinds } from "../schemas/records.ts"
import type { Pausing } from "../shared/slices.ts"
import type { HivePaths } from "./files/layout.ts"
import { isSealLine } from "./log/line.ts"
import { changesIn, replayLog } from "./replay.ts"
import { manifestNumbers, NO_MANIFEST } from "./snapshot/manifest.ts"
import { readPartFile } from "./snapshot/part.ts"
import { type Part, type Parts, signatureOf } from "./snapshot/parts.ts"
import { note, recordInFile, restoreTakenOut, type View } from "./view.ts"

/**
 * Detects hand edits of part files while this process runs, and applies them at once; the next ordered write puts them into
 * the log. Each call looks at a few files in turn, so it costs the same in a large graph. `mustReload`: a file can be
 * read that could not be read before.
 */
export function createEditWatch(paths: HivePaths) {
  let parts: Parts | undefined
  let waiting: Part[] = []

  return (view: View): { mustReload: boolean } => {
    if (view.parts !== parts || waiting.length === 0) waiting = [...view.parts.all()]
    parts = view.parts
    const looks = waiting.splice(0, FILES_PER_LOOK).map((part) => applyIfEdited(view, part, paths))
    return { mustReload: looks.includes("readable again") }
  }
}

function applyIfEdited(view: View, part: Part, paths: HivePaths): "readable again" | undefined {
  if (part.file === "") return undefined
  const path = join(paths.parts, part.file)
  const signature = signatureOf(path)
  const wasUnreadable = part.state === "unreadable"
  if (signature === part.signature && !wasUnreadable) return undefined
  // A file that is gone was deleted, or another process has folded and does not need it any more.
  const newest = manifestNumbers(paths.graph).at(-1) ?? NO_MANIFEST.number
  if (signature === "" && newest !== view.base.number) return undefined
  const { records, problems } = readPartFile(part, path)
  if (part.state === "unreadable") {
    if (!wasUnreadable) for (const problem of problems) note(view, problem)
    return undefined
  }
  if (wasUnreadable) {
    // Until the graph is loaded again: no fold may replace the file.
    part.state = "unreadable"
    return "readable again"
  }
  view.problems = view.problems.filter(({ file }) => file !== `graph/parts/${part.file}`)
  for (const problem of problems) note(view, problem)
  // The edit may repair a link that kept a record out of the graph.
  restoreTakenOut(view)
  view.mustCheckLinks = true
  for (const op of editsInPart(view, part, records))
    if (applyOp(view.state, op) === undefined) view.edits.push(op)
  for (const { id } of records) view.parts.hold(part, id)
  return undefined
}

/** Applies edits of a file that was edited before. */
export function applyNewerEdits(view: View, { kind, found }: Part): void {
  for (const record of found ?? []) {
    if (!view.handEdited[kind].has(record.id)) continue
    for (const op of editsInRecord(view, kind, record))
      if (applyOp(view.state, op) === undefined) view.edits.push(op)
  }
}

/** The changes of a person, against the file's earlier content. A record that is missing from a broken file stays. */
function editsInPart(view: View, { kind, ids, state }: Part, records: readonly AnyRecord[]): Op[] {
  const ops = records.flatMap((record) => editsInRecord(view, kind, record))
  const found = new Set(records.map(({ id }) => id))
  for (const id of state === "broken" ? [] : ids) {
    const current = recordsOf(view.state, kind).get(id)
    // A record that came after the part was written has its place in it, but is not in the file yet.
    const wasThere = recordInFile(view, kind, id) !== undefined
    if (found.has(id) || !wasThere || current === undefined) continue
    ops.push(dropOp(kind, current as never))
    view.handEdited[kind].set(id, null)
  }
  return ops
}

function editsInRecord(view: View, kind: Kind, record: AnyRecord): Op[] {
  const before = recordInFile(view, kind, record.id)
  const current = recordsOf(view.state, kind).get(record.id)
  const change = before === undefined ? undefined : changeBetween<AnyRecord>(before, record)
  if (before !== undefined && change === undefined) return []
  view.handEdited[kind].set(record.id, record)
  if (current === undefined) return before === undefined ? [addOp(kind, record as never)] : []
  if (change === undefined) return []
  const fields = Object.keys(change.to)
  // Good fields over a good record are a good record.
  const edit = changeBetween<AnyRecord>(current, { ...current, ...change.to } as AnyRecord, fields)
  return edit === undefined ? [] : [setOp(kind, record.id, edit.to as never, edit.was as never)]
}

/**
 * The hand edits from before this process began, found by comparing with the log. Only changes that are still in force:
 * later entries of the log win.
 */
export function* editsAgainstLog(view: View, paths: HivePaths): Pausing<Op[]> {
  const edited = [...view.parts.all()].filter(({ found }) => found !== undefined)
  if (edited.length === 0) return []
  const found = mapPerKind<Record<Kind, Map<string, AnyRecord>>>()
  for (const part of edited) for (const record of part.found ?? []) found[part.kind].set(record.id, record)
  const editedKinds = kinds.filter((kind) => edited.some((part) => part.kind === kind))
  const logged = yield* stateInLog(view, paths, found, editedKinds)
  const ops: Op[] = []
  for (const kind of editedKinds) {
    const before = recordsOf(logged, kind)
    for (const [id, record] of found[kind]) {
      const known = before.get(id)
      const current = recordsOf(view.state, kind).get(id)
      if (current === undefined) continue
      const alreadyLogged = view.handEdited[kind].get(id)
      if (known !== undefined) ops.push(...editsInForce(kind, known, record, current, alreadyLogged))
      else if (alreadyLogged === undefined) ops.push(addOp(kind, record as never))
    }
    const isUnreadable = (part: Part) => part.kind === kind && part.state === "unreadable"
    if ([...view.parts.all()].some(isUnreadable)) continue
    for (const [id, record] of before) if (isRemoved(view, kind, id)) ops.push(dropOp(kind, record as never))
  }
  for (const part of edited) part.found = undefined
  return ops
}

/**
 * The records of edited parts as the log has them. Most lines of the log are about other records: they are not parsed, only
 * searched for records that were removed from a file by hand. If there are any, the whole log is replayed.
 */
function* stateInLog(
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
      else if (op === "add" && isRemoved(view, kind, id)) missing.add(`${kind} ${id}`)
      else if (op === "drop" || op === "archive") missing.delete(`${kind} ${id}`)
    }
    return isWanted
  }
  const isFound = (kind: Kind, id: string) => found[kind].has(id)
  const { state } = yield* replayLog(paths, view.base, isFound, namesFound)
  if (isClear && missing.size === 0) return state
  const isOfInterest = (kind: Kind, id: string) =>
    kindOf.has(kind) && (found[kind].has(id) || isRemoved(view, kind, id))
  return (yield* replayLog(paths, view.base, isOfInterest)).state
}

function editsInForce(
  kind: Kind,
  known: AnyRecord,
  edited: AnyRecord,
  current: AnyRecord,
  alreadyLogged: AnyRecord | null | undefined,
): Op[] {
  const change = changeBetween<AnyRecord>(known, edited)
  if (change === undefined) return []
  const fields = Object.keys(change.to).filter((field) => {
    const value = fieldOf(edited, field)
    // Another process may have seen the same edit, and put it into the log.
    const isLogged = alreadyLogged != null && isSame(value, fieldOf(alreadyLogged, field))
    return !isLogged && isSame(value, fieldOf(current, field))
  })
  const kept = changeBetween<AnyRecord>(known, edited, fields)
  return kept === undefined ? [] : [setOp(kind, edited.id, kept.to as never, kept.was as never)]
}

/** True if a record is not in the graph, and no entry since the base explains that. */
function isRemoved(view: View, kind: Kind, id: string): boolean {
  if (recordsOf(view.state, kind).has(id) || view.takenOut[kind].has(id)) return false
  return ![...view.changed.values()].some((changed) => changed[kind].has(id))
}

function fieldOf(record: AnyRecord, field: string): unknown {
  return (record as Record<string, unknown>)[field]
}

const FILES_PER_LOOK = 4
