import { createHash } from "node:crypto"

/** Tells whether bytes are those that were written. Against accidents, not against anybody's intent. */
export function checksum(bytes: Buffer | string): string {
  return createHash("sha1").update(bytes).digest("hex").slice(0, 16)
}
