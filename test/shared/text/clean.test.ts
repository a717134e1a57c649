import { expect, it } from "vitest"
import { cleanText } from "../../../src/shared/text/clean.ts"

it("keeps words, lines and emoji, and drops what steers a terminal or turns the writing round", () => {
  expect(cleanText(" a\u0000b\u001b[31m\tc\nd \u202e👍 ", 100)).toBe("ab[31m\tc\nd 👍")
})

it("half of a pair becomes a replacement character, so that the text is valid in every encoding", () => {
  expect(cleanText("a\ud800b", 100)).toBe("a\ufffdb")
})

it("cuts a megabyte to its length, with a mark, and never through a character", () => {
  const cut = cleanText("👍".repeat(500_000), 100)
  expect(cut.length).toBeLessThanOrEqual(100)
  expect(cut).toBe(`${"👍".repeat(49)}…`)
})
