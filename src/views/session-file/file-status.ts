import { join } from "node:path"
import { isActiveSession } from "../../graph/lifecycle.ts"
import type { Session } from "../../schemas/session.ts"
import { existsSync } from "../../store/files/hive-fs.ts"
import type { HivePaths } from "../../store/files/layout.ts"
import { readBytes } from "../../store/files/text-file.ts"
import { type Marks, readMarks } from "./marks.ts"
import type { LogLine, Part } from "./parts.ts"

/** The files a session has, compared with the parts it should have. */
export interface FileStatus {
  paths: SessionPaths
  parts: Part[]
  current: { path: string; bytes: Buffer; marks: Marks } | undefined
  /** The number of the part in the current file: an older one if a compaction is recorded and its file not moved yet. */
  number: number
  /** Somebody else has changed the current file. */
  isChanged: boolean
  /** The log has an entry about that change, and only its line is missing in the file. */
  isNoticed: boolean
}

/** Reads the session's file before anything is written. `lastLine` is the last line that this process wrote. */
export function readStatus(
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
  // A file that was cut off behind a mark has valid marks. This process still knows that there was another line.
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

export function isUpToDate({ paths, parts, current, number, isChanged }: FileStatus): boolean {
  const isCurrent =
    current?.path === paths.current &&
    !isChanged &&
    number === parts.length &&
    missingLines(parts.at(-1), current.marks).length === 0
  return isCurrent && missingParts(parts, paths).length === 0
}

/** Parts that have no file. A part without lines needs none. */
export function missingParts(parts: Part[], paths: SessionPaths): { part: Part; path: string }[] {
  return parts
    .map((part, index) => ({ part, path: partPath(index + 1, parts, paths) }))
    .filter(({ part, path }) => part.lines.length > 0 && !existsSync(path))
}

export function missingLines(part: Part | undefined, { ids }: Marks): LogLine[] {
  return part?.lines.filter(({ id }) => !ids.has(id)) ?? []
}

export function partPath(number: number, parts: Part[], paths: SessionPaths): string {
  return number === parts.length ? paths.current : paths.part(number)
}

type SessionPaths = ReturnType<typeof sessionPaths>

/** They follow from the session's stamp and status, so the manifest of sessions need not name them. */
function sessionPaths(paths: HivePaths, session: Pick<Session, "stamp" | "status">) {
  const { stamp } = session
  const isActive = isActiveSession(session)
  const open = join(paths.sessions, `${stamp}.md`)
  const closed = join(paths.sessionArchive, `${stamp}.md`)
  return {
    /** The part in use: in `sessions/` while the session is open, in the archive once it is closed. */
    current: isActive ? open : closed,
    /** Where that file still lies if the status has changed since. */
    other: isActive ? closed : open,
    /** What the n-th compaction closed off. */
    part: (n: number) => join(paths.compacted, `${stamp}-${n}.md`),
  }
}

/** A part begins with the line of its compaction. If that line was removed, the part before it is in the archive. */
function partNumber({ ids }: Marks, parts: Part[], paths: SessionPaths): number {
  const begun = parts.findLastIndex(({ lines }, index) => index > 0 && ids.has(lines[0]?.id ?? ""))
  const number = Math.max(begun, 0) + 1
  return existsSync(paths.part(number)) ? parts.length : number
}
