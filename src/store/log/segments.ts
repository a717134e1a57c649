import { join } from "node:path"
import { listFolder } from "../files/folder.ts"
import { sixDigits } from "../files/number.ts"

/** The file of a segment. Numbers grow by one, and no segment is ever renamed or removed: together they are the log. */
export function segmentPath(folder: string, number: number, prefix = ""): string {
  return join(folder, segmentName(number, prefix))
}

export function segmentName(number: number, prefix = ""): string {
  return `${prefix}${sixDigits(number)}.jsonl`
}

/** The numbers of the segments that are there, in order. A file with a number that no fold can have reached is none. */
export function segmentNumbers(folder: string, prefix = ""): number[] {
  return listFolder(folder)
    .filter((name) => name.startsWith(prefix))
    .flatMap((name) => SEGMENT_NAME.exec(name.slice(prefix.length))?.[1] ?? [])
    .map(Number)
    .filter((number) => number > 0)
    .sort((a, b) => a - b)
}

const SEGMENT_NAME = /^(\d{6,9})\.jsonl$/
