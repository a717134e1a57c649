import { basename, join } from "node:path"
import { type Problem, quarantined } from "../graph/problem.ts"
import { applyOp, type GraphState } from "../graph/state.ts"
import type { Entry } from "../schemas/entry.ts"
import { metrics as metricsSchema, type Metrics as SessionMetrics } from "../schemas/session.ts"
import { runToEnd } from "../shared/slices.ts"
import { existsSync, listFolder, readFileSync, rmSync } from "./files/hive-fs.ts"
import { createAtomic, syncFolder } from "./files/write-file.ts"
import { openAppender } from "./log/appender.ts"
import { type FoundLine, follow, type Position, ReplacedLog } from "./log/follower.ts"
import { entryLine, parseLine, sealLine } from "./log/line.ts"
import { numbersIn, segmentName, segmentNumbers, segmentPath, sixDigits } from "./log/segments.ts"
import { checksum } from "./snapshot/manifest.ts"

/** Counters and registers of sessions, in segments and a base of older counts. They are derived, so there is no fsync. */
export function openMetrics(folder: string, state: GraphState["metrics"]) {
  const appender = openAppender(folder, { prefix: PREFIX, isSynced: false })
  let position: Position = { segment: 1, offset: 0 }
  let isLoaded = false
  const target = { metrics: state } as GraphState
  let applied = new Set<string>()
  let problems: Problem[] = []

  const pathOf = (segment: number) => segmentPath(folder, segment, PREFIX)

  function take({ line, position: { segment } }: FoundLine): void {
    if (line.what === "broken" && problems.length < MAX_PROBLEMS)
      problems.push(quarantined("broken_line", `state/${segmentName(segment, PREFIX)}`, line.reason))
    if (line.what !== "entry" || applied.has(line.entry.id)) return
    applied.add(line.entry.id)
    for (const op of line.entry.ops) applyOp(target, op)
  }

  function load(): void {
    const base = newestBase(folder)
    state.clear()
    for (const record of base.records) state.set(record.id, record)
    position = { segment: base.through + 1, offset: 0 }
    applied = new Set()
    problems = base.damaged.map((file) => quarantined("broken_file", `state/${file}`, DAMAGED))
    isLoaded = true
  }

  function* readOn(): Generator<void, void, void> {
    if (!isLoaded || isPastBase()) load()
    for (const found of follow(folder, position, { prefix: PREFIX })) {
      if (found === undefined) yield
      else take(found)
    }
  }

  /** True if another process has folded the counters and removed the segment that this process was reading. */
  function isPastBase(): boolean {
    if (existsSync(pathOf(position.segment))) return false
    // Usually the base files tell, which are checked by name, because listing the folder is slower.
    const isNewest = existsSync(basePath(folder, position.segment - 1))
    if (isNewest && !existsSync(basePath(folder, position.segment))) return false
    return baseNumbers(folder).some((number) => number >= position.segment)
  }

  function* followCounts(): Generator<void, void, void> {
    try {
      yield* readOn()
    } catch (error) {
      if (!(error instanceof ReplacedLog)) throw error
      load()
      yield* readOn()
    }
  }

  /** Reads the open segment up to its seal. Returns false if another process has folded the counters first. */
  function readToSeal(): boolean {
    try {
      for (const found of follow(folder, position, { prefix: PREFIX, stopAtSeal: true })) {
        if (found !== undefined) take(found)
        if (found?.line.what === "seal") return true
      }
    } catch (error) {
      if (!(error instanceof ReplacedLog)) throw error
      load()
    }
    return false
  }

  /** True if the entry is before its segment's seal, so that the new base includes it. */
  function isBeforeSeal(id: string, segment: number): boolean {
    let isFound = false
    for (const text of appender.openBytes().toString("utf8").split("\n").filter(Boolean)) {
      const line = parseLine(Buffer.from(text), segment)
      if (line.what === "seal") return isFound
      if (line.what === "entry" && line.entry.id === id) isFound = true
    }
    return false
  }

  return {
    follow: followCounts,
    /** Appends an entry. If another process sealed the segment first, writes it again to the next one. */
    async append(entry: Entry): Promise<void> {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const { segment } = position
        const appended = await appender.append(segment, [entryLine(entry, segment)])
        if (appended.state === "failed") throw appended.error
        runToEnd(followCounts())
        const isFolded = baseNumbers(folder).some((number) => number >= segment)
        if (isFolded ? isBeforeSeal(entry.id, segment) : applied.has(entry.id)) return
        if (!isFolded) continue
        removeOld(folder)
        if (position.segment <= segment) load()
      }
    },
    problems: (): readonly Problem[] => problems,
    /** The caller must hold the lock. If it lost the lock to another fold, its new base is never used. */
    async fold(): Promise<void> {
      runToEnd(followCounts())
      const through = position.segment
      await appender.append(through, [sealLine(through)])
      if (!readToSeal()) return
      commitBase(folder, through, [...state.values()])
      position = { segment: through + 1, offset: 0 }
      applied = new Set()
      problems = []
      removeOld(folder)
    },
    close: appender.close,
  }
}

export type Metrics = ReturnType<typeof openMetrics>

/** Reads the newest undamaged base. Counts that only damaged bases have are lost. */
function newestBase(folder: string): { through: number; records: SessionMetrics[]; damaged: string[] } {
  const damaged: string[] = []
  for (const number of baseNumbers(folder).reverse()) {
    try {
      const { sum, metrics } = JSON.parse(readFileSync(basePath(folder, number), "utf8"))
      const isWhole = sum === checksum(JSON.stringify(metrics)) && Array.isArray(metrics)
      if (isWhole)
        return { through: number, records: metrics.map((each) => metricsSchema.parse(each)), damaged }
    } catch {
      // The file is damaged.
    }
    damaged.push(basename(basePath(folder, number)))
  }
  return { through: 0, records: [], damaged }
}

function commitBase(folder: string, through: number, records: SessionMetrics[]): void {
  const metrics = JSON.stringify(records)
  const lines = metrics.replaceAll('},{"id"', '},\n{"id"')
  createAtomic(basePath(folder, through), `{"sum":"${checksum(metrics)}",\n"metrics":${lines}}\n`)
  // Fsyncs the folder before the replaced files are removed.
  syncFolder(folder)
}

/** Removes old files, except the last two bases and the segments after the older one. */
function removeOld(folder: string): void {
  const kept = baseNumbers(folder).slice(-2)[0] ?? 0
  for (const number of baseNumbers(folder))
    if (number < kept) rmSync(basePath(folder, number), { force: true })
  for (const number of segmentNumbers(folder, PREFIX))
    if (number <= kept) rmSync(segmentPath(folder, number, PREFIX), { force: true })
}

function baseNumbers(folder: string): number[] {
  return numbersIn(listFolder(folder), BASE_NAME)
}

function basePath(folder: string, number: number): string {
  return join(folder, `brain.${sixDigits(number)}.json`)
}

const PREFIX = "counts."
const BASE_NAME = /^brain\.(\d{6,9})\.json$/
const DAMAGED = "the file is damaged; the earlier counts are in use"
const MAX_PROBLEMS = 100
const MAX_ATTEMPTS = 5
