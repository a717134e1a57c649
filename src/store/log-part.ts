import { arrivalOf, type Entry } from "../schemas/entry.ts"
import type { Pausing } from "../shared/slices.ts"
import type { HivePaths } from "./files/layout.ts"
import { entriesBackwards, type ScanOptions } from "./scan.ts"
import type { LogPart } from "./store.ts"
import type { View } from "./view.ts"

/** The entries of a part of the log, oldest first. */
export function* logPart(view: View, paths: HivePaths, part: LogPart): Pausing<Entry[]> {
  const { since, after, limit, isOwn = false, tool = "", kinds, besides = [] } = part
  const found: Entry[] = []
  for (const entry of logBackwards(view, paths, { since, after, isWanted: linesOf(part) })) {
    if (entry === undefined) yield
    else if (isOwn && entry.brought !== undefined) continue
    else if (!entry.by.tool.startsWith(tool) || !isOf(entry, kinds)) continue
    else if (besides.some((each) => entry.by.tool.startsWith(each))) continue
    else if (since !== undefined && arrivalOf(entry) < since) break
    else if (found.push(entry) >= (limit ?? Number.POSITIVE_INFINITY)) break
  }
  return found.reverse()
}

/** Does an entry change records of one of these kinds? */
export function isOf({ ops }: Entry, kinds: LogPart["kinds"]): boolean {
  return kinds === undefined || ops.some((op) => "kind" in op && kinds.includes(op.kind))
}

export type BackwardsOptions = Pick<ScanOptions, "isWanted" | "since" | "after">

/** What of the log a view counts, newest first. */
export function logBackwards(
  { base, late, position }: View,
  paths: HivePaths,
  options?: BackwardsOptions,
): Generator<Entry | undefined, void, void> {
  const uncounted = new Set([...base.void, ...late.keys()])
  const isUncounted = (id: string) => uncounted.has(id)
  return entriesBackwards(paths, { ...options, upTo: { ...position }, isUncounted })
}

/** Tells, as a line stands in the file, whether a part of the log may want it: the others need not even be parsed. */
function linesOf({ naming, tool, kinds, isOwn }: LogPart): ((line: Buffer) => boolean) | undefined {
  if (naming !== undefined) return holding(naming)
  if (kinds !== undefined) {
    const all = kinds.map((kind) => Buffer.from(`"kind":"${kind}"`))
    return (line) => all.some((bytes) => line.includes(bytes))
  }
  if (tool !== undefined) {
    // Within a text its quotes would not stand like that.
    const bytes = Buffer.from(`"tool":${JSON.stringify(tool).slice(0, -1)}`)
    return (line) => line.includes(bytes)
  }
  return isOwn ? (line) => !line.includes(BROUGHT) : undefined
}

function holding(text: string): (line: Buffer) => boolean {
  const bytes = Buffer.from(JSON.stringify(text).slice(1, -1))
  return (line) => line.includes(bytes)
}

// Within a text its quotes would not stand like that.
const BROUGHT = Buffer.from('"brought":"')
