import { existsSync } from "node:fs"
import type { Session } from "../../schemas/session.ts"
import { readBytes } from "../../store/files/text-file.ts"
import type { HivePaths } from "../../store/layout.ts"
import { type Marks, readMarks } from "./marks.ts"
import type { LogLine, Part } from "./parts.ts"
import { whereIs } from "./where.ts"

/** What there is of a session's files, beside what there should be. */
export interface Sight {
  where: ReturnType<typeof whereIs>
  parts: Part[]
  current: { path: string; bytes: Buffer; marks: Marks } | undefined
  /** Which part the current file is: an old one, where a compaction was counted and its file not moved yet. */
  number: number
  /** Somebody else has changed the current file. */
  isChanged: boolean
  /** That is in the log already, and only its line was not written. */
  isNoticed: boolean
}

/** Reads before anything is written. `lastLine` is the line that this process knows to have been the last. */
export function lookAt(
  paths: HivePaths,
  session: Session,
  parts: Part[],
  lastLine: string | undefined,
): Sight {
  const where = whereIs(paths, session)
  const path = [where.current, where.elsewhere].find((each) => existsSync(each))
  const bytes = path === undefined ? undefined : readBytes(path)
  if (path === undefined || bytes === undefined)
    return { where, parts, current: undefined, number: parts.length, isChanged: false, isNoticed: false }
  const marks = readMarks(bytes)
  const number = numberOf(marks, parts, where)
  const lines = parts[number - 1]?.lines ?? []
  // The marks of a file that was cut off behind one of them are in order; what was there is known all the same.
  const isCutOff = lines.some(({ id }) => id === lastLine && !marks.ids.has(id))
  const lastWritten = lines.findLastIndex(({ id }) => id === lastLine || marks.ids.has(id))
  return {
    where,
    parts,
    current: { path, bytes, marks },
    number,
    isChanged: !marks.isUntouched || isCutOff,
    isNoticed: lines.slice(lastWritten + 1).some(({ isNotice }) => isNotice),
  }
}

export function isInOrder({ where, parts, current, number, isChanged }: Sight): boolean {
  const isCurrent =
    current?.path === where.current &&
    !isChanged &&
    number === parts.length &&
    missingLines(parts.at(-1), current.marks).length === 0
  return isCurrent && missingParts(parts, where).length === 0
}

/** Parts that have no file. Where there is nothing to tell, there need not be one. */
export function missingParts(parts: Part[], where: Sight["where"]): { part: Part; path: string }[] {
  return parts
    .map((part, index) => ({ part, path: homeOf(index + 1, parts, where) }))
    .filter(({ part, path }) => part.lines.length > 0 && !existsSync(path))
}

export function homeOf(number: number, parts: Part[], where: Sight["where"]): string {
  return number === parts.length ? where.current : where.part(number)
}

export function missingLines(part: Part | undefined, { ids }: Marks): LogLine[] {
  return part?.lines.filter(({ id }) => !ids.has(id)) ?? []
}

/** A part begins with the line of its compaction. Where that line was taken out, the part before stands in the archive. */
function numberOf({ ids }: Marks, parts: Part[], where: Sight["where"]): number {
  const begun = parts.findLastIndex(({ lines }, index) => index > 0 && ids.has(lines[0]?.id ?? ""))
  const number = Math.max(begun, 0) + 1
  return existsSync(where.part(number)) ? parts.length : number
}
