import { basename, join } from "node:path"
import { type Problem, quarantined } from "../../graph/problem.ts"
import { applyOp, emptyState, type GraphState, recordsOf } from "../../graph/state.ts"
import { upgradeState } from "../../graph/upgrade-state.ts"
import { firstIssue } from "../../schemas/first-issue.ts"
import { upgradeRecord } from "../../schemas/format-1.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { type AnyRecord, type Kind, recordSchemas } from "../../schemas/records.ts"
import type { Pausing } from "../../shared/slices.ts"
import { existsSync, readFileSync } from "../files/hive-fs.ts"
import type { HivePaths } from "../files/layout.ts"
import { salvage } from "../snapshot/salvage.ts"
import { isUpgraded, journalFiles, legacyFiles, legacyLines, legacySnapshots } from "./legacy-files.ts"
import { legacyOrder, readLegacyLine } from "./legacy-log.ts"

/** True if the files are of format 1 and nothing has been upgraded yet. */
export function isLegacy(paths: HivePaths): boolean {
  return !isUpgraded(paths) && legacyFiles(paths).length > 0
}

export interface LegacyGraph {
  state: GraphState
  problems: Problem[]
  archived: Mem[]
}

/** The graph as HiveMind 0.1 left it: snapshots, and of the journal what lies above each snapshot's watermark. */
export function* readLegacy(paths: HivePaths): Pausing<LegacyGraph> {
  const graph: LegacyGraph = { state: emptyState(), problems: [], archived: [] }
  const marks = new Map<Kind, Watermark>()
  for (const [file, sections] of Object.entries(legacySnapshots)) {
    const mark = readSnapshot(graph, paths, file, sections)
    for (const kind of Object.values(sections)) marks.set(kind, mark)
    yield
  }
  const counts = legacyOrder()
  for (const { number, path } of journalFiles(paths)) {
    for (const { line, end } of legacyLines(path)) {
      const found = readLegacyLine(line)
      if (found === undefined) {
        graph.problems.push(broken(`graph/${basename(path)}`, line))
        continue
      }
      if (!counts(found)) continue
      for (const op of found.entry.ops) {
        const mark = marks.get("kind" in op ? op.kind : "metrics") ?? NO_MARK
        if (!isFolded(mark, number, end)) applyOp(graph.state, op)
      }
    }
    yield
  }
  readArchive(graph, paths)
  upgradeState(graph.state)
  return graph
}

/** How far into the journal a snapshot reaches: the segments before `segment`, and that one up to `bytes`. */
interface Watermark {
  segment: number
  bytes: number
  older?: readonly (readonly [segment: number, bytes: number])[]
}

function isFolded({ segment, bytes, older = [] }: Watermark, number: number, end: number): boolean {
  if (number === segment) return end <= bytes
  if (number > segment) return false
  const read = older.find(([each]) => each === number)?.[1]
  return read === undefined || end <= read
}

function readSnapshot(
  graph: LegacyGraph,
  paths: HivePaths,
  file: string,
  sections: Readonly<Record<string, Kind>>,
): Watermark {
  const path = join(paths.root, file)
  if (!existsSync(path)) return NO_MARK
  const text = readFileSync(path, "utf8")
  const { mark, found } = sectionsIn(text, sections)
  for (const { kind, value } of found) {
    // A record of a file that is damaged has lost its section: each of the file's kinds is tried.
    const tried = (kind === undefined ? Object.values(sections) : [kind]).map((each) => ({
      kind: each,
      parsed: recordSchemas[each].safeParse(upgraded(each, value)),
    }))
    const good = tried.find(({ parsed }) => parsed.success)
    if (good?.parsed.data !== undefined) put(graph.state, good.kind, good.parsed.data)
    else {
      const reason = tried[0]?.parsed.error ? firstIssue(tried[0].parsed.error) : "unknown kind of record"
      graph.problems.push(quarantined("invalid_record", file, reason, { raw: JSON.stringify(value) }))
    }
  }
  return mark
}

function upgraded(kind: Kind, value: unknown): unknown {
  return isFields(value) ? upgradeRecord(kind, value) : value
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function put(state: GraphState, kind: Kind, record: AnyRecord): void {
  recordsOf(state, kind).set(record.id, record)
}

function sectionsIn(
  text: string,
  sections: Readonly<Record<string, Kind>>,
): { mark: Watermark; found: { kind: Kind | undefined; value: unknown }[] } {
  try {
    const content = JSON.parse(text) as Record<string, unknown>
    const found = Object.entries(sections).flatMap(([name, kind]) => {
      const list = content[name]
      return Array.isArray(list) ? list.map((value: unknown) => ({ kind, value })) : []
    })
    return { mark: (content["folded"] as Watermark | undefined) ?? NO_MARK, found }
  } catch {
    // Without a watermark entries are applied again, which changes nothing but counters.
    return { mark: NO_MARK, found: salvage(text).objects.map((value) => ({ kind: undefined, value })) }
  }
}

function readArchive(graph: LegacyGraph, paths: HivePaths): void {
  const path = join(paths.archive, "mems.jsonl")
  if (!existsSync(path)) return
  const mems = new Map<string, Mem>()
  for (const { line } of legacyLines(path)) {
    try {
      const mem = recordSchemas.mem.parse(upgraded("mem", JSON.parse(line.toString("utf8"))))
      mems.set(mem.id, mem)
    } catch {
      graph.problems.push({ ...broken("graph/archive/mems.jsonl", line), kind: "mem" })
    }
  }
  graph.archived = [...mems.values()].filter(({ id }) => !graph.state.mem.has(id))
}

function broken(file: string, line: Buffer): Problem {
  const raw = line.toString("utf8", 0, MAX_RAW_BYTES)
  return quarantined("broken_line", file, "the line cannot be read", { raw })
}

const NO_MARK: Watermark = { segment: 0, bytes: 0 }
const MAX_RAW_BYTES = 10_000
