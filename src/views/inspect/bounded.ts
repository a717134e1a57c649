import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"

/** The first of them, and how many more there are. */
export function firstOf(lines: readonly string[], limit: number): string[] {
  const more = lines.length - limit
  return more > 0 ? [...lines.slice(0, limit), `… ${more} more`] : [...lines]
}

/** Fields for a reader with little room: short ids, short texts on one line, short lists, nothing that is empty. */
export function bounded(fields: object, limit: number): Record<string, unknown> {
  const shown = Object.entries(fields).map(([name, value]) => [name, boundedValue(value, limit)])
  return Object.fromEntries(shown.filter(([, value]) => !isEmpty(value)))
}

function boundedValue(value: unknown, limit: number): unknown {
  if (typeof value === "string") return UUID.test(value) ? shortId(value) : shorten(value, MAX_TEXT)
  if (Array.isArray(value)) {
    const shown = value.slice(0, limit).map((each) => boundedValue(each, limit))
    return value.length > limit ? [...shown, `… ${value.length - limit} more`] : shown
  }
  return typeof value === "object" && value !== null ? bounded(value, limit) : value
}

function isEmpty(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0
  return value === null || value === undefined || value === ""
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const MAX_TEXT = 240
