import { sixDigits } from "../files/number.ts"

/** The name says which fold wrote it: no two folds write the same file, not even two at once. */
export function archiveName(segment: number, token: string): string {
  return `mems.${sixDigits(segment)}-${token}.jsonl`
}
