import { HiveError } from "../../shared/error.ts"

/** A whole number from 1 on, as `--limit` and `--page` take it. */
export function parseLimit(text: string, option = "--limit"): number {
  const limit = Number(text)
  if (/^\d{1,9}$/.test(text) && limit > 0) return limit
  throw new HiveError({
    code: "invalid_argument",
    what: `${option} is not a number of entries.`,
    why: "It must be a whole number, 1 or more.",
    use_instead: `For example ${option} ${option === "--page" ? 2 : 50}.`,
    evidence: `${option} ${text}`,
  })
}
