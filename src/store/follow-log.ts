import { quarantined } from "../graph/problem.ts"
import { applyOp } from "../graph/state.ts"
import type { Entry } from "../schemas/entry.ts"
import { type Op, recordIdOf } from "../schemas/op.ts"
import type { HivePaths } from "./files/layout.ts"
import { type FoundLine, follow } from "./log/follower.ts"
import { logName, note, noteChange, type View } from "./view.ts"

/** Applies the entries that were written to the log since the last call; pauses between pieces. */
export function* followLog(view: View, paths: HivePaths): Generator<void, void, void> {
  // A reading that was paused sees only what was there when it began. Two at a time would both move the position and
  // skip lines. While this one was paused, others may have finished that reading and begun another.
  while (view.following !== undefined) yield* continueReading(view, view.following)
  yield* continueReading(view, applyLines(view, paths))
}

function* continueReading(view: View, steps: Generator<void, void, void>): Generator<void, void, void> {
  view.following = steps
  try {
    while (!steps.next().done) yield
  } finally {
    if (view.following === steps) view.following = undefined
  }
}

function* applyLines(view: View, paths: HivePaths): Generator<void, void, void> {
  for (const found of follow(paths.log, view.position)) {
    if (found === undefined) yield
    else applyLine(view, found)
  }
}

function applyLine(view: View, { line, position, bytes }: FoundLine): void {
  switch (line.what) {
    case "seal":
      view.onSeal?.(position.segment)
      break
    case "broken": {
      const raw = bytes.toString("utf8", 0, MAX_RAW_BYTES)
      const code = line.isTorn ? "torn_line" : "broken_line"
      const problem = quarantined(code, logName(position.segment), line.reason, { raw })
      // The write of a torn line was never acknowledged.
      note(view, line.isTorn ? { ...problem, level: "warning" } : problem)
      break
    }
    case "entry":
      applyEntry(view, line.entry, position.segment)
  }
}

/**
 * An ordered entry counts if it has the number after the last one that counted. One with an earlier number was written on
 * a state that is no longer the newest: its writer had lost the lock. One with a later number follows a line that cannot
 * be read, which is reported for that line.
 */
function applyEntry(view: View, entry: Entry, segment: number): void {
  const { id, seq } = entry
  view.clock = Math.max(view.clock, entry.clock)
  if (view.applied.has(id)) return
  if (seq !== undefined) {
    if (seq <= view.seq) {
      const reason = "another entry came first; it was not applied"
      view.overtaken.set(id, quarantined("overtaken", logName(segment), reason, { id, raw: rawOf(entry) }))
      return
    }
    view.seq = seq
    view.overtaken.delete(id)
  }
  view.applied.set(id, segment)
  for (const op of entry.ops) applyChange(view, op, segment, entry)
}

function applyChange(view: View, op: Op, segment: number, entry: Entry): void {
  // Counts of sessions have a log of their own.
  if (!("kind" in op)) return
  noteChange(view, op, segment)
  const id = recordIdOf(op)
  const isBack = op.op === "add" && view.missing.has(id)
  if (isBack || view.takenOut[op.kind].has(id)) view.mustCheckLinks = true
  const reason = applyOp(view.state, op)
  if (reason === undefined) return
  const details = { kind: op.kind, id: entry.id, raw: rawOf(entry) }
  note(view, quarantined("missing_record", logName(segment), reason, details))
}

function rawOf(entry: Entry): string {
  return JSON.stringify(entry).slice(0, MAX_RAW_BYTES)
}

const MAX_RAW_BYTES = 10_000
