import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { type Problem, quarantined } from "../../graph/problem.ts"
import { applyOp, emptyState, type GraphState, recordsOf } from "../../graph/state.ts"
import { upgradeState } from "../../graph/upgrade-state.ts"
import { firstIssue } from "../../schemas/first-issue.ts"
import { upgradeRecord } from "../../schemas/format-1.ts"
import type { Mem } from "../../schemas/knowledge.ts"
import { type AnyRecord, type Kind, kinds, recordSchemas } from "../../schemas/records.ts"
import type { Source } from "../../shared/ids.ts"
import type { Pausing } from "../../shared/slices.ts"
import { openArchive } from "../archive/archive.ts"
import { createAtomic, writeAtomic } from "../files/atomic-write.ts"
import type { HivePaths } from "../files/layout.ts"
import { commitManifest, type Manifest, manifestNumbers } from "../snapshot/manifest.ts"
import { commitMetrics } from "../snapshot/metrics-base.ts"
import { partSum, renderPart } from "../snapshot/part.ts"
import { createParts, partName } from "../snapshot/parts.ts"
import { salvage } from "../snapshot/salvage.ts"
import { historyFiles, journalFiles, legacyLines, legacySnapshots, UNFOLDED } from "./legacy-files.ts"
import { readLegacyLine } from "./legacy-log.ts"

/** True if the files are of format 1 and nothing has been upgraded yet. */
export function isLegacy(paths: HivePaths): boolean {
  if (manifestNumbers(paths.graph).length > 0) return false
  return (
    journalFiles(paths).length > 0 ||
    Object.keys(legacySnapshots).some((file) => existsSync(join(paths.root, file)))
  )
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
  const followed = new Set<unknown>()
  const seen = new Set<string>()
  for (const { number, path } of journalFiles(paths)) {
    for (const { line, end } of legacyLines(path)) {
      const found = readLegacyLine(line)
      if (found === undefined) {
        graph.problems.push(broken(`graph/${basename(path)}`, line))
        continue
      }
      const isOvertaken = found.after !== undefined && followed.has(found.after)
      if (isOvertaken || seen.has(found.entry.id)) continue
      seen.add(found.entry.id)
      if (found.after !== undefined) followed.add(found.after)
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

/** Writes the graph of format 1 in today's format. What was there is kept beside it, in `graph/v1/`. */
export function* upgradeLegacy(paths: HivePaths, source: Source): Pausing<void> {
  const graph = yield* readLegacy(paths)
  const token = source.newId().slice(0, 8)
  writeUnfolded(paths)
  const archive = openArchive(paths.archive, () => undefined)
  const files =
    graph.archived.length === 0 ? [] : yield* archive.add(graph.archived, `mems.000000-${token}.jsonl`)
  const parts = yield* writeAllParts(graph.state, paths, token)
  commitMetrics(paths.state, 0, [...graph.state.metrics.values()])
  commitManifest(paths.graph, { number: 0, through: 0, seq: 0, clock: 0, parts, archive: files, void: [] })
  moveAside(paths)
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

/** The journal is on its way to the history: what no fold has moved there yet goes there now. */
function writeUnfolded(paths: HivePaths): void {
  const known = new Set<string>()
  for (const path of historyFiles(paths)) {
    for (const { line } of legacyLines(path)) {
      const id = readLegacyLine(line)?.entry.id
      if (id !== undefined) known.add(id)
    }
  }
  const lines = journalFiles(paths).flatMap(({ path }) =>
    [...legacyLines(path)].flatMap(({ line }) => {
      const id = readLegacyLine(line)?.entry.id
      return id === undefined || known.has(id) ? [] : [line.toString("utf8")]
    }),
  )
  if (lines.length === 0) return
  mkdirSync(paths.history, { recursive: true })
  writeAtomic(join(paths.history, UNFOLDED), `${lines.join("\n")}\n`)
}

function* writeAllParts(state: GraphState, paths: HivePaths, token: string): Pausing<Manifest["parts"]> {
  mkdirSync(paths.parts, { recursive: true })
  const parts = createParts()
  for (const kind of kinds) {
    if (kind === "metrics") continue
    for (const id of recordsOf(state, kind).keys()) parts.placeOf(kind, id)
  }
  const named: Manifest["parts"] = []
  for (const part of parts.all()) {
    const records = [...part.ids].flatMap((id) => recordsOf(state, part.kind).get(id) ?? [])
    const file = partName(part, 0, token)
    const text = renderPart(part.kind, records)
    createAtomic(join(paths.parts, file), text)
    named.push({ file, kind: part.kind, sum: partSum(text) })
    yield
  }
  return named
}

/** Out of the way, not away: whoever wants to look at it, or to go back, finds it all in one folder. */
function moveAside(paths: HivePaths): void {
  const aside = join(paths.graph, "v1")
  mkdirSync(aside, { recursive: true })
  const files = [
    ...Object.keys(legacySnapshots).map((file) => join(paths.root, file)),
    ...journalFiles(paths).map(({ path }) => path),
    join(paths.archive, "mems.jsonl"),
  ]
  for (const path of files) {
    if (!existsSync(path)) continue
    const isSessions = basename(dirname(path)) === "sessions"
    renameSync(path, join(aside, isSessions ? "sessions.json" : basename(path)))
  }
}

function broken(file: string, line: Buffer): Problem {
  const raw = line.toString("utf8", 0, MAX_RAW_BYTES)
  return quarantined("broken_line", file, "the line cannot be read", { raw })
}

const NO_MARK: Watermark = { segment: 0, bytes: 0 }
const MAX_RAW_BYTES = 10_000
