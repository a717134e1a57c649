import { join } from "node:path"
import { sessionOf } from "../../graph/read-head.ts"
import type { Hive } from "../../hive/hive.ts"
import { existsSync } from "../../store/files/hive-fs.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { createText, moveText, readText, removeText } from "../../store/files/text-file.ts"

/**
 * Keeps the session's file as it stands when another session goes on with its work, and what that one was handed.
 * Aside, until the split counts: what can fail fails before anything has moved.
 */
export function prepareArchive(hive: Hive, session: string, handoff: string): void {
  const stamp = sessionOf(hive.store.read().state, session)?.stamp
  if (stamp === undefined) throw new Error(`there is no record of the session ${session}`)
  const paths = hivePaths(hive.home)
  const told = readText(join(paths.sessions, `${stamp}.md`)) ?? ""
  const aside = asideOf(hive, stamp)
  removeText(aside) // Of a try that came to nothing.
  if (!createText(aside, `${told}\n## Handed over\n\n${handoff}\n`))
    throw new Error(`another process is writing ${aside}`)
}

/** Gives what was put aside its name, or removes it where the split did not come about. */
export function settleArchive(hive: Hive, session: string, isSplit: boolean): void {
  const stamp = sessionOf(hive.store.read().state, session)?.stamp
  if (stamp === undefined) return // Then nothing was put aside either.
  const aside = asideOf(hive, stamp)
  if (!existsSync(aside)) return
  if (!isSplit) removeText(aside)
  else moveToFreeName(hive, stamp, aside)
}

/** A session can be split again, where the one that went on was deleted. */
function moveToFreeName(hive: Hive, stamp: string, aside: string): void {
  const { splits } = hivePaths(hive.home)
  for (let n = 1; n < MAX_NAMES; n++)
    if (moveText(aside, join(splits, `${stamp}${n === 1 ? "" : `-${n}`}.md`))) return
  throw new Error(`there are ${MAX_NAMES - 1} splits of ${stamp} already; the last one is at ${aside}`)
}

function asideOf(hive: Hive, stamp: string): string {
  return join(hivePaths(hive.home).splits, `${stamp}.pending`)
}

const MAX_NAMES = 1000
