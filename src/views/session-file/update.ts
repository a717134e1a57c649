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
import { type Marks, markedLines, readMarks, renderSessionFile, sessionTemplate } from "./template.ts"

/**
 * Writes session files from the log. A file is read before it is written, only ever appended to, and created again if
 * it is missing. Outside edits stay, and the log gets an entry about them. After a failed write, the next update finds
 * the same lines missing.
 */
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
      // Two processes may have the same session: each must see the other's lines.
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

  /** An outside edit gets an entry, and so a line in the file. */
  async function recordChange(hive: Hive, { host_id }: Session, { path }: FileStatus): Promise<Entry[]> {
    log("info", `${relative(hive.home, path)} was edited outside; the edit is kept`)
    const by = { tool: "session file", session: host_id, agent: null }
    const { entry } = await hive.store.append(by, (tx) => tx.recordOutsideEdit(host_id))
    return entry === null ? [] : [entry]
  }

  return { update }
}

export type SessionFiles = ReturnType<typeof sessionFiles>

/** The file of a session, compared with its log. */
interface FileStatus {
  /** Its place: in `sessions/` while the session is open, in the archive once it is closed. */
  path: string
  /** The file as it is; its place is another one after the session was closed or resumed. */
  file: { path: string; bytes: Buffer; marks: Marks } | undefined
  /** Lines that the file does not have. */
  missing: LogLine[]
  /** The file was edited outside. */
  isChanged: boolean
  /** The log already has an entry about that edit; only its line is missing. */
  isNoticed: boolean
}

/** Reads the file before anything is written. `lastLine`: the last line that this process wrote. */
function readStatus(
  paths: HivePaths,
  session: Session,
  lines: LogLine[],
  lastLine: string | undefined,
): FileStatus {
  const places = [paths.sessions, paths.sessionArchive].map((folder) => join(folder, `${session.stamp}.md`))
  const [path = ""] = isActiveSession(session) ? places : places.toReversed()
  const found = [path, ...places].find((each) => existsSync(each))
  const bytes = found === undefined ? undefined : readBytes(found)
  if (found === undefined || bytes === undefined)
    return { path, file: undefined, missing: lines, isChanged: false, isNoticed: false }
  const marks = readMarks(bytes)
  // A file cut off behind a mark has valid marks, but this process knows of another line.
  const isCutOff = lines.some(({ id }) => id === lastLine && !marks.ids.has(id))
  const lastWritten = lines.findLastIndex(({ id }) => id === lastLine || marks.ids.has(id))
  return {
    path,
    file: { path: found, bytes, marks },
    missing: lines.filter(({ id }) => !marks.ids.has(id)),
    isChanged: !marks.isUntouched || isCutOff,
    isNoticed: lines.slice(lastWritten + 1).some(({ isChangeNotice }) => isChangeNotice),
  }
}

/** A log without lines needs no file. */
function isUpToDate({ path, file, missing, isChanged }: FileStatus): boolean {
  return missing.length === 0 && !isChanged && (file === undefined || file.path === path)
}
