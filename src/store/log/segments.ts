import { join } from "node:path"
import { listFolder } from "../files/hive-fs.ts"

/** Segments are numbered from 1, and never renamed or removed. */
export function segmentPath(folder: string, number: number, prefix = ""): string {
  return join(folder, segmentName(number, prefix))
}

export function segmentName(number: number, prefix = ""): string {
  return `${prefix}${sixDigits(number)}.jsonl`
}

export function segmentNumbers(folder: string, prefix = ""): number[] {
  const names = listFolder(folder).filter((name) => name.startsWith(prefix))
  const numbers = numbersIn(
    names.map((name) => name.slice(prefix.length)),
    SEGMENT_NAME,
  )
  return numbers.filter((number) => number > 0)
}

export function numbersIn(names: readonly string[], pattern: RegExp): number[] {
  return names
    .flatMap((name) => pattern.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)
}

export function sixDigits(number: number): string {
  return String(number).padStart(6, "0")
}

// Nine digits are more than any log needs.
const SEGMENT_NAME = /^(\d{6,9})\.jsonl$/
