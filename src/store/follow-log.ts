import { type Problem, quarantined } from "../graph/problem.ts"
import { applyOp } from "../graph/state.ts"
import type { Entry } from "../schemas/entry.ts"
import { type Op, recordIdOf } from "../schemas/op.ts"
import { rememberBefore } from "./changes.ts"
import { HAND_EDIT } from "./entries.ts"
import { noteFiled, unlessOvertaken } from "./filed.ts"
import type { HivePaths } from "./files/layout.ts"
import { type FoundLine, follow } from "./log/follower.ts"
import { logName, note, type View } from "./view.ts"

/** Applies what was written to the log since the last look; pauses between pieces. */
export function* followLog(view: View, paths: HivePaths): Generator<void, void, void> {
  // A look that was paused sees only what was there when it began.
  if (view.following !== undefined) yield* goOn(view, view.following)
  yield* goOn(view, applyLines(view, paths))
}

function* goOn(view: View, steps: Generator<void, void, void>): Generator<void, void, void> {
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
    else takeLine(view, found)
  }
}

function takeLine(view: View, { line, position, bytes }: FoundLine): void {
  switch (line.what) {
    case "seal":
      view.onSeal?.(position.segment)
      break
    case "broken": {
      const raw = bytes.toString("utf8", 0, MAX_RAW_BYTES)
      const code = line.isTorn ? "torn_line" : "broken_line"
      const problem = quarantined(code, logName(position.segment), line.reason, { raw })
      // The writer of a torn line was told that its write failed, or did not live to be told anything.
      note(view, line.isTorn ? { ...problem, level: "warning" } : problem)
      break
    }
    case "entry":
      takeEntry(view, line.entry, position.segment)
  }
}

/**
 * An ordered entry counts if it comes next: it has the number after the last one that counted. One with an earlier
 * number was written on a state that is no longer the newest (its writer had lost the lock); one with a later number
 * follows a line that cannot be read, which is a problem of that line.
 */
function takeEntry(view: View, entry: Entry, segment: number): void {
  view.clock = Math.max(view.clock, entry.clock)
  if (view.applied.has(entry.id)) return
  if (entry.seq !== undefined) {
    if (entry.seq <= view.seq) {
      view.late.set(entry.id, lateProblem(entry, segment))
      return
    }
    view.seq = entry.seq
    view.late.delete(entry.id)
  }
  view.applied.set(entry.id, segment)
  for (const op of entry.ops) {
    if (entry.by.tool === HAND_EDIT.tool && "kind" in op) noteFiled(view, op)
    applyChange(view, op, segment, entry)
  }
}

function applyChange(view: View, op: Op, segment: number, entry: Entry): void {
  // What was measured of sessions has a log of its own.
  if (!("kind" in op)) return
  rememberBefore(view, op, segment)
  // What the log says of the same thing is later than what was seen in a file.
  if (view.edits.length > 0) view.edits = view.edits.flatMap((edit) => unlessOvertaken(edit, op))
  const id = recordIdOf(op)
  const isBack = op.op === "add" && view.missing.has(id)
  if (isBack || view.takenOut[op.kind].has(id)) view.isUnguarded = true
  const reason = applyOp(view.state, op)
  if (reason === undefined) return
  const { kind } = op
  const raw = JSON.stringify(entry).slice(0, MAX_RAW_BYTES)
  note(view, quarantined("missing_record", logName(segment), reason, { kind, id: entry.id, raw }))
}

function lateProblem(entry: Entry, segment: number): Problem {
  return quarantined("overtaken", logName(segment), "another entry came first; it was not applied", {
    id: entry.id,
    raw: JSON.stringify(entry).slice(0, MAX_RAW_BYTES),
  })
}

const MAX_RAW_BYTES = 10_000
