import { signal } from "@preact/signals"

/** `3 min ago`, with the exact time for whoever points at it. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exact(at)}>
      {ago(at, now.value)}
    </time>
  )
}

export function exact(at: string): string {
  return EXACT.format(new Date(at))
}

/** `Today`, `Yesterday`, `Monday, 3 November`. */
export function dayOf(at: string): string {
  const days = Math.round((startOfDay(now.value) - startOfDay(Date.parse(at))) / DAY_MS)
  return days === 0 ? "Today" : days === 1 ? "Yesterday" : DAY.format(new Date(at))
}

export function clock(at: string): string {
  return CLOCK.format(new Date(at))
}

function ago(at: string, from: number): string {
  const passed = Math.max(0, from - Date.parse(at))
  if (passed < MINUTE_MS) return "just now"
  if (passed < HOUR_MS) return `${Math.floor(passed / MINUTE_MS)} min ago`
  if (passed < DAY_MS) return `${Math.floor(passed / HOUR_MS)} h ago`
  const days = Math.floor(passed / DAY_MS)
  if (days < 30) return days === 1 ? "yesterday" : `${days} days ago`
  return SHORT.format(new Date(at))
}

function startOfDay(ms: number): number {
  return new Date(ms).setHours(0, 0, 0, 0)
}

/** The page is in English; which kind of it, the reader's browser says. Some say what no date can be written in: `en-US@posix`. */
const LOCALE = navigator.languages.find((each) => /^en(-[a-z]{2})?$/i.test(each)) ?? "en-GB"
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const EXACT = new Intl.DateTimeFormat(LOCALE, { dateStyle: "full", timeStyle: "medium" })
const DAY = new Intl.DateTimeFormat(LOCALE, { weekday: "long", day: "numeric", month: "long" })
const SHORT = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short", year: "numeric" })
const CLOCK = new Intl.DateTimeFormat(LOCALE, { hour: "2-digit", minute: "2-digit", hour12: false })

const now = signal(Date.now())
setInterval(() => {
  now.value = Date.now()
}, MINUTE_MS / 2)
