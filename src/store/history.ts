import { emptyState, type GraphState, recordsOf } from "../graph/state.ts"
import { arrivalOf, type Entry } from "../schemas/entry.ts"
import type { Mem } from "../schemas/knowledge.ts"
import { isAddOf, type Op } from "../schemas/op.ts"
import { type AnyRecord, kinds } from "../schemas/records.ts"
import { HiveError } from "../shared/error.ts"
import type { Pausing } from "../shared/slices.ts"
import type { HivePaths } from "./files/layout.ts"
import { linesBackwards } from "./log/backwards.ts"
import { checkedBody, parseLine } from "./log/line.ts"
import { segmentNumbers } from "./log/segments.ts"
import { segmentEntries } from "./replay.ts"
import type { LogPart } from "./store.ts"
import type { View } from "./view.ts"

/** The entries of a part of the log, oldest first. */
export function* logPart(view: View, paths: HivePaths, part: LogPart): Pausing<Entry[]> {
  const {
    since,
    after,
    limit = Number.POSITIVE_INFINITY,
    isOwn = false,
    tool = "",
    kinds,
    besides = [],
  } = part
  const found: Entry[] = []
  for (const entry of logBackwards(view, paths, { since, after, isWanted: lineFilter(part) })) {
    if (entry === undefined) yield
    else if (isOwn && entry.brought !== undefined) continue
    else if (!entry.by.tool.startsWith(tool) || !isOf(entry, kinds)) continue
    else if (besides.some((each) => entry.by.tool.startsWith(each))) continue
    else if (since !== undefined && arrivalOf(entry) < since) break
    else if (found.push(entry) >= limit) break
  }
  return found.reverse()
}

/** True if an entry changes records of one of these kinds. */
export function isOf({ ops }: Entry, kinds: LogPart["kinds"]): boolean {
  return kinds === undefined || ops.some((op) => "kind" in op && kinds.includes(op.kind))
}

/** Selects lines by their bytes, so that the others need not be parsed. */
function lineFilter({ naming, tool, kinds, isOwn }: LogPart): ((line: Buffer) => boolean) | undefined {
  const holds = (text: string) => {
    const bytes = Buffer.from(text)
    return (line: Buffer) => line.includes(bytes)
  }
  if (naming !== undefined) return holds(JSON.stringify(naming).slice(1, -1))
  // In a text of a record, these quotes would be escaped.
  if (kinds !== undefined) {
    const all = kinds.map((kind) => holds(`"kind":"${kind}"`))
    return (line) => all.some((hasKind) => hasKind(line))
  }
  if (tool !== undefined) return holds(`"tool":${JSON.stringify(tool).slice(0, -1)}`)
  return isOwn ? (line) => !line.includes(BROUGHT) : undefined
}

/** Finds the entry with this id, or with a unique id that starts like this. Refuses one that is undone. */
export function* findEntry(newestFirst: Iterable<Entry | undefined>, id: string): Pausing<Entry> {
  const undos: Entry[] = []
  const found: Entry[] = []
  for (const entry of newestFirst) {
    if (entry === undefined) {
      yield
      continue
    }
    if (entry.undoes !== undefined) undos.push(entry)
    const isExact = entry.id === id
    if (isExact) found.length = 0
    if (isExact || (id.length >= 4 && entry.id.startsWith(id))) found.push(entry)
    // An undo comes after the entry that it undoes: older ones need not be read.
    if (isExact) break
  }
  const [only] = found
  if (only === undefined || found.length > 1) throw notFound(id, found)
  const undone = undos.find((entry) => entry.undoes === only.id && isInForce(entry, undos))
  if (undone !== undefined) throw undoneAlready(id, only, undone)
  return only
}

/** An undo counts unless it was itself undone. */
function isInForce(entry: Entry, undos: readonly Entry[]): boolean {
  return !undos.some((other) => other.undoes === entry.id && isInForce(other, undos))
}

function undoneAlready(id: string, entry: Entry, by: Entry): HiveError {
  return new HiveError({
    code: "conflict",
    what: `The entry ${id} was undone already.`,
    why: `The entry ${by.id} did that.`,
    use_instead: `Undo ${by.id} to bring it back.`,
    evidence: `${by.id} undoes ${entry.id}`,
  })
}

function notFound(id: string, found: readonly Entry[]): HiveError {
  return new HiveError({
    code: "not_found",
    what: found.length === 0 ? `There is no entry ${id}.` : `"${id}" could be ${found.length} entries.`,
    why: "An entry is named by its id, or by the first characters of it that are enough.",
    use_instead: "Take an id from `hivemind log`.",
    evidence: found.map((entry) => entry.id).join(", ") || "no match",
  })
}

