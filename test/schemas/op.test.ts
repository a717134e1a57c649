import { expect, it } from "vitest"
import { type OpShape, readOp } from "../../src/schemas/op.ts"
import { kinds, sectionNames } from "../../src/schemas/records.ts"
import { aPlan, uuid } from "../support/records.ts"

it("every kind of record has its own files, with a valid file name", () => {
  const names = kinds.map((kind) => sectionNames[kind])
  expect(new Set(names).size).toBe(kinds.length)
  for (const name of names) expect(name).toMatch(/^[a-z]+$/)
})

it("accepts an op with a valid record, and says what is wrong with any other", () => {
  const { stamp: _, ...unstamped } = aPlan(1)
  const good: OpShape = { op: "add", kind: "plan", record: aPlan(1) }
  expect(readOp(good)).toEqual(good)
  expect(readOp({ ...good, record: unstamped })).toContain("the added plan is not valid: stamp")
  expect(readOp({ ...good, kind: "mem" })).toContain("the added mem is not valid")
  expect(readOp({ op: "drop", kind: "mem", id: uuid(1), was: {} })).toContain("the dropped mem is not valid")
})

it("accepts a change of some fields, and adds no defaults for the others", () => {
  const change: OpShape = { op: "set", kind: "plan", id: uuid(1), to: { title: "B" }, was: { title: "A" } }
  expect(readOp(change)).toEqual(change)
  expect(readOp({ ...change, to: { status: "finished" } })).toContain("the changed plan is not valid: status")
  expect(readOp({ ...change, to: { nothing: 1 } })).toContain("nothing: no such field")
  expect(readOp({ ...change, was: { title: 7 } })).toEqual({ ...change, was: {} })
})
