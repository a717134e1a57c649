/** Formats local time: `2026-02-11 14:30:05`. `toLocaleString` would be too slow for thousands of lines. */
export function localTime(time: number | string): string {
  const date = new Date(time)
  const two = (n: number) => String(n).padStart(2, "0")
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** Formats a duration: `40 s`, `5 min`, `3 h`, `12 days`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 120) return `${seconds} s`
  if (seconds < 2 * 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h`
  return `${Math.floor(seconds / 86_400)} days`
}

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
