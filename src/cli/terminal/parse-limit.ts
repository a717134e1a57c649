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

/** A number of seconds, as `--timeout` and `--wait` take it. */
export function parseSeconds(text: string, option: string): number {
  const seconds = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && seconds > 0 && seconds <= 3600) return seconds
  throw new HiveError({
    code: "invalid_argument",
    what: `${option} is not a number of seconds.`,
    why: "It must be more than 0 and at most 3600.",
    use_instead: `For example ${option} 120.`,
    evidence: `${option} ${text}`,
  })
}
