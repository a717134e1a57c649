import { changeBetween, recordsOf } from "../graph/state.ts"
import type { Entry } from "../schemas/entry.ts"
import { recordIdOf } from "../schemas/op.ts"
import { type AnyRecord, type Kind, kinds } from "../schemas/records.ts"
import { shortId } from "../shared/ids.ts"
import type { Pausing } from "../shared/slices.ts"
import type { Archive } from "./archive/archive.ts"
import { readFileSync } from "./files/hive-fs.ts"
import type { HivePaths } from "./files/layout.ts"
import { type FoundLine, follow } from "./log/follower.ts"
import type { SegmentSum } from "./log/line.ts"
import { changedRange } from "./log/segment-sum.ts"
import { segmentNumbers, segmentPath } from "./log/segments.ts"
import { changesIn, replayLog } from "./replay.ts"
import type { Manifest } from "./snapshot/manifest.ts"
import { logName, logPosition, type View } from "./view.ts"

export type DifferenceCode =
  | "lost_entries"
  | "broken_line"
  /** A damaged line. The graph lacks its records, too. */
  | "lost_line"
  /** A damaged line whose entry came back in a later line. */
  | "restored_line"
  /** The line of an interrupted write, which was never acknowledged. No data is lost. */
  | "torn_line"
  /** A repair that HiveMind made while reading. The next ordered write logs it. */
  | "not_logged_yet"
  /** A record differs from the log, and no repair explains the difference. */
  | "not_logged"
  | "lost_record"

export type Difference = { code: DifferenceCode; text: string }

export function* compareWithLog(view: View, paths: HivePaths, archive: Archive): Pausing<Difference[]> {
  const isThere = ({ kind, id }: RecordName) =>
    kinds.some(
      (each) => each === kind && (recordsOf(view.state, each).has(id) || view.takenOut[each].has(id)),
    ) ||
    (kind === "mem" && archive.has(id))
  const differences = yield* damagedLines(paths, view.base, isThere)
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

type RecordName = { kind: string; id: string }
type IsThere = (record: RecordName) => boolean
type Damage = Difference & { line?: FoundLine }

/** Finds damage in all segments. Those that are in the graph files are read only here. */
function* damagedLines(paths: HivePaths, base: Manifest, isThere: IsThere): Pausing<Difference[]> {
  const found: Damage[] = []
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
  // Seals repeat the checksums of earlier segments, so all checksums of a segment are known only after the loop.
  for (const [number, lines] of sealed) found.push(...(yield* damageIn(paths, number, lines, sums, isThere)))
  const open = new Map<number, FoundLine[]>()
  for (const each of follow(paths.log, { segment: base.through + 1, offset: 0 })) {
    yield
    if (each?.line.what !== "broken" || each.line.isTorn) continue
    const { segment } = each.position
    const lines = open.get(segment) ?? []
    lines.push(each)
    open.set(segment, lines)
  }
  for (const [number, lines] of open) found.push(...(yield* damageIn(paths, number, lines, [], isThere)))
  return yield* withRestored(paths, found)
}

/**
 * Reports damaged lines. A torn line is no damage, unless its bytes changed after the segment was sealed. With
 * `isThere`, the graph was made from the segment as it was sealed: it lacks a line that was damaged before.
 */
function* damageIn(
  { log }: HivePaths,
  segment: number,
  broken: readonly FoundLine[],
  sums: readonly SegmentSum[],
  isThere?: IsThere,
): Pausing<Damage[]> {
  const name = logName(segment)
  let changed: { from: number; to: number } | undefined
  for (const sum of sums) if (sum.segment === segment) changed ??= yield* changedRange(log, sum)
  const found: Damage[] = []
  let isExplained = changed === undefined
  const lineAt = lineCounter(segmentPath(log, segment))
  for (const each of broken) {
    const { line, position, bytes } = each
    if (line.what !== "broken") continue
    const start = position.offset - bytes.length - 1
    const isChanged = changed !== undefined && start < changed.to && position.offset > changed.from
    const text = `${name}:${lineAt(position.offset - 1)}: ${line.reason}`
    const missing = isThere === undefined || isChanged || line.isTorn ? undefined : missingIn(bytes, isThere)
    if (missing !== undefined) found.push({ code: "lost_line", text: `${text}; ${missing}`, line: each })
    else found.push({ code: line.isTorn && !isChanged ? "torn_line" : "broken_line", text, line: each })
    isExplained ||= isChanged && !line.isTorn
  }
  if (changed === undefined || isExplained) return found
  const { from, to } = changed
  const numberOf = lineCounter(segmentPath(log, segment))
  const place = `${name}:${numberOf(from)}-${numberOf(to - 1)}`
  const text = `${place}: a line was removed, added or changed (bytes ${from} to ${to - 1})`
  return [...found, { code: "lost_entries", text }]
}

/** Names the records of a damaged line that the graph lacks; undefined if it has them. */
function missingIn(bytes: Buffer, isThere: IsThere): string | undefined {
  const changes = changesIn(bytes)
  if (changes === undefined) return "what it saved cannot be read"
  const lost = changes.filter((change) => change.op !== "add" || !isThere(change))
  const names = [...new Set(lost.map(({ kind, id }) => `${kind} ${shortId(id)}`))].slice(0, MAX_NAMED)
  return names.length === 0 ? undefined : `missing: ${names.join(", ")}`
}

/**
 * Marks damaged lines whose entry the log has again: with the same id or, if that is damaged, with a clock between
 * those of the lines around it.
 */
function* withRestored({ log }: HivePaths, found: readonly Damage[]): Pausing<Difference[]> {
  const gaps = new Map<string, Gap>()
  for (const { line } of found.slice(0, MAX_COMPARED))
    if (line !== undefined) gaps.set(placeOf(line), { id: ENTRY_ID.exec(line.bytes.toString("latin1"))?.[1] })
  const ids = new Set<string>()
  const brought: Pick<Entry, "writer" | "clock">[] = []
  let last: Entry | undefined
  let open: Gap[] = []
  for (const segment of gaps.size === 0 ? [] : segmentNumbers(log))
    for (const each of follow(log, { segment, offset: 0 }, { stopAtSeal: true })) {
      yield
      const found = each?.line.what === "broken" ? gaps.get(placeOf(each)) : undefined
      if (found !== undefined) {
        found.before = last
        open.push(found)
      }
      if (each?.line.what !== "entry") continue
      last = each.line.entry
      const { id, writer, clock } = last
      for (const gap of open) gap.after = last
      open = []
      ids.add(id)
      if (last.brought !== undefined) brought.push({ writer, clock })
    }
  const isBack = ({ id = "", before, after }: Gap) =>
    ids.has(id) ||
    brought.some(
      ({ writer, clock }) =>
        writer === (before ?? after)?.writer &&
        clock > (before?.clock ?? 0) &&
        clock < (after?.clock ?? Number.POSITIVE_INFINITY),
    )
  return found.map(({ code, text, line }) => {
    const gap = line === undefined ? undefined : gaps.get(placeOf(line))
    return { code: gap !== undefined && isBack(gap) ? "restored_line" : code, text }
  })
}

type Gap = { id: string | undefined; before?: Entry | undefined; after?: Entry }

function placeOf({ position: { segment, offset } }: FoundLine): string {
  return `${segment} ${offset}`
}

/** Returns a function that converts an offset to a line number. Offsets must ascend from call to call. */
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
const MAX_NAMED = 5
const MAX_COMPARED = 1000
const ENTRY_ID = /^\{"id":"([0-9a-f-]{36})"/
const NEWLINE = 0x0a
