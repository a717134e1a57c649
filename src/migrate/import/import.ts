import { basename, relative, resolve } from "node:path"
import type { Hive } from "../../hive/hive.ts"
import type { Author } from "../../schemas/entry.ts"
import { HiveError } from "../../shared/error.ts"
import { graphIn } from "../../store/store.ts"
import type { Report, SourceRecord } from "../records/report.ts"
import { removeHiveIfUnused, type UndoneRecords, undoRecords } from "../records/undo-records.ts"
import { writeRecords } from "../records/write-records.ts"
import { readBacklog } from "./backlog.ts"
import { readBeads } from "./beads.ts"
import type { ImportTool } from "./locate.ts"
import { readMcpMemory } from "./mcp-memory.ts"
import { readTaskMaster } from "./task-master.ts"

interface ImportOptions {
  dryRun?: boolean
  onProgress?: (done: number) => void
}

export async function importFrom(
  hive: Hive,
  tool: ImportTool,
  path: string,
  { dryRun = false, onProgress }: ImportOptions = {},
): Promise<Report> {
  const files = new Set<string>()
  const readFrom = relative(hive.dir, resolve(path))
  const found = refuseOtherFiles(readerOf(hive, tool, path), tool, path)
  return writeRecords(hive, namingFiles(found, files), {
    ...{ by: authorOf(tool), dryRun, files: () => [...files], readFrom },
    // The file is read in full, so records that were mended in it leave quarantine.
    isRead: (place) => place.in === readFrom,
    ...(onProgress && { onProgress }),
  })
}

/** Removes all imported records that nothing newer depends on. */
export async function undoImport(
  hive: Hive,
  tool: ImportTool,
  options: { dryRun?: boolean; onProgress?: (done: number, total: number) => void } = {},
): Promise<UndoneRecords> {
  const undone = await undoRecords(hive, authorOf(tool).tool, options)
  if (options.dryRun !== true) await removeHiveIfUnused({ ...hive, store: graphIn(hive.store) })
  return undone
}

function readerOf({ source, dir }: Hive, tool: ImportTool, path: string): AsyncIterable<SourceRecord> {
  // Two projects number their tasks alike. The project's folder tells them apart, and is the same in every clone.
  const project = resolve(path).replace(/[\\/](\.taskmaster[\\/])?tasks[\\/]tasks\.json$/, "")
  switch (tool) {
    case "beads":
      return readBeads(path, source)
    case "backlog":
      return readBacklog(path, source, dir)
    case "mcp-memory":
      return readMcpMemory(path, source)
    case "task-master":
      return readTaskMaster(path, source, relative(dir, project))
  }
}

/** Refuses a file without any usable record, before anything is written: it belongs to another tool. */
async function* refuseOtherFiles(
  found: AsyncIterable<SourceRecord>,
  tool: ImportTool,
  path: string,
): AsyncGenerator<SourceRecord> {
  let held: SourceRecord[] | undefined = []
  for await (const each of found) {
    if (held === undefined) yield each
    else {
      held.push(each)
      if ("quarantine" in each) continue
      yield* held
      held = undefined
    }
  }
  const [first] = held ?? []
  if (first === undefined || !("quarantine" in first)) return
  throw new HiveError({
    code: "invalid_argument",
    what: `Nothing was imported: ${basename(path)} is no file of ${tool}, or all of it is broken.`,
    why: `Not one record in it fits; the first: ${first.quarantine}.`,
    use_instead: `Name the file that ${tool} itself writes, or the tool that wrote this one.`,
    evidence: `${path}: ${first.from}`,
  })
}

/** Collects the names of the files: they stand before the line and the name of each record. */
async function* namingFiles(
  found: AsyncIterable<SourceRecord>,
  files: Set<string>,
): AsyncGenerator<SourceRecord> {
  for await (const each of found) {
    files.add(each.from.replace(/ \([^()]*\)$/, "").replace(/:\d+$/, ""))
    yield each
  }
}

function authorOf(tool: ImportTool): Author {
  return { tool: `hivemind import ${tool}`, session: null, agent: null }
}
