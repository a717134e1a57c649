import { type SessionStart, sessionStart } from "../../schemas/session-start.ts"
import type { HivePaths } from "./layout.ts"
import { rotatingLines } from "./rotating-lines.ts"

/**
 * What was in no commit when sessions began, `state/starts.jsonl`. It outlives the host's process: what a session made
 * before a restart is still its own.
 */
export function startFile({ starts, olderStarts, graph }: HivePaths) {
  const lines = rotatingLines({ path: starts, older: olderStarts, graph })

  function linesWith(session: string): unknown[] {
    try {
      return lines.read(session)
    } catch {
      return [] // Then the session counts as new.
    }
  }

  return {
    /** One with very many files is not kept: better not to know than to know a part. */
    add: (start: SessionStart): void => lines.add(start, MAX_CHARS),
    /** The first one of this session in this folder, with what it has moved since by the last. */
    find(session: string, dir: string): SessionStart | undefined {
      let found: SessionStart | undefined
      for (const line of linesWith(session)) {
        const start = sessionStart.safeParse(line).data
        if (start?.session === session && start.dir === dir)
          found = { ...start, ...found, taken: start.taken }
      }
      return found
    },
  }
}

const MAX_CHARS = 64 * 1024
