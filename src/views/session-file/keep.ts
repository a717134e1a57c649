import { relative } from "node:path"
import { sessionOf } from "../../graph/read-head.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Entry } from "../../schemas/journal.ts"
import type { Session } from "../../schemas/session.ts"
import type { Log } from "../../store/files/log-file.ts"
import { appendText, createText, moveText } from "../../store/files/text-file.ts"
import { hivePaths } from "../../store/layout.ts"
import { underLock } from "../../store/lock.ts"
import { sessionEntries } from "./entries.ts"
import { markedLines } from "./marks.ts"
import { OUTSIDE_EDITS, sessionParts } from "./parts.ts"
import { renderSessionFile } from "./render.ts"
import { homeOf, isInOrder, lookAt, missingLines, missingParts, type Sight } from "./sight.ts"
import { sessionTemplate } from "./template.ts"

/**
 * Keeps the files of sessions as the graph tells them. Each file is read before it is written, only ever added to, and
 * written anew where it is gone; what others did to it stays, and is noticed. Nothing is lost if it cannot be written:
 * the next time the same lines are missing again.
 */
export function sessionFiles(log: Log) {
  const entriesOf = sessionEntries()
  const lastLines = new Map<string, string | undefined>()

  async function keep(hive: Hive, hostId: string): Promise<void> {
    const session = sessionOf(hive.store.read().state, hostId)
    if (session === undefined) return
    const entries = entriesOf(hive.store, session)
    const paths = hivePaths(hive.dir)
    const tell = () => sessionParts(entries, hive.store.read().state, session)
    let parts = tell()
    const look = () => lookAt(paths, session, parts, lastLines.get(session.id))
    if (!isInOrder(look())) {
      // Two processes may have the same session: each has to see what the other has written.
      await underLock(paths, hive.source.now, async () => {
        const seen = look()
        if (seen.isChanged && !seen.isNoticed) {
          entries.push(...(await notice(hive, session, seen)))
          parts = tell()
        }
        bringUpToDate(look(), session, () => sessionTemplate(paths, log))
      })
    }
    lastLines.set(session.id, parts.at(-1)?.lines.at(-1)?.id)
  }

  /** An entry of its own, so that the log tells of it like of anything else. */
  async function notice(hive: Hive, { host_id }: Session, { current }: Sight): Promise<Entry[]> {
    const file = relative(hive.dir, current?.path ?? "")
    log("info", `${file} was changed by somebody else; it is kept as it is and added to`)
    const by = { tool: "session file", session: host_id, agent: null }
    const { entry } = await hive.store.append(by, (tx) => tx.count(host_id, OUTSIDE_EDITS))
    return entry === null ? [] : [entry]
  }

  return { keep }
}

export type SessionFiles = ReturnType<typeof sessionFiles>

function bringUpToDate(seen: Sight, session: Session, template: () => string): void {
  const { where, parts, current, number } = seen
  if (current !== undefined) {
    const lines = missingLines(parts[number - 1], current.marks)
    if (lines.length > 0) appendText(current.path, markedLines(current.bytes, lines))
    const home = homeOf(number, parts, where)
    if (current.path !== home) moveText(current.path, home)
  }
  for (const { part, path } of missingParts(parts, where))
    createText(path, renderSessionFile(template(), session, part))
}
