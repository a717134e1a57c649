import { createHash } from "node:crypto"

/** A number that stands for a value, for counters, which can hold nothing else. Never 0, which means none. */
export function fingerprint(value: unknown): number {
  return digest(JSON.stringify(value) ?? "").readUIntBE(0, BYTES) || 1
}

/**
 * A number for a text that is about the same for texts of about the same words: a byte for each of six ways to put the
 * words in order, taken from the word that comes first. Two texts agree in as many bytes as they share words.
 */
export function sketchOf(text: string): number {
  const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
  for (const word of COMMON) words.delete(word)
  const least = new Array<number>(BYTES).fill(0xff)
  for (const word of words) {
    digest(word)
      .subarray(0, BYTES)
      .forEach((byte, lane) => {
        least[lane] = Math.min(least[lane] ?? byte, byte)
      })
  }
  return Buffer.from(least).readUIntBE(0, BYTES) || 1
}

export function areAlike(a: number, b: number): boolean {
  return isSketch(a) && isSketch(b) && sameBytes(bytesOf(a), bytesOf(b)) >= ALIKE_BYTES
}

/** A counter that two processes have set at once can hold anything. */
function isSketch(value: number): boolean {
  return Number.isInteger(value) && value > 0 && value < 2 ** (8 * BYTES)
}

function bytesOf(sketch: number): Buffer {
  const bytes = Buffer.alloc(BYTES)
  bytes.writeUIntBE(sketch, 0, BYTES)
  return bytes
}

function sameBytes(a: Buffer, b: Buffer): number {
  return a.filter((byte, lane) => byte === b[lane]).length
}

function digest(text: string): Buffer {
  return createHash("sha1").update(text).digest()
}

// As many as fit into a number without loss, also when two of them are subtracted.
const BYTES = 6
const ALIKE_BYTES = 4
const COMMON = [
  "a",
  "an",
  "and",
  "at",
  "for",
  "from",
  "in",
  "is",
  "it",
  "of",
  "on",
  "or",
  "the",
  "to",
  "with",
]
