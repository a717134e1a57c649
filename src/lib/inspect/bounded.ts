import { plainLine, shorten } from "../pack/escape.ts"
import { shortId } from "../pack/item.ts"

/** The first of them, and how many more there are. */
export function firstOf(lines: readonly string[], limit: number): string[] {
  const more = lines.length - limit
  return more > 0 ? [...lines.slice(0, limit), `… ${more} more`] : [...lines]
}

/** A value for a reader with little room: short ids, short texts on one line, short lists, nothing that is empty. */
export function bounded(value: unknown, limit: number): unknown {
  if (typeof value === "string")
    return UUID.test(value) ? shortId(value) : shorten(plainLine(value), MAX_TEXT)
  if (Array.isArray(value)) {
    const shown = value.slice(0, limit).map((each) => bounded(each, limit))
    return value.length > limit ? [...shown, `… ${value.length - limit} more`] : shown
  }
  if (typeof value !== "object" || value === null) return value
  const filled = Object.entries(value).filter(([, each]) => !isEmpty(each))
  return Object.fromEntries(filled.map(([name, each]) => [name, bounded(each, limit)]))
}

function isEmpty(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0
  return value === null || value === undefined || value === ""
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const MAX_TEXT = 240
