import { closeSync, readSync } from "node:fs"
import { StringDecoder } from "node:string_decoder"
import { addAnswer, type Spent, spentUnder } from "../../schemas/spent.ts"
import { type Usage, usage } from "../../schemas/usage.ts"
import type { Pausing } from "../../shared/slices.ts"
import { openSync, statSync } from "./hive-fs.ts"

/**
 * One month of the ledger, read only as far as it has grown, with running sums. Its answers can be let go of: then the
 * sums stay, and the file is read anew only if it changes after all.
 */
export function usageMonth(path: string) {
  let at = begin()
  let readers = 0

  /** What was appended since the last look. */
  function* readOn(): Pausing<Reading> {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    // Somebody has deleted or replaced it; or it has grown, and who was told twice is not known any more.
    if (size < at.bytes || (at.answers === undefined && size !== at.bytes)) at = begin()
    const mine = at
    if (mine.bytes < size) yield* readTo(mine, size)
    // Each line begins with its newline, so the last one may be whole.
    if (take(mine, mine.rest)) mine.rest = ""
    return mine
  }

  function* readTo(into: Reading, size: number): Pausing<void> {
    const fd = openSync(path, "r")
    readers++
    try {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
      while (into.bytes < size) {
        const count = readSync(fd, chunk, 0, Math.min(chunk.length, size - into.bytes), into.bytes)
        if (count === 0) break
        // Before the pause: whoever else reads on meanwhile goes on from here.
        into.bytes += count
        const lines = (into.rest + into.decoder.write(chunk.subarray(0, count))).split("\n")
        into.rest = lines.pop() ?? ""
        for (const line of lines) take(into, line)
        yield
      }
    } finally {
      readers--
      closeSync(fd)
    }
  }

  return {
    /** By the answer's id, in the order they were first told. */
    *answers(): Pausing<ReadonlyMap<string, Usage>> {
      if (at.answers === undefined) at = begin()
      return (yield* readOn()).answers ?? new Map()
    },
    *byTask(): Pausing<ReadonlyMap<string, Spent>> {
      return (yield* readOn()).byTask
    },
    /** By the hour ("2026-11-15T10") in which an answer ended. */
    *byDelegation(): Pausing<ReadonlyMap<string, ReadonlyMap<string, Spent>>> {
      return (yield* readOn()).byDelegation
    },
    letGo(): void {
      if (readers === 0) at.answers = undefined
    },
    /** How many answers are in memory. */
    kept: (): number => at.answers?.size ?? 0,
  }
}

export type UsageMonth = ReturnType<typeof usageMonth>

interface Reading {
  bytes: number
  rest: string
  decoder: StringDecoder
  answers: Map<string, Usage> | undefined
  byTask: Map<string, Spent>
  byDelegation: Map<string, Map<string, Spent>>
}

function begin(): Reading {
  const sums = { byTask: new Map(), byDelegation: new Map() }
  return { bytes: 0, rest: "", decoder: new StringDecoder("utf8"), answers: new Map(), ...sums }
}

/** False for a line that is torn, or no such record. */
function take(into: Reading, line: string): boolean {
  const found = parse(line)
  if (found === undefined) return false
  const before = into.answers?.get(found.message)
  if (before !== undefined) count(into, before, -1)
  count(into, found, 1)
  into.answers?.set(found.message, found)
  return true
}

function count({ byTask, byDelegation }: Reading, answer: Usage, sign: 1 | -1): void {
  const { task, delegation, at } = answer
  if (task !== null) addAnswer(spentUnder(byTask, task), answer, sign)
  if (delegation === null) return
  const hours = byDelegation.get(delegation) ?? new Map<string, Spent>()
  byDelegation.set(delegation, hours)
  addAnswer(spentUnder(hours, at.slice(0, HOUR_CHARS)), answer, sign)
}

function parse(line: string): Usage | undefined {
  if (line.trim() === "") return undefined
  try {
    return usage.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

const CHUNK_BYTES = 1 << 14
// Of "2026-11-15T10:00:00.000Z".
export const HOUR_CHARS = 13
