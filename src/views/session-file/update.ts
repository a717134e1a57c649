import { join, relative } from "node:path"
import { isActiveSession } from "../../graph/lifecycle.ts"
import { sessionOf } from "../../graph/read-head.ts"
import type { Hive } from "../../hive/hive.ts"
import type { Entry } from "../../schemas/entry.ts"
import type { Session } from "../../schemas/session.ts"
import { existsSync } from "../../store/files/hive-fs.ts"
import { type HivePaths, hivePaths } from "../../store/files/layout.ts"
import type { Log } from "../../store/files/log-file.ts"
import { appendText, createText, moveText, readBytes } from "../../store/files/text-file.ts"
import { underLock } from "../../store/lock.ts"
import { createEntryReader, type LogLine, sessionLines } from "./session-lines.ts"
import { markedLines, readMarks, renderSessionFile, sessionTemplate } from "./template.ts"

/** Writes session files from the log. Lines are only appended. If a person edits a file, the edit stays and is logged. */
export function sessionFiles(log: Log) {
  const entriesOf = createEntryReader()
  const lastLines = new Map<string, string | undefined>()

  async function update(hive: Hive, hostId: string): Promise<void> {
    const session = sessionOf(hive.store.read().state, hostId)
    if (session === undefined) return
    const entries = await entriesOf(hive.store, session)
    const paths = hivePaths(hive.home)
    const linesNow = () => sessionLines(entries, hive.store.read().state, session)
    let lines = linesNow()
    const statusNow = () => readStatus(paths, session, lines, lastLines.get(session.id))
    if (!isUpToDate(statusNow())) {
      // Locked, because two processes may write to the same session's file.
      await underLock(paths, async () => {
        const status = statusNow()
        if (status.isChanged && !status.isNoticed) {
          entries.push(...(await recordChange(hive, session, status)))
          lines = linesNow()
        }
        const { file, path, missing } = statusNow()
        if (file === undefined) {
          const template = sessionTemplate(paths, log)
          createText(path, renderSessionFile(template, hive.store.read().state, session, lines))
          return
        }
        if (missing.length > 0) appendText(file.path, markedLines(file.bytes, missing))
        if (file.path !== path) moveText(file.path, path)
      })
    }
    lastLines.set(session.id, lines.at(-1)?.id)
  }

  /** Adds a log entry about an outside edit, which also gives the session file a line about it. */
  async function recordChange(hive: Hive, { host_id }: Session, { path }: FileStatus): Promise<Entry[]> {
    log("info", `${relative(hive.home, path)} was edited outside; the edit is kept`)
    const by = { tool: "session file", session: host_id, agent: null }
    const { entry } = await hive.store.append(by, (tx) => tx.recordOutsideEdit(host_id))
    return entry === null ? [] : [entry]
  }

  return { update }
}

export type SessionFiles = ReturnType<typeof sessionFiles>

type FileStatus = ReturnType<typeof readStatus>

/** Compares the file with the log. `lastLine` is the entry id of the last line that this process wrote. */
function readStatus(paths: HivePaths, session: Session, lines: LogLine[], lastLine: string | undefined) {
  const places = [paths.sessions, paths.sessionArchive].map((folder) => join(folder, `${session.stamp}.md`))
  // The file is in `sessions/` while the session is open, and in the archive once it is closed.
  const [path = ""] = isActiveSession(session) ? places : places.toReversed()
  const found = [path, ...places].find((each) => existsSync(each))
  const bytes = found === undefined ? undefined : readBytes(found)
  if (found === undefined || bytes === undefined)
    return { path, file: undefined, missing: lines, isChanged: false, isNoticed: false }
  const marks = readMarks(bytes)
  // A file whose last lines were deleted still looks valid, so it is compared with the last line that was written here.
  const isCutOff = lines.some(({ id }) => id === lastLine && !marks.ids.has(id))
  const lastWritten = lines.findLastIndex(({ id }) => id === lastLine || marks.ids.has(id))
  return {
    path,
    // `found` is the old path if the session was just closed or resumed.
    file: { path: found, bytes, marks },
    missing: lines.filter(({ id }) => !marks.ids.has(id)),
    isChanged: !marks.isUntouched || isCutOff,
    // True if the log already has an entry about the edit, and only its line is missing in the file.
    isNoticed: lines.slice(lastWritten + 1).some(({ isChangeNotice }) => isChangeNotice),
  }
}

/** Whether nothing has to be written. A session without log lines needs no file. */
function isUpToDate({ path, file, missing, isChanged }: FileStatus): boolean {
  return missing.length === 0 && !isChanged && (file === undefined || file.path === path)
}
