import { relative } from "node:path"
import type { HivePaths } from "../store/layout.ts"
import { filesUnder, readQuietly } from "./files.ts"
import type { Hit } from "./trace.ts"

/** Exports that name the stamp, each once: it is in many of their lines. */
export async function traceExports(paths: HivePaths, pattern: RegExp): Promise<Hit[]> {
  const hits: Hit[] = []
  for (const path of await filesUnder(paths.exports, ".json")) {
    const text = await readQuietly(path)
    const line = text.split("\n").findIndex((each) => pattern.test(each))
    if (line < 0) continue
    hits.push({
      // An export begins with when it was made.
      at: TIME.exec(text)?.[0] ?? null,
      source: "export",
      where: `${relative(paths.root, path)}:${line + 1}`,
      text: "an export of the session",
    })
  }
  return hits
}

const TIME = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z/
