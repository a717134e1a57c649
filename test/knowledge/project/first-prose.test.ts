import { expect, it } from "vitest"
import { firstProse } from "../../../src/knowledge/project/onboard.ts"

const PROSE = "This library keeps <b>small</b> things in order, whoever asks."
const SHOWN = "This library keeps small things in order, whoever asks."

it.each([
  [
    "code at the top",
    "# A\n\n```sh\nnpm install something\n\nThen this is printed by the program itself, all of it.\n```\n\n",
  ],
  [
    "a page at the top",
    '<p align="center">\n  A tagline that is long enough to be a paragraph of its own.\n</p>\n\n',
  ],
  [
    "a table of a page",
    "<table>\n<tr>\n\nCells of a table that are long enough to be a paragraph.\n\n</table>\n\n",
  ],
  ["a comment with a page in it", "<!-- <p>\n\nNot for readers, and long enough to be a paragraph -->\n\n"],
  [
    "badges, lists and quotes",
    "[![a](b)](c) with words that are long enough to be one\n\n* a point that is long enough to be a paragraph of it\n\n",
  ],
  ["indented code", "    This is code that is long enough to be a paragraph of its own\n\n"],
])("the first prose of a readme stands behind %s", (_, before) => {
  expect(firstProse(`${before}${PROSE}\n\nMore.\n`)).toBe(SHOWN)
})

it("finds no prose in code", () => {
  expect(firstProse("# A\n\n```\nnever closed, and long enough to be taken for a paragraph\n")).toBe("")
})
