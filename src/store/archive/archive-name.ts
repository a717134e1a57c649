import { sixDigits } from "../files/number.ts"

/** The name says which fold wrote it: no two folds write the same file, not even two at once. */
export function archiveName(segment: number, token: string): string {
  return `mems.${sixDigits(segment)}-${token}.jsonl`
}

/** The segment at which a fold wrote a file of the archive, or undefined for another file. */
export function archiveFold(name: string): number | undefined {
  const match = /^mems\.(\d{6,})-\w+\.jsonl$/.exec(name)
  return match?.[1] === undefined ? undefined : Number(match[1])
}
