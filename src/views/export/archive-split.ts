import { join } from "node:path"
import { sessionOf } from "../../graph/read-head.ts"
import type { Hive } from "../../hive/hive.ts"
import { existsSync } from "../../store/files/hive-fs.ts"
import { hivePaths } from "../../store/files/layout.ts"
import { createText, moveText, readText, removeText } from "../../store/files/text-file.ts"

/** Copies the session's file and the handoff into a pending file. `settleArchive` keeps or removes it after the split. */
export function prepareArchive(hive: Hive, session: string, handoff: string): void {
  const stamp = sessionOf(hive.store.read().state, session)?.stamp
  if (stamp === undefined) throw new Error(`there is no record of the session ${session}`)
  const paths = hivePaths(hive.home)
  const told = readText(join(paths.sessions, `${stamp}.md`)) ?? ""
  const aside = pendingFile(hive, stamp)
  removeText(aside) // A failed attempt may have left the file.
  if (!createText(aside, `${told}\n## Handed over\n\n${handoff}\n`))
    throw new Error(`another process is writing ${aside}`)
}

export function settleArchive(hive: Hive, session: string, isSplit: boolean): void {
  const stamp = sessionOf(hive.store.read().state, session)?.stamp
  if (stamp === undefined) return // Without a record, `prepareArchive` has thrown.
  const aside = pendingFile(hive, stamp)
  if (!existsSync(aside)) return
  if (!isSplit) removeText(aside)
  else moveToFreeName(hive, stamp, aside)
}

/** Adds a number to the name if it is taken: a session is split again if the session that continued it was deleted. */
function moveToFreeName(hive: Hive, stamp: string, aside: string): void {
  const { splits } = hivePaths(hive.home)
  for (let n = 1; n < MAX_NAMES; n++)
    if (moveText(aside, join(splits, `${stamp}${n === 1 ? "" : `-${n}`}.md`))) return
  throw new Error(`there are ${MAX_NAMES - 1} splits of ${stamp} already; the last one is at ${aside}`)
}

function pendingFile(hive: Hive, stamp: string): string {
  return join(hivePaths(hive.home).splits, `${stamp}.pending`)
}

const MAX_NAMES = 1000
