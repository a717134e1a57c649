import fc from "fast-check"
import picomatch from "picomatch"
import { describe, expect, it } from "vitest"
import { pathsMeet, segmentsMeet } from "../../src/shared/glob.ts"

describe("paths and patterns that could mean the same file", () => {
  const meeting: [string, string][] = [
    ["src/a.ts", "src/a.ts"],
    ["src", "src/a.ts"],
    ["src/*.ts", "src/a.ts"],
    ["src/**", "src/db/a.ts"],
    ["**/*.ts", "a.ts"],
    ["src/**/a.ts", "src/a.ts"],
    ["src/*.ts", "src/a.*"],
    ["src/**", "**/db/*"],
    ["{src,lib}/*.ts", "lib/a.ts"],
    ["src/[ab].ts", "src/b.ts"],
    ["src/[!c].ts", "src/b.ts"],
    ["src/?.ts", "src/[a-c].ts"],
    ["*", "src/a.ts"],
    ["", "src/a.ts"],
    ["src/db/**", "src"],
    [".hive*", ".hivemind/x"],
  ]
  const apart: [string, string][] = [
    ["src/a.ts", "src/b.ts"],
    ["src", "src2/a.ts"],
    ["src/*.ts", "src/a.js"],
    ["src/*.ts", "lib/*.ts"],
    ["src/*.ts", "src/db/a.ts"],
    ["{src,lib}/*.ts", "test/a.ts"],
    ["src/[ab].ts", "src/c.ts"],
    ["src/[!c].ts", "src/c.ts"],
    ["**/*.ts", "**/*.js"],
    ["a?", "abc"],
  ]
  for (const [a, b] of meeting)
    it(`${a} and ${b}`, () => {
      expect([pathsMeet(a, b), pathsMeet(b, a)]).toEqual([true, true])
    })
  for (const [a, b] of apart)
    it(`not ${a} and ${b}`, () => {
      expect([pathsMeet(a, b), pathsMeet(b, a)]).toEqual([false, false])
    })
})

it("matches a name like another glob library", () => {
  const pattern = fc.array(fc.constantFrom("a", "b", "*", "?", "[ab]", "[!a]"), {
    minLength: 1,
    maxLength: 6,
  })
  const name = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(pattern, name, (one, other) => {
      const [glob, text] = [one.join("").replaceAll(/\*+/g, "*"), other.join("")]
      const wanted = picomatch(glob.replaceAll("[!", "[^"), { dot: true, nonegate: true })(text)
      expect(segmentsMeet(glob, text), `${glob} ${text}`).toBe(wanted)
    }),
    { numRuns: 2000, seed: 5 },
  )
})

// bench/scaling measures that the time grows linearly.
const answers: [piece: string, alone: boolean][] = [
  ["*a", false],
  ["a/", false],
  ["**/", true],
  ["[a-c]", false],
  ["{", false],
  ["?*", false],
  // With too many alternatives, the pattern matches every file of its folder.
  ["{a,b}", true],
]
it.each(answers)("a pattern of 4,000 characters: of %s", (piece, alone) => {
  const text = piece.repeat(4000 / piece.length)
  expect(pathsMeet(text, "src/**/db/*.ts")).toBe(alone)
  expect(pathsMeet(`src/${text}/db/x.ts`, "src/**/db/*.ts")).toBe(true)
})
