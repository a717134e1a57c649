import { existsSync, statSync } from "node:fs"
import { appendFile, mkdir, rename } from "node:fs/promises"
import { dirname } from "node:path"
import { type SessionStart, sessionStart } from "../../schemas/session-start.ts"
import { createQueue } from "../../shared/queue.ts"
import { jsonLines } from "./json-lines.ts"
import type { HivePaths } from "./layout.ts"
import { isOutside } from "./outside.ts"

/**
 * What was in no commit when sessions began, `state/starts.jsonl`, with one older file beside it. It outlives the host's
 * process: what a session made before a restart is still its own. Adding never throws and never makes `.hivemind/`.
 */
export function startFile(paths: HivePaths) {
  const queue = createQueue()

  async function append(line: string): Promise<void> {
    if (!existsSync(paths.graph) || isOutside(paths.starts)) return
    await mkdir(dirname(paths.starts), { recursive: true })
    const size = statSync(paths.starts, { throwIfNoEntry: false })?.size ?? 0
    if (size > MAX_BYTES) await rename(paths.starts, paths.olderStarts)
    await appendFile(paths.starts, line)
  }

  return {
    /** Not waited for. One with very many files is not kept: better not to know than to know a part. */
    add(start: SessionStart): void {
      const line = `\n${JSON.stringify(start)}`
      if (line.length < MAX_LINE) queue.run(() => append(line)).catch(() => {})
    },
    /** The first one of this session in this folder. */
    find(session: string, dir: string): SessionStart | undefined {
      for (const path of [paths.olderStarts, paths.starts])
        for (const line of linesWith(path, session)) {
          const start = sessionStart.safeParse(line).data
          if (start?.session === session && start.dir === dir) return start
        }
      return undefined
    },
  }
}

function linesWith(path: string, session: string): unknown[] {
  try {
    return jsonLines(path).read(session)
  } catch {
    return [] // Then the session counts as new.
  }
}

const MAX_BYTES = 256 * 1024
const MAX_LINE = 64 * 1024
