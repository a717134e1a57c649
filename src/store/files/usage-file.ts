import { join } from "node:path"
import { maskFields } from "../../schemas/mask-fields.ts"
import { addSpent, nothing, type Spent, spentUnder } from "../../schemas/spent.ts"
import { type Usage, usage } from "../../schemas/usage.ts"
import type { Pausing } from "../../shared/slices.ts"
import { existsSync } from "./hive-fs.ts"
import { jsonLines } from "./json-lines.ts"
import type { HivePaths } from "./layout.ts"
import { listFiles } from "./text-file.ts"
import { HOUR_CHARS, type UsageMonth, usageMonth } from "./usage-month.ts"

/**
 * What models took, answer by answer, in a file per month: `state/usage/2026-11.jsonl`. Only ever appended to, by any
 * number of processes. Derived from what the host counts, and local: no part of the graph. Times are compared as text:
 * all are UTC in one format.
 */
export function usageFile(paths: HivePaths) {
  const months = new Map<string, UsageMonth>()

  function monthAt(name: string): UsageMonth {
    const month = months.get(name) ?? usageMonth(join(paths.usage, `${name}.jsonl`))
    months.set(name, month)
    // What is told of an answer again, or late, is told soon: of older months the sums are enough.
    for (const old of [...months.keys()].sort().slice(0, -KEPT_MONTHS))
      if (old !== name) months.get(old)?.letGo()
    return month
  }

  function monthsSince(since: string): string[] {
    return listFiles(paths.usage)
      .flatMap((file) => MONTH_FILE.exec(file)?.[1] ?? [])
      .filter((month) => month >= monthOf(since))
      .sort()
  }

  return {
    /** Nothing where the project has no graph: an answer alone creates none. */
    add(answer: Usage): void {
      if (existsSync(paths.graph))
        jsonLines(join(paths.usage, `${monthOf(answer.at)}.jsonl`)).append([maskFields(usage, answer)])
    },
    /** All of them by the answer's id, of the months from that time on. */
    *all(since = ""): Pausing<ReadonlyMap<string, Usage>> {
      const all = new Map<string, Usage>()
      for (const name of monthsSince(since)) {
        let count = 0
        for (const [id, answer] of yield* monthAt(name).answers()) {
          all.set(id, answer)
          if (++count % PAUSE_EVERY === 0) yield
        }
      }
      return all
    },
    /** Those of the month of a time. */
    month: (at: string): Pausing<ReadonlyMap<string, Usage>> => monthAt(monthOf(at)).answers(),
    *onTasks(tasks: ReadonlySet<string>): Pausing<Spent> {
      const sum = nothing()
      for (const name of monthsSince("")) {
        const spent = yield* monthAt(name).byTask()
        for (const task of tasks) addSpent(sum, spent.get(task) ?? nothing())
      }
      return sum
    },
    /** What each delegation took since a time, to the hour. */
    *byDelegation(since: string): Pausing<ReadonlyMap<string, Spent>> {
      const sums = new Map<string, Spent>()
      const from = since.slice(0, HOUR_CHARS)
      for (const name of monthsSince(since))
        for (const [delegation, hours] of yield* monthAt(name).byDelegation())
          for (const [hour, spent] of hours) if (hour >= from) addSpent(spentUnder(sums, delegation), spent)
      return sums
    },
    /** How many answers are in memory. */
    kept: (): number => [...months.values()].reduce((sum, month) => sum + month.kept(), 0),
  }
}

export type UsageFile = ReturnType<typeof usageFile>

function monthOf(at: string): string {
  return at.slice(0, MONTH_CHARS)
}

const MONTH_CHARS = 7
const MONTH_FILE = /^(\d{4}-\d{2})\.jsonl$/
const KEPT_MONTHS = 2
const PAUSE_EVERY = 500
