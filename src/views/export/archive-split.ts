import { join } from "node:path"
import { sessionOf } from "../../graph/read-head.ts"
import type { Hive } from "../../hive/hive.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { createText, readText } from "../../store/files/text-file.ts"

/** Keeps the session's file as it stands when another session goes on with its work, and what that one was handed. */
export function archiveSplit(hive: Hive, session: string, handoff: string): void {
  const paths = hivePaths(hive.home)
  const stamp = sessionOf(hive.store.read().state, session)?.stamp
  if (stamp === undefined) return
  const told = readText(join(paths.sessions, `${stamp}.md`)) ?? ""
  const text = `${told}\n## Handed over\n\n${handoff}\n`
  // A try that came to nothing may have left one.
  for (let n = 1; n < MAX_TRIES; n++)
    if (createText(join(paths.splits, `${stamp}${n === 1 ? "" : `-${n}`}.md`), text)) return
}

const MAX_TRIES = 100
