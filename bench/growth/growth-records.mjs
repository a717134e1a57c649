import { randomUUID } from "node:crypto"

export const BY = { tool: "bench", session: null, agent: null }
export const SOURCE = { now: Date.now, newId: randomUUID }

export function mem(n, more = {}) {
  const at = new Date().toISOString()
  return {
    id: randomUUID(),
    origin_task_id: null,
    session_id: null,
    shelf: "context",
    kind: "fact",
    status: "active",
    content: `Seen in step ${n}: the cache of the parser refuses the token, because the queue of the lock waits.`,
    tags: ["bench"],
    evidence: [],
    confidence: 1,
    origin: "saved",
    resolved: null,
    supersedes: null,
    related_to: [],
    reason: null,
    stale_at: null,
    created_at: at,
    updated_at: at,
    stamp: "301411022026",
    ...more,
  }
}

export function fail(error) {
  throw error
}
