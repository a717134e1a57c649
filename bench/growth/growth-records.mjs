import { randomUUID } from "node:crypto"
import { mem as defaults } from "../../test/support/record-defaults.mjs"

export const BY = { tool: "bench", session: null, agent: null }
export const SOURCE = { now: Date.now, newId: randomUUID }

export function mem(n, more = {}) {
  const at = new Date().toISOString()
  const content = `Seen in step ${n}: the cache of the parser refuses the token, because the queue of the lock waits.`
  const made = { created_at: at, updated_at: at }
  return { ...defaults, id: randomUUID(), kind: "fact", content, tags: ["bench"], ...made, ...more }
}

export function fail(error) {
  throw error
}
