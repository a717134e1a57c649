import { basename, join } from "node:path"
import { metrics as metricsSchema, type Metrics as SessionMetrics } from "../../schemas/session.ts"
import { createAtomic } from "../files/atomic-write.ts"
import { checksum } from "../files/checksum.ts"
import { listFolder, syncFolder } from "../files/folder.ts"
import { readFileSync, rmSync } from "../files/hive-fs.ts"
import { sixDigits } from "../files/number.ts"
import { segmentNumbers, segmentPath } from "../log/segments.ts"

/** What was measured up to the end of a segment, from the newest file that is whole. */
export function newestBase(folder: string): {
  through: number
  records: SessionMetrics[]
  damaged: string[]
} {
  const damaged: string[] = []
  for (const number of baseNumbers(folder).reverse()) {
    try {
      const { sum, metrics } = JSON.parse(readFileSync(basePath(folder, number), "utf8"))
      const isWhole = sum === checksum(JSON.stringify(metrics)) && Array.isArray(metrics)
      if (isWhole)
        return { through: number, records: metrics.map((each) => metricsSchema.parse(each)), damaged }
    } catch {
      // Damaged: the one before it is taken. What was measured since is lost, which a later count does not notice.
    }
    damaged.push(basename(basePath(folder, number)))
  }
  return { through: -1, records: [], damaged }
}

export function commitMetrics(folder: string, through: number, records: SessionMetrics[]): void {
  const metrics = JSON.stringify(records)
  const lines = metrics.replaceAll('},{"id"', '},\n{"id"')
  createAtomic(basePath(folder, through), `{"sum":"${checksum(metrics)}",\n"metrics":${lines}}\n`)
  // Before the files that it replaces are removed.
  syncFolder(folder)
}

/** The base before the newest stays, with the segments after it. */
export function removeOld(folder: string): void {
  const kept = baseNumbers(folder).slice(-2)[0] ?? 0
  for (const number of baseNumbers(folder))
    if (number < kept) rmSync(basePath(folder, number), { force: true })
  for (const number of segmentNumbers(folder, COUNTS_PREFIX))
    if (number <= kept) rmSync(segmentPath(folder, number, COUNTS_PREFIX), { force: true })
}

export function baseNumbers(folder: string): number[] {
  return listFolder(folder)
    .flatMap((name) => /^brain\.(\d{6,9})\.json$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)
}

function basePath(folder: string, number: number): string {
  return join(folder, `brain.${sixDigits(number)}.json`)
}

/** What the segments of the log of counts start with. */
export const COUNTS_PREFIX = "counts."
