import { readdir, readFile } from "node:fs/promises"
import { basename, dirname, join, relative } from "node:path"
import type { GraphState } from "../../graph/state.ts"
import { shorten } from "../../shared/text/clean.ts"
import type { HivePaths } from "../../store/layout.ts"
import { readLine } from "../session-file/marks.ts"
import type { Hit } from "./trace.ts"

/** Every line of a session file that has the stamp, in use or archived; a file named by it counts in any case. */
export async function traceFiles(
  paths: HivePaths,
  state: GraphState,
  times: ReadonlyMap<string, string>,
  stamp: string,
  pattern: RegExp,
): Promise<Hit[]> {
  const began = [...state.session.values()].find((session) => session.stamp === stamp)?.created_at ?? null
  const hits: Hit[] = []
  for (const path of await filesUnder(paths.sessions, ".md")) {
    const where = shorten(relative(paths.root, path), MAX_PATH)
    const before = hits.length
    let at: string | null = null
    const lines = (await readQuietly(path)).split("\n")
    lines.forEach((line, index) => {
      const { id, words } = readLine(line)
      at = times.get(id ?? "") ?? at
      if (pattern.test(line))
        hits.push({ at, source: "file", where: `${where}:${index + 1}`, text: shorten(words) })
    })
    const isOwn = stampOfFile(path, paths) === stamp
    if (isOwn && hits.length === before)
      hits.push({ at: began, source: "file", where: `${where}:1`, text: shorten(lines[0] ?? "") })
    // What stands above the first line of the log was there when the session began.
    for (const hit of hits.slice(before)) hit.at ??= isOwn ? began : null
  }
  return hits
}

/** In the folder of compactions, the number of the part follows the stamp. */
function stampOfFile(path: string, paths: HivePaths): string {
  const name = basename(path, ".md")
  return dirname(path) === paths.compacted ? name.replace(/-\d+$/, "") : name
}

export async function filesUnder(folder: string, ending: string): Promise<string[]> {
  try {
    const names = await readdir(folder, { recursive: true })
    return names
      .filter((name) => name.endsWith(ending))
      .sort()
      .map((name) => join(folder, name))
  } catch {
    return [] // No such folder, or none that can be read: there is nothing to find in it.
  }
}

export async function readQuietly(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8")
  } catch {
    return "" // Gone, or a folder of that name: a trace tells what can be read.
  }
}

export const MAX_PATH = 300
