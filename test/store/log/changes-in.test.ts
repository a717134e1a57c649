import { describe, expect, it } from "vitest"
import { addOp, dropOp, type Op, setOp } from "../../../src/schemas/op.ts"
import { entryLine } from "../../../src/store/log/line.ts"
import { changesIn } from "../../../src/store/replay.ts"
import { aMem, aPlan, by, uuid } from "../../support/records.ts"

describe("what a line changes, without parsing it", () => {
  const lineOf = (ops: Op[]) =>
    Buffer.from(entryLine({ id: uuid(9), at: "2026-02-11T14:30:00.000Z", by, writer: "w", clock: 1, ops }, 1))

  it("is each record that it adds, sets, drops or archives", () => {
    const ops: Op[] = [
      addOp("mem", aMem(1, { content: "ä" })),
      setOp("plan", uuid(2), { title: "B" }, { title: "A" }),
      dropOp("plan", aPlan(3)),
      { op: "archive", kind: "mem", id: uuid(4) },
    ]
    expect(changesIn(lineOf(ops))).toEqual({
      entry: uuid(9),
      changes: [
        { op: "add", kind: "mem", id: uuid(1) },
        { op: "set", kind: "plan", id: uuid(2) },
        { op: "drop", kind: "plan", id: uuid(3) },
        { op: "archive", kind: "mem", id: uuid(4) },
      ],
    })
  })

  it("is not what a text in it looks like", () => {
    const content = `"op":"drop","kind":"mem","id":"${uuid(5)}" \\"op":"add"`
    expect(changesIn(lineOf([addOp("mem", aMem(1, { content }))]))?.changes).toEqual([
      { op: "add", kind: "mem", id: uuid(1) },
    ])
  })

  it("is unknown where the line is written another way", () => {
    const { id, ...rest } = aMem(1)
    expect(changesIn(lineOf([addOp("mem", { ...rest, id })]))).toBeUndefined()
    expect(changesIn(Buffer.from('{ "id": "1" }'))).toBeUndefined()
  })
})
