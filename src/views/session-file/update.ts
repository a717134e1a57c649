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
import { createEntryReader, type LogLine, type Part, sessionParts } from "./parts.ts"
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
    const partsNow = () => sessionParts(entries, hive.store.read().state, session)
    let parts = partsNow()
    const statusNow = () => readStatus(paths, session, parts, lastLines.get(session.id))
    if (!isUpToDate(statusNow())) {
      // Two processes may have the same session: each must see the other's lines.
      await underLock(paths, async () => {
        const status = statusNow()
        if (status.isChanged && !status.isNoticed) {
          entries.push(...(await recordChange(hive, session, status)))
          parts = partsNow()
        }
        writeMissing(statusNow(), (part) =>
          renderSessionFile(sessionTemplate(paths, log), hive.store.read().state, session, part),
        )
      })
    }
    lastLines.set(session.id, parts.at(-1)?.lines.at(-1)?.id)
  }

  /** An outside edit gets an entry, and so a line in the file. */
  async function recordChange(hive: Hive, { host_id }: Session, { current }: FileStatus): Promise<Entry[]> {
    const file = relative(hive.home, current?.path ?? "")
    log("info", `${file} was edited outside; the edit is kept`)
    const by = { tool: "session file", session: host_id, agent: null }
    const { entry } = await hive.store.append(by, (tx) => tx.recordOutsideEdit(host_id))
    return entry === null ? [] : [entry]
  }

  return { update }
}

export type SessionFiles = ReturnType<typeof sessionFiles>

/** Appends missing lines, moves the current file to its place, creates missing files. */
function writeMissing(status: FileStatus, render: (part: Part) => string): void {
  const { paths, parts, current, number } = status
  if (current !== undefined) {
    const lines = missingLines(parts[number - 1], current.marks)
    if (lines.length > 0) appendText(current.path, markedLines(current.bytes, lines))
    const path = partPath(number, parts, paths)
    if (current.path !== path) moveText(current.path, path)
  }
  for (const { part, path } of missingParts(parts, paths)) createText(path, render(part))
}

/** The files of a session, compared with the parts of its log. */
interface FileStatus {
  paths: SessionPaths
  parts: Part[]
  current: { path: string; bytes: Buffer; marks: Marks } | undefined
  /** Number of the part in the current file. It is an older one until a recorded compaction moves the file. */
  number: number
  /** The current file was edited outside. */
  isChanged: boolean
  /** The log already has an entry about that edit; only its line is missing. */
  isNoticed: boolean
}

/** Reads the file before anything is written. `lastLine`: the last line that this process wrote. */
function readStatus(
  hivePaths: HivePaths,
  session: Session,
  parts: Part[],
  lastLine: string | undefined,
): FileStatus {
  const paths = sessionPaths(hivePaths, session)
  const path = [paths.current, paths.other].find((each) => existsSync(each))
  const bytes = path === undefined ? undefined : readBytes(path)
  if (path === undefined || bytes === undefined)
    return { paths, parts, current: undefined, number: parts.length, isChanged: false, isNoticed: false }
  const marks = readMarks(bytes)
  const number = partNumber(marks, parts, paths)
  const lines = parts[number - 1]?.lines ?? []
  // A file cut off behind a mark has valid marks, but this process knows of another line.
  const isCutOff = lines.some(({ id }) => id === lastLine && !marks.ids.has(id))
  const lastWritten = lines.findLastIndex(({ id }) => id === lastLine || marks.ids.has(id))
  return {
    paths,
    parts,
    current: { path, bytes, marks },
    number,
    isChanged: !marks.isUntouched || isCutOff,
    isNoticed: lines.slice(lastWritten + 1).some(({ isChangeNotice }) => isChangeNotice),
  }
}

function isUpToDate({ paths, parts, current, number, isChanged }: FileStatus): boolean {
  const isCurrent =
    current?.path === paths.current &&
    !isChanged &&
    number === parts.length &&
    missingLines(parts.at(-1), current.marks).length === 0
  return isCurrent && missingParts(parts, paths).length === 0
}

/** A part without lines needs no file. */
function missingParts(parts: Part[], paths: SessionPaths): { part: Part; path: string }[] {
  return parts
    .map((part, index) => ({ part, path: partPath(index + 1, parts, paths) }))
    .filter(({ part, path }) => part.lines.length > 0 && !existsSync(path))
}

function missingLines(part: Part | undefined, { ids }: Marks): LogLine[] {
  return part?.lines.filter(({ id }) => !ids.has(id)) ?? []
}

function partPath(number: number, parts: Part[], paths: SessionPaths): string {
  return number === parts.length ? paths.current : paths.part(number)
}

type SessionPaths = ReturnType<typeof sessionPaths>

function sessionPaths(paths: HivePaths, session: Pick<Session, "stamp" | "status">) {
  const { stamp } = session
  const isActive = isActiveSession(session)
  const open = join(paths.sessions, `${stamp}.md`)
  const closed = join(paths.sessionArchive, `${stamp}.md`)
  return {
    /** In `sessions/` while the session is open, in the archive once it is closed. */
    current: isActive ? open : closed,
    /** The other place: the status may have changed since. */
    other: isActive ? closed : open,
    /** The part that the n-th compaction closed. */
    part: (n: number) => join(paths.compacted, `${stamp}-${n}.md`),
  }
}

/** A part begins with the line of its compaction. If that line was removed, the part before it is archived. */
function partNumber({ ids }: Marks, parts: Part[], paths: SessionPaths): number {
  const begun = parts.findLastIndex(({ lines }, index) => index > 0 && ids.has(lines[0]?.id ?? ""))
  const number = Math.max(begun, 0) + 1
  return existsSync(paths.part(number)) ? parts.length : number
}
