import { mkdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { type GraphState, recordsOf } from "../../graph/state.ts"
import { kinds } from "../../schemas/records.ts"
import type { Source } from "../../shared/ids.ts"
import type { Pausing } from "../../shared/slices.ts"
import { openArchive } from "../archive/archive.ts"
import { archiveName } from "../archive/archive-name.ts"
import { createAtomic, writeAtomic } from "../files/atomic-write.ts"
import { checksum } from "../files/checksum.ts"
import { syncFile, syncFolder } from "../files/folder.ts"
import type { HivePaths } from "../files/layout.ts"
import { commitFirstManifest, type Manifest } from "../snapshot/manifest.ts"
import { commitMetrics } from "../snapshot/metrics-base.ts"
import { renderPart } from "../snapshot/part.ts"
import { createParts, partName } from "../snapshot/parts.ts"
import { readLegacy } from "./legacy.ts"
import {
  historyFiles,
  journalFiles,
  keptHistory,
  legacyFiles,
  legacyLines,
  UNFOLDED,
} from "./legacy-files.ts"
import { readLegacyLine } from "./legacy-log.ts"

/** Writes the graph of format 1 in today's format. What was there is kept beside it, in `graph/v1/`. */
export function* upgradeLegacy(paths: HivePaths, source: Source): Pausing<void> {
  const graph = yield* readLegacy(paths)
  const token = source.newId().slice(0, 8)
  const history = historyFiles(paths)
  keepHistory(paths)
  const archive = openArchive(paths.archive, () => undefined)
  const name = archiveName(0, token)
  const files = graph.archived.length === 0 ? [] : yield* archive.add(graph.archived, [], name)
  if (files.length > 0) syncFile(join(paths.archive, name))
  const parts = yield* writeAllParts(graph.state, paths, token)
  commitMetrics(paths.state, 0, [...graph.state.metrics.values()])
  // From the manifest on they are read instead of the old files: their names have to be durable first.
  for (const folder of [keptHistory(paths), paths.v1, paths.archive, paths.parts, paths.graph])
    syncFolder(folder)
  commitFirstManifest(paths.graph, {
    number: 0,
    through: 0,
    seq: 0,
    clock: 0,
    parts,
    archive: files,
    void: [],
  })
  moveAside(paths, history)
}

/**
 * Copies the history to where it stays; git may take away the one of before. The journal was on its way to it: what no
 * fold had moved there yet goes there now.
 */
function keepHistory(paths: HivePaths): void {
  const kept = keptHistory(paths)
  const months = historyFiles(paths)
  const known = new Set<string>()
  for (const path of months) {
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
  mkdirSync(kept, { recursive: true })
  for (const path of months) writeAtomic(join(kept, basename(path)), readFileSync(path, "utf8"))
  if (lines.length > 0) writeAtomic(join(kept, UNFOLDED), `${lines.join("\n")}\n`)
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
    named.push({ file, kind: part.kind, sum: checksum(text) })
    yield
  }
  return named
}

/** Out of the way, not away: whoever wants to look at it, or to go back, finds it all in one folder. */
function moveAside(paths: HivePaths, history: readonly string[]): void {
  mkdirSync(paths.v1, { recursive: true })
  for (const path of legacyFiles(paths)) {
    const isSessions = basename(dirname(path)) === "sessions"
    renameSync(path, join(paths.v1, isSessions ? "sessions.json" : basename(path)))
  }
  // Their copies are in use by now.
  for (const path of history) rmSync(path, { force: true })
}
