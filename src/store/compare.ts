import { changeBetween, recordsOf } from "../graph/state.ts"
import { recordIdOf } from "../schemas/op.ts"
import { type AnyRecord, type Kind, kinds } from "../schemas/records.ts"
import type { Pausing } from "../shared/slices.ts"
import type { Archive } from "./archive/archive.ts"
import { readFileSync } from "./files/hive-fs.ts"
import type { HivePaths } from "./files/layout.ts"
import { type FoundLine, follow } from "./log/follower.ts"
import type { SegmentSum } from "./log/line.ts"
import { changedRange } from "./log/segment-sum.ts"
import { segmentNumbers, segmentPath } from "./log/segments.ts"
import { replayLog } from "./replay.ts"
import type { Manifest } from "./snapshot/manifest.ts"
import { logName, logPosition, type View } from "./view.ts"

export type DifferenceCode =
  | "lost_entries"
  | "broken_line"
  /** An interrupted write that was never acknowledged. This is no damage. */
  | "torn_line"
  /** A repair that HiveMind made while reading. The next ordered write logs it. */
  | "not_logged_yet"
  /** A record differs from the log, and no repair explains the difference. */
  | "not_logged"
  | "lost_record"

export type Difference = { code: DifferenceCode; text: string }

export function* compareWithLog(view: View, paths: HivePaths, archive: Archive): Pausing<Difference[]> {
  const differences = yield* damagedLines(paths, view.base)
  const logged = yield* replayLog(paths, logPosition(view))
  const pending = new Set(view.repairs.flatMap((op) => ("kind" in op ? `${op.kind} ${recordIdOf(op)}` : [])))
  const isPending = (kind: Kind, id: string) => pending.has(`${kind} ${id}`)
  for (const kind of kinds) {
    if (kind === "metrics") continue
    const now = recordsOf(view.state, kind)
    const then = recordsOf(logged.state, kind)
    let count = 0
    for (const [id, record] of now) {
      const text = describeChange(`${kind} ${id}`, then.get(id), record)
      if (text !== undefined)
        differences.push({ code: isPending(kind, id) ? "not_logged_yet" : "not_logged", text })
      if (++count % PAUSE_EVERY === 0) yield
    }
    for (const id of then.keys()) {
      if (now.has(id) || view.takenOut[kind].has(id)) continue
      const code = isPending(kind, id) ? "not_logged_yet" : "lost_record"
      differences.push({ code, text: `${kind} ${id} is in the log, but not in the graph` })
    }
  }
  for (const text of yield* archive.check()) differences.push({ code: "broken_line", text })
  for (const id of yield* archive.lacking(logged.archived))
    differences.push({ code: "lost_record", text: `mem ${id} is in the log, but not in the archive` })
  return differences
}

function describeChange(name: string, before: AnyRecord | undefined, record: AnyRecord): string | undefined {
  if (before === undefined) return `${name} is in the graph, but not in the log`
  const change = changeBetween<AnyRecord>(before, record)
  if (change === undefined) return undefined
  return `${name} differs from the log: ${Object.keys(change.to).join(", ")}`
}

/** Checks sealed log segments, because loading the graph does not read them. */
function* damagedLines(paths: HivePaths, base: Manifest): Pausing<Difference[]> {
  const found: Difference[] = []
  const there = new Set(segmentNumbers(paths.log))
  const sums = [...base.sealed]
  const sealed = new Map<number, FoundLine[]>()
  for (let number = 1; number <= base.through; number++) {
    const lines: FoundLine[] = []
    for (const each of follow(paths.log, { segment: number, offset: 0 }, { stopAtSeal: true })) {
      if (each?.line.what === "broken") lines.push(each)
      if (each?.line.what === "seal") sums.push(...each.line.sealed)
      if (each?.line.what === "seal") sealed.set(number, lines)
      yield
    }
    if (sealed.has(number)) continue
    const what = there.has(number) ? "has lost its end" : "is gone"
    found.push({ code: "lost_entries", text: `${logName(number)} ${what}` })
    found.push(...(yield* damageIn(paths, number, lines, [])))
  }
  // Each seal repeats the checksums of earlier segments, so all checksums of a segment are known only now.
  for (const [number, lines] of sealed) found.push(...(yield* damageIn(paths, number, lines, sums)))
  return found
}

/** Reports damaged lines. A torn line is no damage, unless its bytes changed after the segment was sealed. */
function* damageIn(
  { log }: HivePaths,
  segment: number,
  broken: readonly FoundLine[],
  sums: readonly SegmentSum[],
): Pausing<Difference[]> {
  const name = logName(segment)
  let changed: { from: number; to: number } | undefined
  for (const sum of sums) if (sum.segment === segment) changed ??= yield* changedRange(log, sum)
  const found: Difference[] = []
  let isExplained = changed === undefined
  const lineAt = lineCounter(segmentPath(log, segment))
  for (const { line, position, bytes } of broken) {
    if (line.what !== "broken") continue
    const start = position.offset - bytes.length - 1
    const isChanged = changed !== undefined && start < changed.to && position.offset > changed.from
    const code = line.isTorn && !isChanged ? "torn_line" : "broken_line"
    found.push({ code, text: `${name}:${lineAt(position.offset - 1)}: ${line.reason}` })
    isExplained ||= isChanged && !line.isTorn
  }
  if (changed === undefined || isExplained) return found
  const { from, to } = changed
  const numberOf = lineCounter(segmentPath(log, segment))
  const place = `${name}:${numberOf(from)}-${numberOf(to - 1)}`
  const text = `${place}: a line was removed, added or changed (bytes ${from} to ${to - 1})`
  return [...found, { code: "lost_entries", text }]
}

/** Returns a function that gives the line number of an offset. Offsets must ascend from call to call. */
function lineCounter(path: string): (offset: number) => number {
  let bytes: Buffer | undefined
  let line = 1
  let counted = 0
  return (offset) => {
    bytes ??= readFileSync(path)
    for (;;) {
      const newline = bytes.indexOf(NEWLINE, counted)
      if (newline < 0 || newline >= offset) return line
      line++
      counted = newline + 1
    }
  }
}

const PAUSE_EVERY = 200
const NEWLINE = 0x0a
