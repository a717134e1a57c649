import { join } from "node:path"
import { listFolder } from "../files/hive-fs.ts"

/** The file of a segment. Numbers grow by one, and no segment is ever renamed or removed: together they are the log. */
export function segmentPath(folder: string, number: number, prefix = ""): string {
  return join(folder, segmentName(number, prefix))
}

export function segmentName(number: number, prefix = ""): string {
  return `${prefix}${sixDigits(number)}.jsonl`
}

/** The numbers of the segments that exist, in order. */
export function segmentNumbers(folder: string, prefix = ""): number[] {
  const names = listFolder(folder).filter((name) => name.startsWith(prefix))
  const numbers = numbersIn(
    names.map((name) => name.slice(prefix.length)),
    SEGMENT_NAME,
  )
  return numbers.filter((number) => number > 0)
}

/** The numbers in file names, which the first group of the pattern matches, in order. */
export function numbersIn(names: readonly string[], pattern: RegExp): number[] {
  return names
    .flatMap((name) => pattern.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)
}

/** A number padded with zeros, so that file names sort by it. */
export function sixDigits(number: number): string {
  return String(number).padStart(6, "0")
}

// No fold reaches a longer number.
const SEGMENT_NAME = /^(\d{6,9})\.jsonl$/
