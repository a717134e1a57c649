import { createHash } from "node:crypto"

/** A short text that stands for a value: the same for equal values only. */
export function fingerprint(value: unknown): string {
  return digest(JSON.stringify(value, shortenTexts) ?? "")
    .subarray(0, BYTES)
    .toString("hex")
}

/** A whole file takes longer to be written as JSON than to be hashed. */
function shortenTexts(_: string, value: unknown): unknown {
  const isLong = typeof value === "string" && value.length > LONG_CHARS
  return isLong ? `${value.length} ${digest(value).toString("base64")}` : value
}

/** The same of what a call was made with: that may be large, and is asked for more than once. */
export function signatureKey(signature: unknown): string {
  if (typeof signature !== "object" || signature === null) return fingerprint(signature)
  const known = kept.get(signature) ?? fingerprint(signature)
  kept.set(signature, known)
  return known
}

/**
 * A short text that is about the same for texts of about the same words: a byte for each of six ways to put the words in
 * order, taken from the word that comes first. Two texts agree in as many bytes as they share words.
 */
export function sketchOf(text: string): string {
  const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
  for (const word of COMMON) words.delete(word)
  const least = new Uint8Array(BYTES).fill(0xff)
  for (const word of words) {
    digest(word)
      .subarray(0, BYTES)
      .forEach((byte, lane) => {
        least[lane] = Math.min(least[lane] ?? byte, byte)
      })
  }
  return Buffer.from(least).toString("hex")
}

/** Takes whatever a register holds: what is no sketch is like nothing. */
export function areAlike(a: unknown, b: string): boolean {
  if (typeof a !== "string" || a.length !== b.length) return false
  const theirs = Buffer.from(a, "hex")
  const same = Buffer.from(b, "hex").filter((byte, lane) => byte === theirs[lane])
  return same.length >= ALIKE_BYTES
}

function digest(text: string): Buffer {
  return createHash("sha1").update(text).digest()
}

const kept = new WeakMap<object, string>()
const LONG_CHARS = 1000
const BYTES = 6
const ALIKE_BYTES = 4
const COMMON = "a an and at for from in is it of on or the to with".split(" ")
