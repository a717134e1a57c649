import { expect, it } from "vitest"
import { type OpShape, readOp } from "../../src/schemas/op.ts"
import { kinds, sectionNames } from "../../src/schemas/records.ts"
import { aPlan, uuid } from "../support/records.ts"

it("every kind of record has files of its own, by a name that a file can have", () => {
  const names = kinds.map((kind) => sectionNames[kind])
  expect(new Set(names).size).toBe(kinds.length)
  for (const name of names) expect(name).toMatch(/^[a-z]+$/)
})

it("takes an op whose record is valid, and says of any other what is wrong with it", () => {
  const { stamp: _, ...unstamped } = aPlan(1)
  const good: OpShape = { op: "add", kind: "plan", record: aPlan(1) }
  expect(readOp(good)).toEqual(good)
  expect(readOp({ ...good, record: unstamped })).toContain("the added plan is not valid: stamp")
  expect(readOp({ ...good, kind: "mem" })).toContain("the added mem is not valid")
  expect(readOp({ op: "drop", kind: "mem", id: uuid(1), was: {} })).toContain("the dropped mem is not valid")
})

it("takes a change of some fields as it is: what is left out stays out", () => {
  const change: OpShape = { op: "set", kind: "plan", id: uuid(1), to: { title: "B" }, was: { title: "A" } }
  expect(readOp(change)).toEqual(change)
  expect(readOp({ ...change, to: { status: "finished" } })).toContain("the changed plan is not valid: status")
  expect(readOp({ ...change, to: { nothing: 1 } })).toContain("nothing: no such field")
  expect(readOp({ ...change, was: { title: 7 } })).toEqual({ ...change, was: {} })
})
