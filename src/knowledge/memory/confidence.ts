import type { Mem } from "../../schemas/knowledge.ts"

/**
 * How far a mem is to be trusted by now, 0 to 1: what it was saved with, halved with every month of age, and halved again
 * while a file that it rests on is not what it was. Age lowers it, and never to nothing: it ranks, it does not hide.
 */
export function confidenceAt(
  { confidence, created_at }: Pick<Mem, "confidence" | "created_at">,
  now: number,
  isUnverified = false,
): number {
  const ageDays = Math.max(0, (now - Date.parse(created_at)) / DAY_MS)
  const decay = Math.max(LEAST, 0.5 ** (ageDays / HALF_LIFE_DAYS))
  return confidence * decay * (isUnverified ? UNVERIFIED : 1)
}

const DAY_MS = 24 * 3_600_000
const HALF_LIFE_DAYS = 30
const LEAST = 0.3
const UNVERIFIED = 0.5
