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

/** Computes the graph from the log alone, up to the end of segment `through`. `void` are entries that have no effect. */
export function* replayLog(
  paths: HivePaths,
  { through, void: uncounted }: Pick<Manifest, "through" | "void">,
  isWanted: (kind: Kind, id: string) => boolean = () => true,
  isWantedLine: (line: Buffer) => boolean = () => true,
  keepsArchived = false,
): Pausing<{ state: GraphState; archived: ReadonlySet<string>; dropped: ReadonlySet<string> }> {
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

function* segmentEntries(
  paths: HivePaths,
  number: number,
  isWanted: (line: Buffer) => boolean,
): Generator<Entry | undefined, void, void> {
  for (const found of follow(paths.log, { segment: number, offset: 0 }, { isWanted, stopAtSeal: true })) {
    if (found === undefined) yield undefined
    else if (found.line.what === "entry") yield found.line.entry
  }
}

/** Finds the records that a line changes, faster than by parsing. Undefined if the line has an unexpected format. */
export function changesIn(line: Buffer): { op: string; kind: string; id: string }[] | undefined {
  const text = line.toString("latin1")
  if (!text.startsWith(ENTRY_START)) return undefined
  const changes = Array.from(text.matchAll(CHANGE), ([, op = "", kind = "", id = ""]) => ({ op, kind, id }))
  // Quotes in texts are escaped, so every match is an op.
  return changes.length === [...text.matchAll(ANY_CHANGE)].length ? changes : undefined
}

const ENTRY_START = '{"id":"'
const CHANGE = /"op":"(\w+)","kind":"(\w+)",(?:"record":\{)?"id":"([^"\\]+)"/g
const ANY_CHANGE = /"op":"(?:add|set|drop|archive)"/g
