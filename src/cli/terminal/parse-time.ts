import { HiveError } from "../../shared/error.ts"

/** A moment as a person gives it: `45m`, `2h`, `3d`, `1w` ago, or an ISO date, local unless it names a zone. */
export function parseTime(text: string, option: string, now: number): number {
  const relative = RELATIVE.exec(text)
  if (relative?.[1] !== undefined && relative[2] !== undefined) {
    return now - Number(relative[1]) * (UNIT_MS[relative[2]] ?? 0)
  }
  if (ISO.test(text)) {
    // JavaScript takes a bare date for UTC; a person means the day that begins at their own midnight.
    const time = Date.parse(text.length === "2026-02-11".length ? `${text}T00:00` : text.replace(" ", "T"))
    if (!Number.isNaN(time)) return time
  }
  throw new HiveError({
    code: "invalid_argument",
    what: `${option} is not a time.`,
    why: "A time is a date (2026-02-11, 2026-02-11T14:30) or how long ago (45m, 2h, 3d, 1w).",
    use_instead: `For example ${option} 2h, or ${option} 2026-02-11.`,
    evidence: `${option} ${text}`,
  })
}

const RELATIVE = /^(\d{1,9})([smhdw])$/
const ISO = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/
const UNIT_MS: Record<string, number> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}
