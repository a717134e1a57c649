import { createHash, randomUUID } from "node:crypto"

type NewId = () => string
export type Clock = () => number

/** The time and fresh ids. Library code takes them from here, so that tests can give their own. */
export interface Source {
  now: Clock
  newId: NewId
}

export const systemSource: Source = { now: Date.now, newId: randomUUID }

/**
 * The same id for the same words, in UUID shape: two processes that make a record at the same moment make the same one.
 */
export function derivedId(...words: string[]): string {
  const hex = createHash("sha1").update(words.join("\n")).digest("hex")
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`
}

/** Enough of an id to name the record in a call: a whole UUID would cost twenty tokens each time. */
export function shortId(id: string): string {
  return id.slice(0, 8)
}
