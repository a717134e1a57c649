import { createHash, randomUUID } from "node:crypto"

type NewId = () => string
export type Clock = () => number

/** The clock and new ids. Library code takes them from here, so that tests can replace them. */
export interface Source {
  now: Clock
  newId: NewId
}

export const systemSource: Source = { now: Date.now, newId: randomUUID }

/**
 * An id in UUID form that depends on the words only: two processes that make the same record give it the same id.
 */
export function derivedId(...words: string[]): string {
  const hex = createHash("sha1").update(words.join("\n")).digest("hex")
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`
}

/** The start of an id, enough to name a record in a call: a whole UUID costs twenty tokens. */
export function shortId(id: string): string {
  return id.slice(0, 8)
}

/** True the first time an id is seen. Hosts report most events several times in a row. */
export function onceEach(): (id: string) => boolean {
  const seen = new Set<string>()
  return (id) => {
    if (seen.has(id)) return false
    seen.add(id)
    if (seen.size > MAX_SEEN) forgetOldest(seen)
    return true
  }
}

/** Only the oldest: newer events may come again, or still be under way. */
export function forgetOldest(ids: { keys(): Iterator<string>; delete(id: string): boolean }): void {
  const { value, done } = ids.keys().next()
  if (!done) ids.delete(value)
}

const MAX_SEEN = 1000
