import { basename, dirname, relative } from "node:path"
import * as z from "zod"
import type { GraphState } from "../../graph/state.ts"
import { time } from "../../schemas/fields.ts"
import { shorten } from "../../shared/text/clean.ts"
import { listTree, readFile } from "../../store/files/hive-fs.ts"
import type { HivePaths } from "../../store/files/layout.ts"
import { readLine } from "../session-file/marks.ts"
import type { Hit } from "./trace.ts"

/** Every line with the stamp in the session files, archived ones included. A file named by the stamp always counts. */
export async function traceSessionFiles(
  paths: HivePaths,
  state: GraphState,
  times: ReadonlyMap<string, string>,
  stamp: string,
  pattern: RegExp,
): Promise<Hit[]> {
  const began = [...state.session.values()].find((session) => session.stamp === stamp)?.created_at ?? null
  const hits: Hit[] = []
  for (const path of filesUnder(paths.sessions, ".md")) {
    const where = shorten(relative(paths.root, path), MAX_PATH)
    const before = hits.length
    let at: string | null = null
    const lines = (await readIfPossible(path)).split("\n")
    lines.forEach((line, index) => {
      const { id, words } = readLine(line)
      at = times.get(id ?? "") ?? at
      if (pattern.test(line))
        hits.push({ at, source: "file", where: `${where}:${index + 1}`, text: shorten(words) })
    })
    const isOwn = stampOfFile(path, paths) === stamp
    if (isOwn && hits.length === before)
      hits.push({ at: began, source: "file", where: `${where}:1`, text: shorten(lines[0] ?? "") })
    // Text above the first line of the log dates from the session's beginning.
    for (const hit of hits.slice(before)) hit.at ??= isOwn ? began : null
  }
  return hits
}

/** Exports that name the stamp, each once: many of their lines have it. */
export async function traceExports(paths: HivePaths, pattern: RegExp): Promise<Hit[]> {
  const hits: Hit[] = []
  for (const path of filesUnder(paths.exports, ".json")) {
    const text = await readIfPossible(path)
    const line = text.split("\n").findIndex((each) => pattern.test(each))
    if (line < 0) continue
    hits.push({
      at: exportTime(text),
      source: "export",
      where: `${shorten(relative(paths.root, path), MAX_PATH)}:${line + 1}`,
      text: "an export of the session",
    })
  }
  return hits
}

/** Null for a file that is not JSON or has no time: it may be damaged or from another version. */
function exportTime(text: string): string | null {
  try {
    return z.object({ exported_at: time }).safeParse(JSON.parse(text)).data?.exported_at ?? null
  } catch {
    return null // Not JSON, see above.
  }
}

/** In the folder of compactions, the number of the part follows the stamp. */
function stampOfFile(path: string, paths: HivePaths): string {
  const name = basename(path, ".md")
  return dirname(path) === paths.compacted ? name.replace(/-\d+$/, "") : name
}

function filesUnder(folder: string, ending: string): string[] {
  return listTree(folder)
    .filter(({ path, isLink }) => path.endsWith(ending) && !isLink)
    .map(({ path }) => path)
    .sort()
}

async function readIfPossible(path: string): Promise<string> {
  try {
    return (await readFile(path)).toString("utf8")
  } catch {
    return "" // Deleted meanwhile, or a folder: a trace shows what can be read.
  }
}

const MAX_PATH = 300
