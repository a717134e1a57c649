import { createHash } from "node:crypto"

/** Most texts are those of the turn before, and hashing is slow. */
export function hashOf(text: string): string {
  const known = hashes.get(text)
  if (known !== undefined) return known
  const hash = createHash("sha1").update(text).digest("base64url").slice(0, 10)
  if (hashes.size >= MAX_HASHES) hashes.clear()
  hashes.set(text, hash)
  return hash
}

const hashes = new Map<string, string>()
const MAX_HASHES = 2000
