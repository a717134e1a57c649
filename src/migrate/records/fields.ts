import { stamp as stampSchema } from "../../schemas/fields.ts"
import { stampOf } from "../../shared/stamp.ts"

/** Fields of another tool's record, which may hold anything. The functions of this file convert them, and never throw. */
export type Fields = Readonly<Record<string, unknown>>

export interface Made {
  created_at: string
  updated_at: string
  stamp: string
}

/** Converts ISO text, milliseconds or seconds to ISO text. Returns `fallback` for other values. */
export function timeOf(value: unknown, fallback: string): string {
  const ms = typeof value === "string" && /^\d{9,}$/.test(value) ? Number(value) : value
  if (typeof ms !== "string" && typeof ms !== "number") return fallback
  const date = new Date(typeof ms === "number" && ms > 0 && ms < SECONDS_BELOW ? ms * 1000 : ms)
  // A clock that was never set starts at 0, so such times are no times.
  return Number.isFinite(date.getTime()) && date.getTime() > 0 && date.getUTCFullYear() < 10_000
    ? date.toISOString()
    : fallback
}

/** The times and the stamp of a record. Without a valid stamp, it is derived from the time of creation. */
export function madeOf(
  { created, updated, stamp }: { created: unknown; updated?: unknown; stamp?: unknown },
  fallback: string,
): Made {
  const created_at = timeOf(created, fallback)
  const updated_at = timeOf(updated, created_at)
  const isTurned = updated_at < created_at
  return {
    created_at,
    updated_at: isTurned ? created_at : updated_at,
    stamp: stampFrom(stamp) ?? stampOf(Date.parse(created_at)),
  }
}

export function stampFrom(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value
  return typeof text === "string" && stampSchema.safeParse(text).success ? text : undefined
}

export function textFrom(value: unknown): string | undefined {
  const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value
  return typeof text === "string" ? text.trim() || undefined : undefined
}

export function textIn(object: unknown, ...names: string[]): string | undefined {
  const fields = objectFrom(object)
  for (const name of names) {
    const text = textFrom(fields?.[name])
    if (text !== undefined) return text
  }
  return undefined
}

export function shortTextIn(object: unknown, max: number, ...names: string[]): string | null {
  const text = textIn(object, ...names)
  return text === undefined ? null : cutAt(text, max)
}

/** Shortens a text to one line. `whole` is the original, if the line differs from it. */
export function lineFrom(text: string, max: number = MAX_LINE): { line: string; whole: string | undefined } {
  const line = text.replaceAll(/\s+/g, " ").trim()
  if (line.length <= max) return { line, whole: line === text.trim() ? undefined : text.trim() }
  return { line: `${cutAt(line, max - 1)}…`, whole: text.trim() }
}

export function piecesOf(text: string, max: number = MAX_TEXT): [first: string, ...more: string[]] {
  const first = cutAt(text, max)
  const rest = text.slice(first.length).trim()
  return rest === "" ? [first.trim()] : [first.trim(), ...piecesOf(rest, max)]
}

export function tagsFrom(value: unknown): string[] {
  const list = Array.isArray(value) ? value : typeof value === "string" ? value.split(",") : []
  return [...new Set(list.flatMap((tag) => textFrom(tag) ?? []).map((tag) => cutAt(tag, MAX_TAG).trim()))]
}

export function listFrom(value: unknown, max: number = MAX_TEXT): string[] {
  const list = Array.isArray(value) ? value : []
  return list.flatMap((each) => textFrom(each) ?? []).map((each) => cutAt(each, max))
}

export function objectFrom(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

export function jsonText(value: unknown): string | undefined {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : textFrom(value)
}

/** Cuts a text without splitting a surrogate pair. */
export function cutAt(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).replace(/[\ud800-\udbff]$/, "")
}

/** Joins remarks about a source record into one text, each only once. */
export function noteOf(...remarks: (string | false | undefined)[]): string | undefined {
  return [...new Set(remarks.filter((each) => typeof each === "string"))].join("; ") || undefined
}

const MAX_LINE = 500
const MAX_TEXT = 100_000
const MAX_TAG = 60
// Smaller numbers are seconds, because as milliseconds they would be in 1970.
const SECONDS_BELOW = 31_536_000_000
