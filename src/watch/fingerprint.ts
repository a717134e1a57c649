import { createHash } from "node:crypto"

/** A short text that stands for a value: the same for equal values only. */
export function fingerprint(value: unknown): string {
  return digest(JSON.stringify(value, shortenTexts) ?? "", "hex").slice(0, CHARS)
}

/** A whole file takes longer to be written as JSON than to be hashed. */
function shortenTexts(_: string, value: unknown): unknown {
  const isLong = typeof value === "string" && value.length > LONG_CHARS
  return isLong ? `${value.length} ${digest(value, "base64")}` : value
}

function digest(text: string, encoding: "hex" | "base64"): string {
  return createHash("sha1").update(text).digest(encoding)
}

const LONG_CHARS = 1000
const CHARS = 12
