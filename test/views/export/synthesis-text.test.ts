import { expect, it } from "vitest"
import { firstSentences } from "../../../src/views/export/synthesis-text.ts"

it("is the first sentence, without code, headings and emphasis", () => {
  const message =
    "## Result\n\n**The login form** now checks `email` first. It also logs.\n```ts\ncode()\n```"
  expect(firstSentences(message)).toBe("The login form now checks email first.")
})

it("takes the next sentence along where the first is too short to say anything", () => {
  expect(firstSentences("Done. The tests pass and the form is in place. More.")).toBe(
    "Done. The tests pass and the form is in place.",
  )
})

it("is cut where there is no end of a sentence, and empty where there are no words", () => {
  expect(firstSentences("word ".repeat(1000)).length).toBeLessThanOrEqual(121)
  for (const empty of ["", "  \n", "```\nonly code"]) expect(firstSentences(empty)).toBe("")
})
