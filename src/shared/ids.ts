import { createHash, randomUUID } from "node:crypto"

export type Clock = () => number

export interface Source {
  now: Clock
  newId: () => string
}

export const systemSource: Source = { now: Date.now, newId: randomUUID }

/** Hashes the words to a UUID, so that two processes that create the same record give it the same id. */
export function derivedId(...words: string[]): string {
  const hex = createHash("sha1").update(words.join("\n")).digest("hex")
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`
}

/** The first 8 characters of an id. Calls accept them, and a whole UUID costs twenty tokens. */
export function shortId(id: string): string {
  return id.slice(0, 8)
}

/** Returns a function that is true the first time it gets an id. Hosts report most events several times. */
export function onceEach(): (id: string) => boolean {
  const seen = new BoundedMap<string, true>()
  return (id) => {
    if (seen.has(id)) return false
    seen.set(id, true)
    return true
  }
}

/** A map that drops its oldest entry when full. Needed because hosts may never report the end of a call or session. */
export class BoundedMap<K, V> extends Map<K, V> {
  override set(key: K, value: V): this {
    super.set(key, value)
    if (this.size > MAX_ENTRIES) this.delete(this.keys().next().value as K)
    return this
  }
}

const MAX_ENTRIES = 1000
