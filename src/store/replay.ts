import { applyOp, emptyState, type GraphState, recordsOf } from "../graph/state.ts"
import type { Entry } from "../schemas/entry.ts"
import { type Op, recordIdOf } from "../schemas/op.ts"
import { type AnyRecord, type Kind, kinds } from "../schemas/records.ts"
import type { Pausing } from "../shared/slices.ts"
import type { HivePaths } from "./files/layout.ts"
import { follow } from "./log/follower.ts"
import { segmentNumbers } from "./log/segments.ts"
import type { Manifest } from "./snapshot/manifest.ts"
import type { View } from "./view.ts"

export interface LoggedGraph {
  state: GraphState
  /** Mems that went to the archive and did not come back. */
  archived: ReadonlySet<string>
  /** Mems that were dropped. */
  dropped: ReadonlySet<string>
}

/** Replays the log from its start to the end of a manifest's segments; for all records, or only wanted ones. */
export function* replayLog(
  paths: HivePaths,
  { through, void: uncounted }: Pick<Manifest, "through" | "void">,
  isWanted: (kind: Kind, id: string) => boolean = () => true,
  isWantedLine: (line: Buffer) => boolean = () => true,
  /** Archived mems stay in the returned state. */
  keepsArchived = false,
): Pausing<LoggedGraph> {
  const state = emptyState()
  const archived = new Set<string>()
  const dropped = new Set<string>()
  const skipped = new Set(uncounted)
  const apply = (op: Op) => {
    if (!("kind" in op) || !isWanted(op.kind, recordIdOf(op))) return
    if (op.op !== "archive" || !keepsArchived) applyOp(state, op)
    if (op.op === "archive") archived.add(op.id)
    else if (op.op !== "set") archived.delete(recordIdOf(op))
    if (op.kind !== "mem") return
    if (op.op === "drop") dropped.add(op.id)
    else if (op.op === "add") dropped.delete(op.record.id)
  }
  for (const number of segmentNumbers(paths.log).filter((segment) => segment <= through))
    for (const entry of segmentEntries(paths, number, isWantedLine)) {
      if (entry !== undefined && !skipped.has(entry.id)) for (const op of entry.ops) apply(op)
      yield
    }
  return { state, archived, dropped }
}

/** Records that the log has and the view lacks. */
export function* lostRecords(
  { state, takenOut }: View,
  paths: HivePaths,
  log: Pick<Manifest, "through" | "void">,
  ofKinds: readonly Kind[] = kinds,
): Pausing<{ kind: Kind; record: AnyRecord }[]> {
  const isLost = (kind: Kind, id: string) =>
    ofKinds.includes(kind) && !recordsOf(state, kind).has(id) && !takenOut[kind].has(id)
  const logged = yield* replayLog(paths, log, isLost)
  return ofKinds.flatMap((kind) =>
    Array.from(recordsOf(logged.state, kind).values(), (record) => ({ kind, record })),
  )
}

/** The entries of one segment, oldest first; `undefined` is a pause. */
export function* segmentEntries(
  paths: HivePaths,
  number: number,
  isWanted: (line: Buffer) => boolean = () => true,
): Generator<Entry | undefined, void, void> {
  for (const found of follow(paths.log, { segment: number, offset: 0 }, { isWanted, stopAtSeal: true })) {
    if (found === undefined) yield undefined
    else if (found.line.what === "entry") yield found.line.entry
  }
}

/** A change of a record, found in a line that was not parsed. */
export interface SeenChange {
  op: string
  kind: string
  id: string
}

/**
 * Finds the records that a line changes, and the id of its entry. Many times faster than parsing it. Undefined for a line
 * that is not formatted as we write it: then it has to be parsed.
 */
export function changesIn(line: Buffer): { entry: string; changes: SeenChange[] } | undefined {
  const text = line.toString("latin1")
  const entry = ENTRY_START.exec(text)?.[1]
  if (entry === undefined) return undefined
  const changes: SeenChange[] = []
  for (const [, op = "", kind = "", id = ""] of text.matchAll(CHANGE)) changes.push({ op, kind, id })
  // In a text every quote has a backslash before it: these can only be ops.
  return changes.length === [...text.matchAll(ANY_CHANGE)].length ? { entry, changes } : undefined
}

const ENTRY_START = /^\{"id":"([^"\\]+)"/
const CHANGE = /"op":"(\w+)","kind":"(\w+)",(?:"record":\{)?"id":"([^"\\]+)"/g
const ANY_CHANGE = /"op":"(?:add|set|drop|archive)"/g