export interface BackwardsOptions {
  /** Other lines are skipped without parsing them. */
  isWanted?: ((line: Buffer) => boolean) | undefined
  /** Skips segments from before that time (ISO). */
  since?: string | undefined
  /** Stops at the entry with this id. */
  after?: string | undefined
}

/**
 * The entries that count in a view, newest first, so that reading the last ones reads no others. `undefined` is a pause. Of
 * a write that was tried twice only the later entry counts.
 */
export function logBackwards(
  { base, overtaken, position }: View,
  paths: HivePaths,
  { isWanted = () => true, since, after }: BackwardsOptions = {},
): Generator<Entry | undefined, void, void> {
  const seen = new Set([...base.void, ...overtaken.keys()])
  const last = after === undefined ? undefined : Buffer.from(`{"id":${JSON.stringify(after)},`)
  // The log as it is at the call, not when the first entry is read.
  const upTo = { ...position }
  return entries()

  function* entries(): Generator<Entry | undefined, void, void> {
    let count = 0
    for (const number of segmentNumbers(paths.log).reverse()) {
      if (number > upTo.segment) continue
      const end = number === upTo.segment ? upTo.offset : undefined
      for (const bytes of linesBackwards(paths.log, number, end)) {
        if (bytes === undefined || ++count % LINES_PER_PAUSE === 0) yield undefined
        if (bytes === undefined) continue
        if (last?.equals(bytes.subarray(0, last.length)) && checkedBody(bytes, number) !== undefined) return
        const line = isWanted(bytes) ? parseLine(bytes, number) : undefined
        if (line?.what !== "entry" || seen.has(line.entry.id)) continue
        seen.add(line.entry.id)
        yield line.entry
      }
      if (since !== undefined && (startOf(paths, number) ?? since) < since) return
    }
  }
}

/** When the first entry of a segment came here. Found without parsing: a line can be long. */
function startOf(paths: HivePaths, number: number): string | undefined {
  let start: string | undefined
  const look = (line: Buffer): boolean => {
    start ??= timeAfter(line, BROUGHT) ?? timeAfter(line, AT)
    return false
  }
  for (const _ of segmentEntries(paths, number, look)) if (start !== undefined) break
  return start
}

function timeAfter(line: Buffer, mark: Buffer): string | undefined {
  const found = line.indexOf(mark)
  if (found < 0) return undefined
  const begin = found + mark.length
  const text = line.toString("latin1", begin, begin + MAX_TIME_CHARS)
  return /^\d{4}-[^"]*Z/.exec(text)?.[0]
}

/**
 * The graph as it was at a moment: the present one, with every later entry taken back, newest first. So it costs what has
 * happened since, not what ever has. Counters of sessions have no past.
 *
 * The graph may change while it is copied. The log is read after that: entries written meanwhile are taken back as well,
 * with the same result whether the copy has them or not.
 */
export function* asOf(
  now: GraphState,
  newestFirst: () => Iterable<Entry | undefined>,
  time: number,
  archived: (id: string) => Mem | undefined,
): Pausing<GraphState> {
  const then = emptyState()
  for (const kind of kinds) {
    if (kind === "metrics") continue
    const target = recordsOf(then, kind)
    let count = 0
    for (const [id, record] of recordsOf(now, kind)) {
      target.set(id, record)
      if (++count % RECORDS_PER_PAUSE === 0) yield
    }
  }
  // A mem that came back from the archive was in there as it came.
  const returned = new Map<string, Mem>()
  for (const entry of newestFirst()) {
    if (entry === undefined) yield
    else if (Date.parse(arrivalOf(entry)) <= time) break
    else
      for (const op of [...entry.ops].reverse()) {
        if (isAddOf(op, "mem")) returned.set(op.record.id, op.record)
        takeBack(then, op, (id) => returned.get(id) ?? archived(id))
        yield
      }
  }
  return then
}

function takeBack(state: GraphState, op: Op, archived: (id: string) => Mem | undefined): void {
  if (!("kind" in op) || op.kind === "metrics") return
  const records = recordsOf(state, op.kind)
  switch (op.op) {
    case "add":
      records.delete(op.record.id)
      break
    case "set": {
      const after = records.get(op.id)
      // Fields of a record of this kind, as reading the line has checked.
      if (after !== undefined) records.set(op.id, { ...after, ...op.was } as AnyRecord)
      break
    }
    case "drop":
      records.set(op.id, op.was)
      break
    case "archive": {
      const mem = archived(op.id)
      if (mem !== undefined) records.set(op.id, mem)
    }
  }
}

const LINES_PER_PAUSE = 20
const RECORDS_PER_PAUSE = 500
// In a text of a record, their quotes would be escaped. An entry's own time comes before those of its records.
const BROUGHT = Buffer.from('"brought":"')
const AT = Buffer.from('"at":"')
const MAX_TIME_CHARS = 30
