import { emptyState, type GraphState, recordsOf } from "../graph/state.ts"
import { arrivalOf, type Entry } from "../schemas/entry.ts"
import type { Mem } from "../schemas/knowledge.ts"
import { isAddOf, type Op } from "../schemas/op.ts"
import { type AnyRecord, kinds } from "../schemas/records.ts"
import { HiveError } from "../shared/error.ts"
import type { Pausing } from "../shared/slices.ts"
import type { HivePaths } from "./files/layout.ts"
import { linesBackwards } from "./log/follower.ts"
import { checkedBody, parseLine } from "./log/line.ts"
import { segmentNumbers } from "./log/segments.ts"
import type { LogPart } from "./store.ts"
import type { View } from "./view.ts"

export function* logPart(view: View, paths: HivePaths, part: LogPart): Pausing<Entry[]> {
  const { since, limit = Number.POSITIVE_INFINITY, isOwn = false, tool = "", besides = [] } = part
  const found: Entry[] = []
  for (const entry of logBackwards(view, paths, { ...part, isWanted: lineFilter(part) })) {
    if (entry === undefined) yield
    else if (isOwn && entry.brought !== undefined) continue
    else if (!entry.by.tool.startsWith(tool) || !isOf(entry, part.kinds)) continue
    else if (besides.some((each) => entry.by.tool.startsWith(each))) continue
    else if (since !== undefined && arrivalOf(entry) < since) break
    else if (found.push(entry) >= limit) break
  }
  return found.reverse()
}

export function isOf({ ops }: Entry, kinds: LogPart["kinds"]): boolean {
  return kinds === undefined || ops.some((op) => "kind" in op && kinds.includes(op.kind))
}

/** Selects lines by their bytes, because parsing every line would be slower. */
function lineFilter({ naming, tool, kinds, isOwn }: LogPart): (line: Buffer) => boolean {
  const holds = (text: string) => {
    const bytes = Buffer.from(text)
    return (line: Buffer) => line.includes(bytes)
  }
  if (naming !== undefined) return holds(JSON.stringify(naming).slice(1, -1))
  if (kinds !== undefined) {
    const all = kinds.map((kind) => holds(`"kind":"${kind}"`))
    return (line) => all.some((hasKind) => hasKind(line))
  }
  if (tool !== undefined) return holds(`"tool":${JSON.stringify(tool).slice(0, -1)}`)
  return (line) => isOwn !== true || !line.includes(BROUGHT)
}

/** Finds an entry by its id, or by a unique beginning of it. Throws if the entry was undone already. */
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
    // The log is read newest first, so an undo of this entry would already have been seen.
    if (isExact) break
  }
  const [only] = found
  if (only === undefined || found.length > 1)
    throw new HiveError({
      code: "not_found",
      what: found.length === 0 ? `There is no entry ${id}.` : `"${id}" matches ${found.length} entries.`,
      why: "Give an entry's id, or at least its first 4 characters if no other id starts with them.",
      use_instead: "Take an id from `hivemind log`.",
      evidence: found.map((entry) => entry.id).join(", ") || "no match",
    })
  const undone = undos.find((entry) => entry.undoes === only.id && isInForce(entry, undos))
  if (undone !== undefined)
    throw new HiveError({
      code: "conflict",
      what: `The entry ${id} was undone already.`,
      why: `The entry ${undone.id} undid it.`,
      use_instead: `Undo ${undone.id} to bring it back.`,
      evidence: `${undone.id} undoes ${only.id}`,
    })
  return only
}

function isInForce(entry: Entry, undos: readonly Entry[]): boolean {
  return !undos.some((other) => other.undoes === entry.id && isInForce(other, undos))
}

type BackwardsOptions = Pick<LogPart, "since" | "after"> & { isWanted?: (line: Buffer) => boolean }

/** Yields the valid entries of the log, newest first. If an entry was written twice, yields the later copy. */
export function logBackwards(
  { base, overtaken, position }: View,
  paths: HivePaths,
  { isWanted = () => true, since, after }: BackwardsOptions = {},
): Generator<Entry | undefined, void, void> {
  const seen = new Set([...base.void, ...overtaken.keys()])
  const last = after === undefined ? undefined : Buffer.from(`{"id":${JSON.stringify(after)},`)
  // Entries that are written after this call are not yielded, so the position is copied.
  const upTo = { ...position }
  return entries()

  function* entries(): Generator<Entry | undefined, void, void> {
    let count = 0
    for (const number of segmentNumbers(paths.log).reverse()) {
      if (number > upTo.segment) continue
      let oldest: Buffer | undefined
      const end = number === upTo.segment ? upTo.offset : undefined
      for (const bytes of linesBackwards(paths.log, number, end)) {
        if (bytes === undefined || ++count % LINES_PER_PAUSE === 0) yield undefined
        if (bytes === undefined) continue
        oldest = bytes
        if (last?.equals(bytes.subarray(0, last.length)) && checkedBody(bytes, number) !== undefined) return
        const line = isWanted(bytes) ? parseLine(bytes, number) : undefined
        if (line?.what !== "entry" || seen.has(line.entry.id)) continue
        seen.add(line.entry.id)
        yield line.entry
      }
      if (since !== undefined && oldest !== undefined && (timeOf(oldest) ?? since) < since) return
    }
  }
}

/** Finds the time of an entry without parsing its line, which can be long. */
function timeOf(line: Buffer): string | undefined {
  return timeAfter(line, BROUGHT) ?? timeAfter(line, AT)
}

function timeAfter(line: Buffer, mark: Buffer): string | undefined {
  const found = line.indexOf(mark)
  if (found < 0) return undefined
  const begin = found + mark.length
  const text = line.toString("latin1", begin, begin + MAX_TIME_CHARS)
  return /^\d{4}-[^"]*Z/.exec(text)?.[0]
}

/** Copies the present graph and reverts all later entries, also those written during the copying. */
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
  // The content of mems when they returned from the archive. Reverting an older `archive` op needs it.
  const returned = new Map<string, Mem>()
  for (const entry of newestFirst()) {
    if (entry === undefined) yield
    else if (Date.parse(arrivalOf(entry)) <= time) break
    else
      for (const op of [...entry.ops].reverse()) {
        if (isAddOf(op, "mem")) returned.set(op.record.id, op.record)
        revertOp(then, op, (id) => returned.get(id) ?? archived(id))
        yield
      }
  }
  return then
}

function revertOp(state: GraphState, op: Op, archived: (id: string) => Mem | undefined): void {
  if (!("kind" in op) || op.kind === "metrics") return
  const records = recordsOf(state, op.kind)
  switch (op.op) {
    case "add":
      records.delete(op.record.id)
      break
    case "set": {
      const after = records.get(op.id)
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
// Quotes in a record's text are escaped, so BROUGHT and AT match only keys. An entry's time precedes those of its records.
const BROUGHT = Buffer.from('"brought":"')
const AT = Buffer.from('"at":"')
const MAX_TIME_CHARS = 30
