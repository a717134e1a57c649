import { expect, it } from "vitest"
import { trials } from "../../support/effort.ts"
import { checks } from "./oracle/compare.ts"
import { believed, playSession } from "./oracle/session.ts"

const GRAPHS = trials(4, 40)

it("150 turns of work: what the model was told is true, and it was told what it has to know", () => {
  expect(playSession(1, 150)).toEqual([])
})

it(`${GRAPHS} random graphs that others change between the turns, 45 turns each: the same`, () => {
  const wrong = Array.from({ length: GRAPHS }, (_, seed) => playSession(seed + 100, 45)).flat()
  expect(wrong.length, wrong.slice(0, 10).join("\n")).toBe(0)
})

it("with messages taken back and compactions that keep some of the last ones: the same", () => {
  const wrong = Array.from({ length: GRAPHS }, (_, seed) => playSession(seed + 500, 45, true)).flat()
  expect(wrong.length, wrong.slice(0, 10).join("\n")).toBe(0)
})

it("in these sessions the model was told of all that there is to tell of", () => {
  expect([...believed].sort()).toEqual(Object.keys(checks).sort())
})

it("in a subagent's block, which is smaller: the same", () => {
  const wrong = Array.from({ length: GRAPHS }, (_, seed) =>
    playSession(seed + 900, 45, true, 1875, true),
  ).flat()
  expect(wrong.length, wrong.slice(0, 10).join("\n")).toBe(0)
})
