import { toolUses } from "../gate/call.ts"
import { clusters } from "./keywords.ts"

/** Looks up a counter. */
export type Get = (name: string) => number

export function allCalls(get: Get): number {
  return toolUses.reduce((sum, use) => sum + get(`calls ${use}`), 0)
}

/** Taken as a difference, so that a call costs no counter more. */
export function callsThisMinute(get: Get): number {
  return Math.max(0, allCalls(get) - get("calls_before_minute"))
}

/** How often words of being stuck were said; what lies many calls back no longer counts. */
export function wordsSaid(get: Get): number {
  if (allCalls(get) - get("words_at_call") > WORDS_LAST_CALLS) return 0
  return clusters.reduce((sum, cluster) => sum + get(`words ${cluster}`), 0)
}

const WORDS_LAST_CALLS = 10
