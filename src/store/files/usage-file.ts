import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs"
import { join } from "node:path"
import { StringDecoder } from "node:string_decoder"
import { type Usage, usage } from "../../schemas/usage.ts"
import type { Pausing } from "../../shared/slices.ts"
import { jsonLines } from "./json-lines.ts"
import type { HivePaths } from "./layout.ts"
import { listFiles } from "./text-file.ts"

/**
 * What models took, answer by answer, in a file per month: `state/usage/2026-11.jsonl`. Only ever appended to, by any
 * number of processes. Derived from what the host counts, and local: no part of the graph.
 */
export function usageFile(paths: HivePaths) {
  const read = new Map<string, { bytes: number; rest: string; decoder: StringDecoder }>()
  const known = new Map<string, Usage>()

  /** What was appended to a file since the last look. */
  function* readOn(name: string): Pausing<void> {
    const path = join(paths.usage, name)
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    const place = read.get(name) ?? { bytes: 0, rest: "", decoder: new StringDecoder("utf8") }
    read.set(name, place)
    if (size <= place.bytes) return
    const fd = openSync(path, "r")
    try {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
      while (place.bytes < size) {
        const count = readSync(fd, chunk, 0, Math.min(chunk.length, size - place.bytes), place.bytes)
        if (count === 0) break
        // Before the pause: whoever else reads on meanwhile goes on from here.
        place.bytes += count
        const lines = (place.rest + place.decoder.write(chunk.subarray(0, count))).split("\n")
        place.rest = lines.pop() ?? ""
        for (const line of lines) take(line)
        yield
      }
      // Each line begins with its newline, so the last one may be whole.
      if (take(place.rest)) place.rest = ""
    } finally {
      closeSync(fd)
    }
  }

  function take(line: string): boolean {
    const found = parse(line)
    if (found !== undefined) known.set(found.message, found)
    return found !== undefined
  }

  return {
    /** Nothing where the project has no graph: an answer alone creates none. */
    add(answer: Usage): void {
      if (existsSync(paths.graph))
        jsonLines(join(paths.usage, `${answer.at.slice(0, 7)}.jsonl`)).append([answer])
    },
    /** All of it by the answer's id, in the order it was first told. Reads only what is new since the last time. */
    *all(): Pausing<ReadonlyMap<string, Usage>> {
      for (const name of listFiles(paths.usage)
        .filter((each) => each.endsWith(".jsonl"))
        .sort())
        yield* readOn(name)
      return known
    },
  }
}

export type UsageFile = ReturnType<typeof usageFile>

/** Undefined for a line that is torn, or no such record. */
function parse(line: string): Usage | undefined {
  if (line.trim() === "") return undefined
  try {
    return usage.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

const CHUNK_BYTES = 1 << 14
