import { signal } from "@preact/signals"

/** `1,234`. */
export function amount(value: number): string {
  return value.toLocaleString("en")
}

/** `1 task`, `3 tasks`. */
export function counted(value: number, word: string): string {
  return `${amount(value)} ${value === 1 ? word : `${word}s`}`
}

/** `950`, `12.4k`, `1.2M`. */
export function short(value: number): string {
  if (value < 1000) return String(Math.round(value))
  return value < 1e6 ? `${round(value / 1000)}k` : `${round(value / 1e6)}M`
}

export function percent(share: number): string {
  return `${Math.round(share * 100)}%`
}

export function dollars(value: number): string {
  if (value === 0) return "no price known"
  return value < 0.01 ? "under $0.01" : `$${value.toFixed(2)}`
}

export function bytes(value: number): string {
  if (value < 1024) return `${value} B`
  return value < 1024 ** 2 ? `${round(value / 1024)} KB` : `${round(value / 1024 ** 2)} MB`
}

function round(value: number): string {
  return value < 10 ? value.toFixed(1).replace(/\.0$/, "") : String(Math.round(value))
}

/** `failed_checks` as words. */
export function spaced(name: string): string {
  return name.replaceAll("_", " ")
}

/** `3 min ago`; the exact time is in its tooltip. */
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

/** `18 Nov 2026, 17:04`: people know a session by its time, not by the twelve digits of its stamp. */
export function moment(at: string): string {
  return MOMENT.format(new Date(at))
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

/** The page is in English; the browser says which. Some name a locale that no date can be written in: `en-US@posix`. */
const LOCALE = navigator.languages.find((each) => /^en(-[a-z]{2})?$/i.test(each)) ?? "en-GB"
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const EXACT = new Intl.DateTimeFormat(LOCALE, { dateStyle: "full", timeStyle: "medium" })
const MOMENT = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "short" })
const DAY = new Intl.DateTimeFormat(LOCALE, { weekday: "long", day: "numeric", month: "long" })
const SHORT = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short", year: "numeric" })
const CLOCK = new Intl.DateTimeFormat(LOCALE, { hour: "2-digit", minute: "2-digit", hour12: false })

const now = signal(Date.now())
setInterval(() => {
  now.value = Date.now()
}, MINUTE_MS / 2)
