import { stampNumber } from "../shared/stamp.ts"

interface Made {
  id: string
  created_at: string
  stamp: string
}

/** The oldest first. What was planned in one call was made at the same moment; the stamps still tell in which order. */
export function byAge(a: Made, b: Made): number {
  return (
    compare(a.created_at, b.created_at) || stampNumber(a.stamp) - stampNumber(b.stamp) || compare(a.id, b.id)
  )
}

/** Times and ids as plain text. They are all in one format, and `localeCompare` would cost twenty times as much. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
