import { describe, expect, it } from "vitest"
import { areAlike, fingerprint, signatureKey, sketchOf } from "../../src/watch/fingerprint.ts"

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
    expect(signatureKey(long("x"))).toBe(fingerprint(long("x")))
  })
})

describe("sketches", () => {
  it.each([
    ["Fix the login test", "fix login test", true],
    ["Fix the login test in the auth module", "The auth module: fix the login test again", true],
    ["Fix the login test", "Write the release notes", false],
    ["Add a user table and its index", "Fix the failing login test in auth", false],
    ["", "Fix it", false],
  ])("%j and %j are alike: %s", (a, b, expected) => {
    expect(areAlike(sketchOf(a), sketchOf(b))).toBe(expected)
  })

  it("what is no sketch is like nothing", () => {
    for (const value of [undefined, 0, 12.5, "", "ab"])
      expect(areAlike(value, sketchOf("Fix it"))).toBe(false)
  })
})
