import { dirname } from "node:path"
import { createQueue } from "../../shared/queue.ts"
import { appendFile, existsSync, mkdirSync, renameSync, statSync } from "./hive-fs.ts"
import { jsonLines } from "./json-lines.ts"

/**
 * A file of JSON lines beside the graph, with one older file next to it, so that both never take much more than twice
 * `maxBytes`. Adding is not waited for, never throws, and never makes `.hivemind/` by itself: `graph` is the folder that is
 * there where HiveMind was set up.
 */
export function rotatingLines({
  path,
  older,
  graph,
  maxBytes = MAX_BYTES,
}: {
  path: string
  older: string
  graph: string
  maxBytes?: number
}) {
  const { append, idle } = rotatingFile(path, older, graph, maxBytes)
  return {
    /** One that is longer than `maxChars` is not kept. */
    add(value: unknown, maxChars = Number.POSITIVE_INFINITY): void {
      const line = `\n${JSON.stringify(value)}`
      if (line.length < maxChars) append(line)
    },
    /** Oldest first, those that hold this text. */
    read: (having?: string): unknown[] => [older, path].flatMap((each) => jsonLines(each).read(having)),
    idle,
  }
}

/** A file that becomes the older one when it is full. `there`: only where this folder is there is anything written. */
export function rotatingFile(path: string, older: string, there: string, maxBytes: number) {
  const queue = createQueue()

  async function write(text: string): Promise<void> {
    if (!existsSync(there)) return
    mkdirSync(dirname(path))
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    if (size > maxBytes) renameSync(path, older)
    await appendFile(path, text)
  }

  return {
    append(text: string): void {
      queue.run(() => write(text)).catch(() => {}) // What cannot be noted is not needed by the call it is about.
    },
    idle: queue.idle,
  }
}

const MAX_BYTES = 256 * 1024
