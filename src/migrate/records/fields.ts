import { stamp as stampSchema } from "../../schemas/fields.ts"
import { stampOf } from "../../shared/stamp.ts"

/** Fields of our records from values of any shape. Nothing here throws. */

/** A time (ISO text, milliseconds or seconds) as ISO text, or `fallback` where it is none. */
export function timeOf(value: unknown, fallback: string): string {
  const ms = typeof value === "string" && /^\d{9,}$/.test(value) ? Number(value) : value
  if (typeof ms !== "string" && typeof ms !== "number") return fallback
  const date = new Date(typeof ms === "number" && ms > 0 && ms < SECONDS_BELOW ? ms * 1000 : ms)
  // A clock that was never set says 1970.
  return Number.isFinite(date.getTime()) && date.getTime() > 0 && date.getUTCFullYear() < 10_000
    ? date.toISOString()
    : fallback
}

/** When a record was made and changed, and its stamp: its own if it has one, else that of its time. */
export function madeOf(
  { created, updated, stamp }: { created: unknown; updated?: unknown; stamp?: unknown },
  fallback: string,
): { created_at: string; updated_at: string; stamp: string } {
  const created_at = timeOf(created, fallback)
  const updated_at = timeOf(updated, created_at)
  const isTurned = updated_at < created_at
  return {
    created_at,
    updated_at: isTurned ? created_at : updated_at,
    stamp: stampFrom(stamp) ?? stampOf(Date.parse(created_at)),
  }
}

/** A stamp as ours, or undefined where it is none. */
export function stampFrom(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value
  return typeof text === "string" && stampSchema.safeParse(text).success ? text : undefined
}

/** Text, trimmed; undefined where there is none. */
export function textFrom(value: unknown): string | undefined {
  const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value
  if (typeof text !== "string") return undefined
  const trimmed = text.trim()
  return trimmed === "" ? undefined : trimmed
}

/** The first of these fields that has a text. */
export function textIn(fields: Record<string, unknown> | undefined, ...names: string[]): string | undefined {
  for (const name of names) {
    const text = textFrom(fields?.[name])
    if (text !== undefined) return text
  }
  return undefined
}

/** The same as one that fits into a record, or null. */
export function shortTextIn(
  fields: Record<string, unknown> | undefined,
  max: number,
  ...names: string[]
): string | null {
  const text = textIn(fields, ...names)
  return text === undefined ? null : cutAt(text, max)
}

/** A line that fits, and all of the text where the line had to leave something out. */
export function lineFrom(text: string, max: number = MAX_LINE): { line: string; whole: string | undefined } {
  const line = text.replaceAll(/\s+/g, " ").trim()
  if (line.length <= max) return { line, whole: line === text.trim() ? undefined : text.trim() }
  return { line: `${cutAt(line, max - 1)}…`, whole: text.trim() }
}

/** A text in pieces that each fit into one record. */
export function piecesOf(text: string, max: number = MAX_TEXT): [first: string, ...more: string[]] {
  const [first, rest] = [cutAt(text, max), text.slice(cutAt(text, max).length)]
  const trimmed = rest.trim()
  return trimmed === "" ? [first.trim()] : [first.trim(), ...piecesOf(trimmed, max)]
}

/** Tags as ours: no empty ones, none twice, none too long. */
export function tagsFrom(value: unknown): string[] {
  const list = Array.isArray(value) ? value : typeof value === "string" ? value.split(",") : []
  const tags = list.flatMap((tag) => textFrom(tag) ?? []).map((tag) => cutAt(tag, MAX_TAG).trim())
  return [...new Set(tags)]
}

/** Texts of a list, each at most `max` long. */
export function listFrom(value: unknown, max: number = MAX_TEXT): string[] {
  return Array.isArray(value)
    ? value.flatMap((each) => textFrom(each) ?? []).map((each) => cutAt(each, max))
    : []
}

/** An object with fields, or undefined. */
export function objectFrom(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

/** Never ends in half a surrogate pair. */
export function cutAt(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).replace(/[\ud800-\udbff]$/, "")
}

const MAX_LINE = 500
const MAX_TEXT = 100_000
const MAX_TAG = 60
// A number below this counts seconds: in milliseconds it would be in 1970.
const SECONDS_BELOW = 31_536_000_000
