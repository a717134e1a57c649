import { signal } from "@preact/signals"

export const amount = (value: number): string => value.toLocaleString("en")

export function counted(value: number, word: string): string {
  return `${amount(value)} ${value === 1 ? word : `${word}s`}`
}

/** Formats a number as `950`, `12.4k` or `1.2M`. */
export function short(value: number): string {
  if (value < 1000) return String(Math.round(value))
  return value < 1e6 ? `${round(value / 1000)}k` : `${round(value / 1e6)}M`
}

export const percent = (share: number): string => `${Math.round(share * 100)}%`

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

export const spaced = (name: string): string => name.replaceAll("_", " ")

/** A time such as `3 min ago`, with the exact time as tooltip. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exact(at)}>
      {ago(at, now.value)}
    </time>
  )
}

export const exact = (at: string): string => EXACT.format(new Date(at))

export const moment = (at: string): string => MOMENT.format(new Date(at))

/** Names a day: `Today`, `Yesterday` or `Monday, 3 November`. */
export function dayOf(at: string): string {
  const days = Math.round((startOfDay(now.value) - startOfDay(Date.parse(at))) / DAY_MS)
  return days === 0 ? "Today" : days === 1 ? "Yesterday" : DAY.format(new Date(at))
}

export const clock = (at: string): string => CLOCK.format(new Date(at))

function ago(at: string, from: number): string {
  const passed = Math.max(0, from - Date.parse(at))
  if (passed < MINUTE_MS) return "just now"
  if (passed < HOUR_MS) return `${Math.floor(passed / MINUTE_MS)} min ago`
  if (passed < DAY_MS) return `${Math.floor(passed / HOUR_MS)} h ago`
  const days = Math.floor(passed / DAY_MS)
  if (days < 30) return days === 1 ? "yesterday" : `${days} days ago`
  return SHORT.format(new Date(at))
}

const startOfDay = (ms: number): number => new Date(ms).setHours(0, 0, 0, 0)

/** The browser's first English locale. Locales that `Intl` rejects, such as `en-US@posix`, are skipped. */
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
