import { applyOp, emptyState, type GraphState } from "../graph/state.ts"
import type { Entry } from "../schemas/entry.ts"
import { type Op, recordIdOf } from "../schemas/op.ts"
import type { Kind } from "../schemas/records.ts"
import type { Pausing } from "../shared/slices.ts"
import type { HivePaths } from "./files/layout.ts"
import { follow } from "./log/follower.ts"
import { segmentNumbers } from "./log/segments.ts"
import type { Manifest } from "./snapshot/manifest.ts"

export interface LoggedGraph {
  state: GraphState
  /** Mems that went to the archive and did not come back. */
  archived: ReadonlySet<string>
  /** Mems that were dropped. */
  dropped: ReadonlySet<string>
}

/** The graph that the log makes, from nothing up to the end of what a manifest covers; all of it, or some records. */
export function* replayLog(
  paths: HivePaths,
  { through, void: uncounted }: Pick<Manifest, "through" | "void">,
  isWanted: (kind: Kind, id: string) => boolean = () => true,
  isWantedLine: (line: Buffer) => boolean = () => true,
  /** Archived mems stay in the state that is returned. */
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
  for (const entry of entriesForwards(paths, through, isWantedLine)) {
    if (entry !== undefined && !skipped.has(entry.id)) for (const op of entry.ops) apply(op)
    yield
  }
  return { state, archived, dropped }
}

/** Every entry of the log up to the end of a segment, oldest first; of entries with the same id the last one counts. */
function* entriesForwards(
  paths: HivePaths,
  through: number,
  isWanted: (line: Buffer) => boolean,
): Generator<Entry | undefined, void, void> {
  for (const number of segmentNumbers(paths.log)) {
    if (number > through) return
    yield* segmentEntries(paths, number, isWanted)
  }
}

/** The entries of one segment, each once. */
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
