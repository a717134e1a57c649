import { stampNumber } from "../shared/stamp.ts"

interface Made {
  id: string
  created_at: string
  stamp: string
}

/** The oldest first. What was planned in one call was made at the same moment; the stamps still tell in which order. */
export function byAge(a: Made, b: Made): number {
  return (
    a.created_at.localeCompare(b.created_at) ||
    stampNumber(a.stamp) - stampNumber(b.stamp) ||
    a.id.localeCompare(b.id)
  )
}
