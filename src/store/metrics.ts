import { type Problem, quarantined } from "../graph/problem.ts"
import { applyOp, type GraphState } from "../graph/state.ts"
import type { Entry } from "../schemas/entry.ts"
import { runToEnd } from "../shared/slices.ts"
import { statSync } from "./files/hive-fs.ts"
import { openAppender } from "./log/appender.ts"
import { type FoundLine, follow, type Position, ReplacedLog } from "./log/follower.ts"
import { entryLine, parseLine, sealLine } from "./log/line.ts"
import { segmentName, segmentPath } from "./log/segments.ts"
import { baseNumbers, COUNTS_PREFIX, commitMetrics, newestBase, removeOld } from "./snapshot/metrics-base.ts"

/**
 * What was measured of sessions: counters, registers, marks. It is derived and local, so it stays out of the log of the
 * graph and is not synced to disk with every count: a crash may cost the last few counts, never a record. Segments and
 * a numbered base as for the graph; a segment is gone once a later base holds it.
 */
export function openMetrics(folder: string, state: GraphState["metrics"]) {
  const appender = openAppender(folder, { prefix: COUNTS_PREFIX, isSynced: false })
  let position: Position = { segment: 1, offset: 0 }
  let isLoaded = false
  // Of the graph, only what is measured is touched here.
  const target = { metrics: state } as GraphState
  let applied = new Set<string>()
  let problems: Problem[] = []

  function take({ line, position: { segment } }: FoundLine): void {
    if (line.what === "broken" && problems.length < MAX_PROBLEMS)
      problems.push(quarantined("broken_line", `state/${segmentName(segment, COUNTS_PREFIX)}`, line.reason))
    if (line.what !== "entry" || applied.has(line.entry.id)) return
    applied.add(line.entry.id)
    for (const op of line.entry.ops) applyOp(target, op)
  }

  function load(): void {
    const base = newestBase(folder)
    state.clear()
    for (const record of base.records) state.set(record.id, record)
    position = { segment: Math.max(0, base.through) + 1, offset: 0 }
    applied = new Set()
    problems = base.damaged.map((file) =>
      quarantined(
        "broken_file",
        `state/${file}`,
        "the file is damaged; what was counted before it is in use",
      ),
    )
    isLoaded = true
  }

  function* steps(): Generator<void, void, void> {
    if (!isLoaded || isPastBase()) load()
    for (const found of follow(folder, position, { prefix: COUNTS_PREFIX })) {
      if (found === undefined) yield
      else take(found)
    }
  }

  /** Another process has folded and removed the segment that this one was reading. */
  function isPastBase(): boolean {
    const isGone =
      statSync(segmentPath(folder, position.segment, COUNTS_PREFIX), { throwIfNoEntry: false }) === undefined
    return isGone && baseNumbers(folder).some((number) => number >= position.segment)
  }

  function* followCounts(): Generator<void, void, void> {
    try {
      yield* steps()
    } catch (error) {
      if (!(error instanceof ReplacedLog)) throw error
      load()
      yield* steps()
    }
  }

  /** False where others have folded meanwhile. */
  function readToSeal(): boolean {
    try {
      for (const found of follow(folder, position, { prefix: COUNTS_PREFIX, stopAtSeal: true })) {
        if (found !== undefined) take(found)
        if (found?.line.what === "seal") return true
      }
    } catch (error) {
      if (!(error instanceof ReplacedLog)) throw error
      load()
    }
    return false
  }

  /** Folds of others may have removed the segment after the append: a base holds the entry if it came before the seal. */
  function isBeforeSeal(id: string, segment: number): boolean {
    if (position.segment <= segment) return false
    for (const text of appender.openBytes().toString("utf8").split("\n").filter(Boolean)) {
      const line = parseLine(Buffer.from(text), segment)
      if (line.what === "seal") return false
      if (line.what === "entry" && line.entry.id === id) return true
    }
    return false
  }

  return {
    follow: followCounts,
    /** An entry that lands behind the seal of a segment does not count: it is written again, into the next one. */
    async append(entry: Entry): Promise<void> {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const { segment } = position
        const appended = await appender.append(segment, [entryLine(entry, segment)])
        if (appended.state === "failed") throw appended.error
        runToEnd(followCounts())
        if (applied.has(entry.id) || isBeforeSeal(entry.id, segment)) return
      }
    },
    /** What was found to be damaged since the last fold. */
    problems: (): readonly Problem[] => problems,
    bytes: () => position.offset,
    /** Puts what was measured into one file. Runs under the lock; one that comes late makes a file that nobody reads. */
    async fold(): Promise<void> {
      runToEnd(followCounts())
      const through = position.segment
      await appender.append(through, [sealLine(through)])
      if (!readToSeal()) return
      commitMetrics(folder, through, [...state.values()])
      position = { segment: through + 1, offset: 0 }
      applied = new Set()
      problems = []
      removeOld(folder)
    },
    close: appender.close,
  }
}

export type Metrics = ReturnType<typeof openMetrics>

const MAX_PROBLEMS = 100
const MAX_ATTEMPTS = 5
