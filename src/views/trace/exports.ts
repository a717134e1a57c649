import { relative } from "node:path"
import { shorten } from "../../shared/text/clean.ts"
import type { HivePaths } from "../../store/layout.ts"
import { filesUnder, MAX_PATH, readQuietly } from "./files.ts"
import type { Hit } from "./trace.ts"

/** Exports that name the stamp, each once: it is in many of their lines. */
export async function traceExports(paths: HivePaths, pattern: RegExp): Promise<Hit[]> {
  const hits: Hit[] = []
  for (const path of await filesUnder(paths.exports, ".json")) {
    const text = await readQuietly(path)
    const line = text.split("\n").findIndex((each) => pattern.test(each))
    if (line < 0) continue
    hits.push({
      at: MADE_AT.exec(text)?.[1] ?? null,
      source: "export",
      where: `${shorten(relative(paths.root, path), MAX_PATH)}:${line + 1}`,
      text: "an export of the session",
    })
  }
  return hits
}

const MADE_AT = /"exported_at": ?"(\d{4}-\d{2}-\d{2}T[\d:.]+Z)"/
