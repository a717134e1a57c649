import { stampNumber } from "../shared/stamp.ts"

interface Made {
  id: string
  created_at: string
  stamp: string
  rank?: number | null
}

/** Sorts the oldest first. A task that a person has moved is sorted by its `rank`; records of the same time by stamp. */
export function byAge(a: Made, b: Made): number {
  const isMoved = (a.rank ?? null) !== null || (b.rank ?? null) !== null
  return (
    (isMoved ? placeOf(a) - placeOf(b) : compare(a.created_at, b.created_at)) ||
    stampNumber(a.stamp) - stampNumber(b.stamp) ||
    compare(a.id, b.id)
  )
}

/** The sort key of a record in ms: its `rank`, or its time of creation. */
export function placeOf({ rank, created_at }: Made): number {
  return rank ?? Date.parse(created_at)
}

/** Compares ISO times or ids. `localeCompare` takes twenty times as long. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
