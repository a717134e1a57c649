import { basename, relative, resolve } from "node:path"
import type { Hive } from "../../hive/hive.ts"
import type { Author } from "../../schemas/entry.ts"
import { HiveError } from "../../shared/error.ts"
import { graphIn } from "../../store/store.ts"
import type { Report, SourceRecord } from "../records/report.ts"
import { removeHiveIfUnused, type UndoOptions, undoRecords } from "../records/undo-records.ts"
import { type WriteOptions, writeRecords } from "../records/write-records.ts"
import { readBacklog } from "./backlog.ts"
import { readBeads } from "./beads.ts"
import type { ImportTool } from "./locate.ts"
import { readMcpMemory } from "./mcp-memory.ts"
import { readTaskMaster } from "./task-master.ts"

export async function importFrom(
  hive: Hive,
  tool: ImportTool,
  path: string,
  { dryRun = false, onProgress }: Pick<WriteOptions, "dryRun" | "onProgress"> = {},
): Promise<Report> {
  const files = new Set<string>()
  const readFrom = relative(hive.dir, resolve(path))
  return writeRecords(hive, refuseOtherFiles(readerOf(hive, tool, path), tool, path, files), {
    ...{ by: authorOf(tool), dryRun, files: () => [...files], readFrom },
    // This run reads the whole file, so what earlier runs put in quarantine is removed from it.
    isRead: (place) => place.in === readFrom,
    ...(onProgress && { onProgress }),
  })
}

export async function undoImport(hive: Hive, tool: ImportTool, options: UndoOptions = {}) {
  const undone = await undoRecords(hive, authorOf(tool).tool, options)
  if (options.dryRun !== true) await removeHiveIfUnused({ ...hive, store: graphIn(hive.store) })
  return undone
}

function readerOf({ source, dir }: Hive, tool: ImportTool, path: string): AsyncIterable<SourceRecord> {
  // The tasks of two projects have the same numbers, so the project's folder is part of their ids.
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

/** Throws before the first write if no record is usable. Collects the names of the files that were read. */
async function* refuseOtherFiles(
  found: AsyncIterable<SourceRecord>,
  tool: ImportTool,
  path: string,
  files: Set<string>,
): AsyncGenerator<SourceRecord> {
  let held: SourceRecord[] | undefined = []
  for await (const each of found) {
    // `from` is the file's name, and then the line number or the record's name.
    files.add(each.from.replace(/ \([^()]*\)$/, "").replace(/:\d+$/, ""))
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
    what: `Nothing was imported: ${basename(path)} is not a file of ${tool}, or it is damaged.`,
    why: `No record in it can be used; the first one: ${first.quarantine}.`,
    use_instead: `Name the file that ${tool} writes, or choose the tool that wrote this file.`,
    evidence: `${path}: ${first.from}`,
  })
}

function authorOf(tool: ImportTool): Author {
  return { tool: `hivemind import ${tool}`, session: null, agent: null }
}
