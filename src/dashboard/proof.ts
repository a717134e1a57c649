import { createHash, createHmac, timingSafeEqual } from "node:crypto"

/** Shows that one knows a token, for these words only, without telling it. */
export function proofOf(token: string, ...words: string[]): string {
  return createHmac("sha256", token).update(JSON.stringify(words)).digest("base64url")
}

/** How long it takes says nothing of where they differ. */
export function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)]
  return first.length === second.length && timingSafeEqual(first, second)
}

export function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex")
}
