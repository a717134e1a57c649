import { HiveError } from "../../shared/error.ts"

/** How many entries `--limit` asks for. */
export function parseLimit(text: string): number {
  const limit = Number(text)
  if (/^\d+$/.test(text) && limit > 0) return limit
  throw new HiveError({
    code: "invalid_argument",
    what: "--limit is not a number of entries.",
    why: "It must be a whole number, 1 or more.",
    use_instead: "For example --limit 50.",
    evidence: `--limit ${text}`,
  })
}
