import { expect, it } from "vitest"
import { isOpenConflict, openConflicts } from "../../src/graph/open-conflicts.ts"
import { emptyState } from "../../src/graph/state.ts"
import { aConflict, aMem, anAnchor, aTask, T0, uuid } from "../support/records.ts"

const side = (fields: Record<string, unknown>) => ({ fields, writer: null })

it("a conflict is open while its record is as the merge left it, even if other fields have changed", () => {
  const state = emptyState()
  state.task.set(uuid(3), aTask(3, 1, 2, { status: "failed", title: "another title" }))
  const conflict = aConflict(9, { kept: side({ status: "failed", reason: null }) })
  expect(isOpenConflict(conflict, state)).toBe(true)
  state.task.set(uuid(3), aTask(3, 1, 2, { status: "active" }))
  expect(isOpenConflict(conflict, state)).toBe(false)
  state.task.delete(uuid(3))
  expect(isOpenConflict(conflict, state)).toBe(false)
})

it("one that a rule, a person or an agent has settled is not open, nor one of a kind that is unknown here", () => {
  const state = emptyState()
  state.task.set(uuid(3), aTask(3, 1, 2, { status: "failed" }))
  const kept = side({ status: "failed" })
  expect(isOpenConflict(aConflict(9, { kept, status: "noted" }), state)).toBe(false)
  expect(isOpenConflict(aConflict(9, { kept, status: "settled" }), state)).toBe(false)
  expect(isOpenConflict(aConflict(9, { kept, kind: "comet" }), state)).toBe(false)
})

it("one about a record that is gone stands until that is there again", () => {
  const state = emptyState()
  const conflict = aConflict(9, {
    rule: "dropped",
    kind: "mem",
    record_id: uuid(5),
    lost: side({ record: aMem(5) }),
  })
  expect(isOpenConflict(conflict, state)).toBe(true)
  state.mem.set(uuid(5), aMem(5))
  expect(isOpenConflict(conflict, state)).toBe(false)
})

it("a link that was left out stands until the record has it, or is over", () => {
  const state = emptyState()
  const conflict = aConflict(9, {
    rule: "circle",
    kept: side({ depends_on: [] }),
    lost: side({ depends_on: [uuid(4)] }),
  })
  state.task.set(uuid(3), aTask(3, 1, 2, { depends_on: [uuid(7)] }))
  expect(isOpenConflict(conflict, state)).toBe(true)
  state.task.set(uuid(3), aTask(3, 1, 2, { depends_on: [uuid(7), uuid(4)] }))
  expect(isOpenConflict(conflict, state)).toBe(false)
  state.task.set(uuid(3), aTask(3, 1, 2, { status: "completed" }))
  expect(isOpenConflict(conflict, state)).toBe(false)
})

it("two anchors with one key are none once the one that stands is removed", () => {
  const state = emptyState()
  const conflict = aConflict(9, {
    rule: "anchor_key",
    kind: "anchor",
    record_id: uuid(6),
    kept: side({ key: "KEY_6", value: "value", priority: "medium" }),
  })
  state.anchor.set(uuid(6), anAnchor(6))
  expect(isOpenConflict(conflict, state)).toBe(true)
  state.anchor.set(uuid(6), anAnchor(6, { status: "removed" }))
  expect(isOpenConflict(conflict, state)).toBe(false)
})

it("the oldest come first", () => {
  const state = emptyState()
  state.task.set(uuid(3), aTask(3, 1, 2, { status: "failed" }))
  const kept = side({ status: "failed" })
  for (const [n, seconds] of [
    [8, 2],
    [9, 1],
  ] as const)
    state.conflict.set(
      uuid(n),
      aConflict(n, { kept, created_at: new Date(T0 + seconds * 1000).toISOString() }),
    )
  expect(openConflicts(state).map(({ id }) => id)).toEqual([uuid(9), uuid(8)])
})
