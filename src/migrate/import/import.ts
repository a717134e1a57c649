import { basename, relative, resolve } from "node:path"
import type { Hive } from "../../hive/hive.ts"
import type { Author } from "../../schemas/entry.ts"
import { HiveError } from "../../shared/error.ts"
import type { Found } from "../found.ts"
import { landFound } from "../land.ts"
import { leaveIfEmpty } from "../leave-empty.ts"
import type { Report } from "../report.ts"
import { type TakenBack, takeBack } from "../take-back.ts"
import { readBacklog } from "./backlog.ts"
import { readBeads } from "./beads.ts"
import type { ImportTool } from "./locate.ts"
import { readMcpMemory } from "./mcp-memory.ts"
import { readTaskMaster } from "./task-master.ts"

interface ImportOptions {
  dryRun?: boolean
  /** How many records have been dealt with. */
  onProgress?: (done: number) => void
}

/** Brings what another tool has kept into the graph. Its files are only read. */
export async function importFrom(
  hive: Hive,
  tool: ImportTool,
  path: string,
  { dryRun = false, onProgress }: ImportOptions = {},
): Promise<Report> {
  const files = new Set<string>()
  const readFrom = relative(hive.dir, resolve(path))
  return landFound(
    hive,
    namingFiles(fitting(foundIn(hive, tool, path), tool, path), (file) => files.add(file)),
    {
      by: authorOf(tool),
      dryRun,
      files: () => [...files],
      readFrom,
      // It is read in full: what was mended in it is not found again.
      isRead: (place) => place.in === readFrom,
      ...(onProgress && { onProgress }),
    },
  )
}

/** Takes all that back, as far as nobody has built upon it. */
export async function undoImport(
  hive: Hive,
  tool: ImportTool,
  options: { dryRun?: boolean; onProgress?: (done: number, total: number) => void } = {},
): Promise<TakenBack> {
  const taken = await takeBack(hive, authorOf(tool).tool, options)
  if (options.dryRun !== true) await leaveIfEmpty(hive)
  return taken
}

/** Where nothing of it fits, it is another tool's file: refused before anything is written. */
async function* fitting(found: AsyncIterable<Found>, tool: ImportTool, path: string): AsyncGenerator<Found> {
  let held: Found[] | undefined = []
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
  if (first !== undefined) throw notOf(tool, path, first)
}

function notOf(tool: ImportTool, path: string, first: Found): HiveError {
  const name = basename(path)
  const likely = LIKELY[name]
  const reason = "quarantine" in first ? first.quarantine : ""
  return new HiveError({
    code: "invalid_argument",
    what: `Nothing was imported: ${name} is no file of ${tool}, or all of it is broken.`,
    why: `Not one record in it fits; the first: ${reason}.`,
    use_instead:
      likely === undefined || likely === tool
        ? "Name the file that the tool itself writes."
        : `It looks like one of ${likely}: \`hivemind import ${likely} <path>\`.`,
    evidence: `${path}: ${first.from}`,
  })
}

/** Says of which file each is: it stands before the line and what a thing is called. */
async function* namingFiles(
  found: AsyncIterable<Found>,
  onFile: (file: string) => void,
): AsyncGenerator<Found> {
  for await (const each of found) {
    onFile(each.from.replace(/ \([^()]*\)$/, "").replace(/:\d+$/, ""))
    yield each
  }
}

function foundIn({ source, dir }: Hive, tool: ImportTool, path: string): AsyncIterable<Found> {
  switch (tool) {
    case "beads":
      return readBeads(path, source)
    case "task-master":
      // Two projects number their tasks alike; inside the repository a project is where its file is, in every clone.
      return readTaskMaster(path, source, relative(dir, projectOf(path)))
    case "backlog":
      return readBacklog(path, source, dir)
    case "mcp-memory":
      return readMcpMemory(path, source)
  }
}

/** The folder whose tasks a file of task-master has; it lay elsewhere in older versions. */
function projectOf(path: string): string {
  return resolve(path).replace(/[\\/](\.taskmaster[\\/])?tasks[\\/]tasks\.json$/, "")
}

function authorOf(tool: ImportTool): Author {
  return { tool: `hivemind import ${tool}`, session: null, agent: null }
}

const LIKELY: Readonly<Record<string, ImportTool>> = {
  "tasks.json": "task-master",
  "issues.jsonl": "beads",
  "beads.jsonl": "beads",
  "memory.jsonl": "mcp-memory",
  "memory.json": "mcp-memory",
}
