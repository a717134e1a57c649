import { closeSync, readSync } from "node:fs"
import { join } from "node:path"
import { StringDecoder } from "node:string_decoder"
import { tryParse } from "../../schemas/checked.ts"
import { maskFields } from "../../schemas/fields.ts"
import {
  addAnswer,
  addSpent,
  nothing,
  type Spent,
  spentUnder,
  type Usage,
  usage,
} from "../../schemas/usage.ts"
import type { Pausing } from "../../shared/slices.ts"
import { existsSync, fileSize, openSync } from "./hive-fs.ts"
import { jsonLines, parseJson } from "./json-lines.ts"
import type { HivePaths } from "./layout.ts"
import { listFiles } from "./text-file.ts"

/** Token usage and cost of each answer, in a file per month. Times are compared as text, because all of them are UTC. */
export function usageFile(paths: HivePaths) {
  const months = new Map<string, UsageMonth>()

  function monthNamed(name: string): UsageMonth {
    const month = months.get(name) ?? usageMonth(join(paths.usage, `${name}.jsonl`))
    months.set(name, month)
    // Repeated reports of an answer come soon after the first, so older months keep only their sums.
    for (const old of [...months.keys()].sort().slice(0, -KEPT_MONTHS))
      if (old !== name) months.get(old)?.forgetAnswers()
    return month
  }

  function monthsSince(since: string): string[] {
    return listFiles(paths.usage)
      .flatMap((file) => MONTH_FILE.exec(file)?.[1] ?? [])
      .filter((month) => month >= monthOf(since))
      .sort()
  }

  return {
    add(answer: Usage): void {
      if (existsSync(paths.graph))
        jsonLines(join(paths.usage, `${monthOf(answer.at)}.jsonl`)).append([maskFields(usage, answer)])
    },
    /** Returns answers by message id, from the month of `since` on. */
    *all(since = ""): Pausing<ReadonlyMap<string, Usage>> {
      const all = new Map<string, Usage>()
      for (const name of monthsSince(since)) {
        let count = 0
        for (const [id, answer] of yield* monthNamed(name).answers()) {
          all.set(id, answer)
          if (++count % PAUSE_EVERY === 0) yield
        }
      }
      return all
    },
    month: (at: string): Pausing<ReadonlyMap<string, Usage>> => monthNamed(monthOf(at)).answers(),
    *onTasks(tasks: ReadonlySet<string>): Pausing<Spent> {
      const sum = nothing()
      for (const name of monthsSince("")) {
        const { byTask } = yield* monthNamed(name).sums()
        for (const task of tasks) addSpent(sum, byTask.get(task) ?? nothing())
      }
      return sum
    },
    /** Sums the usage of each delegation, from the hour of `since` on. */
    *byDelegation(since: string): Pausing<ReadonlyMap<string, Spent>> {
      const sums = new Map<string, Spent>()
      const from = since.slice(0, HOUR_CHARS)
      for (const name of monthsSince(since)) {
        const { byDelegation } = yield* monthNamed(name).sums()
        for (const [delegation, hours] of byDelegation)
          for (const [hour, spent] of hours) if (hour >= from) addSpent(spentUnder(sums, delegation), spent)
      }
      return sums
    },
  }
}

export type UsageFile = ReturnType<typeof usageFile>

/** Reads a month's file as it grows, and sums it up. After `forgetAnswers`, a grown file is read again from its start. */
function usageMonth(path: string) {
  let read = nothingRead()
  let readers = 0

  function* readOn(): Pausing<Month> {
    const size = fileSize(path)
    // Starts again if the file was replaced, or if it grew after `forgetAnswers`: repeated reports are no longer recognised.
    if (size < read.bytes || (read.answers === undefined && size !== read.bytes)) read = nothingRead()
    const mine = read
    if (mine.bytes < size) yield* readTo(mine, size)
    // Newlines precede the lines, so the last line may be complete without one after it.
    if (takeLine(mine, mine.rest)) mine.rest = ""
    return mine
  }

  function* readTo(into: Month, size: number): Pausing<void> {
    const fd = openSync(path, "r")
    readers++
    try {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
      while (into.bytes < size) {
        const count = readSync(fd, chunk, 0, Math.min(chunk.length, size - into.bytes), into.bytes)
        if (count === 0) break
        // Set before the pause, because another reader may continue from this offset.
        into.bytes += count
        const lines = (into.rest + into.decoder.write(chunk.subarray(0, count))).split("\n")
        into.rest = lines.pop() ?? ""
        for (const line of lines) takeLine(into, line)
        yield
      }
    } finally {
      readers--
      closeSync(fd)
    }
  }

  return {
    sums: readOn,
    /** Returns answers by message id, in the order in which they were first reported. */
    *answers(): Pausing<ReadonlyMap<string, Usage>> {
      if (read.answers === undefined) read = nothingRead()
      return (yield* readOn()).answers ?? new Map()
    },
    forgetAnswers(): void {
      if (readers === 0) read.answers = undefined
    },
  }
}

type UsageMonth = ReturnType<typeof usageMonth>

type Month = ReturnType<typeof nothingRead>

function nothingRead() {
  return {
    bytes: 0,
    rest: "",
    decoder: new StringDecoder("utf8"),
    answers: new Map<string, Usage>() as Map<string, Usage> | undefined,
    byTask: new Map<string, Spent>(),
    /** Usage of each delegation by the hour ("2026-11-15T10"). */
    byDelegation: new Map<string, Map<string, Spent>>(),
  }
}

function takeLine(into: Month, line: string): boolean {
  const answer = tryParse(usage, parseJson(line)).data
  if (answer === undefined) return false
  const before = into.answers?.get(answer.message)
  if (before !== undefined) addToSums(into, before, -1)
  addToSums(into, answer, 1)
  into.answers?.set(answer.message, answer)
  return true
}

function addToSums({ byTask, byDelegation }: Month, answer: Usage, sign: 1 | -1): void {
  const { task, delegation, at } = answer
  if (task !== null) addAnswer(spentUnder(byTask, task), answer, sign)
  if (delegation === null) return
  const hours = byDelegation.get(delegation) ?? new Map<string, Spent>()
  byDelegation.set(delegation, hours)
  addAnswer(spentUnder(hours, at.slice(0, HOUR_CHARS)), answer, sign)
}

function monthOf(at: string): string {
  return at.slice(0, MONTH_CHARS)
}

// How many characters of "2026-11-15T10:00:00.000Z" name the month and the hour.
const MONTH_CHARS = 7
const HOUR_CHARS = 13
const MONTH_FILE = /^(\d{4}-\d{2})\.jsonl$/
const KEPT_MONTHS = 2
const PAUSE_EVERY = 500
const CHUNK_BYTES = 1 << 14
