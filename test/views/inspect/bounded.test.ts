import { expect, it } from "vitest"
import { bounded, firstOf } from "../../../src/views/inspect/bounded.ts"
import { uuid } from "../../support/records.ts"

it("shortens ids, texts and lists, on every level, and leaves out what is empty", () => {
  const shown = bounded(
    {
      id: uuid(1),
      text: `one\ntwo \u001b[2J${"x".repeat(500)}`,
      list: ["a", "b", "c", "d"],
      inner: { ids: [uuid(2)], none: [], nothing: null },
      empty: { also: [], and: { so: "" } },
      zero: 0,
      no: false,
    },
    3,
  )
  expect(shown).toEqual({
    id: "00000000",
    text: expect.stringMatching(/^one two \[2Jx{200,240}…$/),
    list: ["a", "b", "c", "… 1 more"],
    inner: { ids: ["00000000"] },
    zero: 0,
    no: false,
  })
})

it("counts what a list leaves out", () => {
  expect(firstOf(["a", "b", "c"], 2)).toEqual(["a", "b", "… 1 more"])
  expect(firstOf(["a", "b"], 2)).toEqual(["a", "b"])
})
