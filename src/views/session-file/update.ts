import { relative } from "node:path"
import { sessionOf } from "../../graph/read-head.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Entry } from "../../schemas/entry.ts"
import type { Session } from "../../schemas/session.ts"
import { hivePaths } from "../../store/files/layout.ts"
import type { Log } from "../../store/files/log-file.ts"
import { appendText, createText, moveText } from "../../store/files/text-file.ts"
import { underLock } from "../../store/lock.ts"
import { createEntryReader } from "./entries.ts"
import {
  type FileStatus,
  isUpToDate,
  missingLines,
  missingParts,
  partPath,
  readStatus,
} from "./file-status.ts"
import { markedLines } from "./marks.ts"
import { sessionParts } from "./parts.ts"
import { renderSessionFile, sessionTemplate } from "./template.ts"

/**
 * Writes the files of sessions from the log. A file is read before it is written, only ever appended to, and
 * created again if it is missing. Edits by others stay, and the log gets an entry about them. A failed write loses
 * nothing: the next update finds the same lines missing.
 */
export function sessionFiles(log: Log) {
  const entriesOf = createEntryReader()
  const lastLines = new Map<string, string | undefined>()

  async function update(hive: Hive, hostId: string): Promise<void> {
    const session = sessionOf(hive.store.read().state, hostId)
    if (session === undefined) return
    const entries = await entriesOf(hive.store, session)
    const paths = hivePaths(hive.home)
    const partsNow = () => sessionParts(entries, hive.store.read().state, session)
    let parts = partsNow()
    const statusNow = () => readStatus(paths, session, parts, lastLines.get(session.id))
    if (!isUpToDate(statusNow())) {
      // Two processes may have the same session: each must see what the other has written.
      await underLock(paths, async () => {
        const status = statusNow()
        if (status.isChanged && !status.isNoticed) {
          entries.push(...(await recordChange(hive, session, status)))
          parts = partsNow()
        }
        writeMissing(statusNow(), session, () => sessionTemplate(paths, log))
      })
    }
    lastLines.set(session.id, parts.at(-1)?.lines.at(-1)?.id)
  }

  /** Writes an entry about an outside change, so that it becomes a line of the file like any other entry. */
  async function recordChange(hive: Hive, { host_id }: Session, { current }: FileStatus): Promise<Entry[]> {
    const file = relative(hive.home, current?.path ?? "")
    log("info", `${file} was changed by somebody else; it is kept as it is and added to`)
    const by = { tool: "session file", session: host_id, agent: null }
    const { entry } = await hive.store.append(by, (tx) => tx.recordOutsideEdit(host_id))
    return entry === null ? [] : [entry]
  }

  return { update }
}

export type SessionFiles = ReturnType<typeof sessionFiles>

/** Appends missing lines, moves the current file where it belongs, and creates missing files. */
function writeMissing(status: FileStatus, session: Session, template: () => string): void {
  const { paths, parts, current, number } = status
  if (current !== undefined) {
    const lines = missingLines(parts[number - 1], current.marks)
    if (lines.length > 0) appendText(current.path, markedLines(current.bytes, lines))
    const path = partPath(number, parts, paths)
    if (current.path !== path) moveText(current.path, path)
  }
  for (const { part, path } of missingParts(parts, paths))
    createText(path, renderSessionFile(template(), session, part))
}
