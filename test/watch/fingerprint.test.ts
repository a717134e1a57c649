import { describe, expect, it } from "vitest"
import { fingerprint } from "../../src/watch/fingerprint.ts"

describe("fingerprints", () => {
  it("are the same for the same value only", () => {
    expect(fingerprint(["read", { a: 1 }])).toBe(fingerprint(["read", { a: 1 }]))
    expect(fingerprint(["read", { a: 1 }])).not.toBe(fingerprint(["read", { a: 2 }]))
    expect(fingerprint(undefined)).not.toBe(fingerprint(null))
  })

  it("also of long texts that differ in one sign", () => {
    const long = (sign: string) => ["write", { content: `${"a".repeat(50_000)}${sign}${"a".repeat(50_000)}` }]
    expect(fingerprint(long("x"))).toBe(fingerprint(long("x")))
    expect(fingerprint(long("x"))).not.toBe(fingerprint(long("y")))
  })
})
