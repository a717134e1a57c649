import { stampNumber } from "../shared/stamp.ts"

interface Made {
  id: string
  created_at: string
  stamp: string
  rank?: number | null
}

/**
 * The oldest first; a task that a person has moved, where they put it. Records planned in one call have the same
 * time; their stamps give the order.
 */
export function byAge(a: Made, b: Made): number {
  const isMoved = (a.rank ?? null) !== null || (b.rank ?? null) !== null
  return (
    (isMoved ? placeOf(a) - placeOf(b) : compare(a.created_at, b.created_at)) ||
    stampNumber(a.stamp) - stampNumber(b.stamp) ||
    compare(a.id, b.id)
  )
}

/** In ms. */
export function placeOf({ rank, created_at }: Made): number {
  return rank ?? Date.parse(created_at)
}

/** Times and ids as plain text. They are all in one format, and `localeCompare` would cost twenty times as much. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
