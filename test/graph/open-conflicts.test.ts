import { expect, it } from "vitest"
import { isOpenConflict, openConflicts } from "../../src/graph/open-conflicts.ts"
import { emptyState } from "../../src/graph/state.ts"
import type { Conflict } from "../../src/schemas/conflict.ts"
import type { Anchor, Mem } from "../../src/schemas/knowledge.ts"
import type { Task } from "../../src/schemas/task.ts"
import { aConflict, aMem, anAnchor, aTask, T0, uuid } from "../support/records.ts"

const side = (fields: Record<string, unknown>) => ({ fields, writer: null })
const failed = side({ status: "failed" })
const gone = { rule: "dropped", kind: "mem", record_id: uuid(5), lost: side({ record: aMem(5) }) } as const
const circle = {
  rule: "circle",
  kept: side({ depends_on: [] }),
  lost: side({ depends_on: [uuid(4)] }),
} as const
const key = {
  ...({ rule: "anchor_key", kind: "anchor", record_id: uuid(6) } as const),
  kept: side({ key: "KEY_6", value: "value", priority: "medium" }),
}

it.each<[string, boolean, Partial<Conflict>, { task?: Partial<Task>; mem?: Mem; anchor?: Anchor }]>([
  [
    "while its record is as the merge left it",
    true,
    { kept: failed },
    { task: { status: "failed", title: "b" } },
  ],
  ["not once the record has changed", false, { kept: failed }, { task: { status: "active" } }],
  ["not once the record is gone", false, { kept: failed }, {}],
  ["not where a rule settled it", false, { kept: failed, status: "noted" }, { task: { status: "failed" } }],
  [
    "not where a person settled it",
    false,
    { kept: failed, status: "settled" },
    { task: { status: "failed" } },
  ],
  ["not about an unknown kind", false, { kept: failed, kind: "comet" }, { task: { status: "failed" } }],
  ["while the dropped record is gone", true, gone, {}],
  ["not once the dropped record is there again", false, gone, { mem: aMem(5) }],
  ["while the link is left out", true, circle, { task: { depends_on: [uuid(7)] } }],
  ["not once the record has the link", false, circle, { task: { depends_on: [uuid(7), uuid(4)] } }],
  ["not once the task is over", false, circle, { task: { status: "completed" } }],
  ["while the anchor stands", true, key, { anchor: anAnchor(6) }],
  ["not once the anchor is removed", false, key, { anchor: anAnchor(6, { status: "removed" }) }],
])("is open: %s", (_, isOpen, conflict, { task, mem, anchor }) => {
  const state = emptyState()
  if (task !== undefined) state.task.set(uuid(3), aTask(3, 1, 2, task))
  if (mem !== undefined) state.mem.set(mem.id, mem)
  if (anchor !== undefined) state.anchor.set(anchor.id, anchor)
  expect(isOpenConflict(aConflict(9, conflict), state)).toBe(isOpen)
})

it("lists the oldest first", () => {
  const state = emptyState()
  state.task.set(uuid(3), aTask(3, 1, 2, { status: "failed" }))
  for (const [n, seconds] of Object.entries({ 8: 2, 9: 1 })) {
    const created_at = new Date(T0 + seconds * 1000).toISOString()
    state.conflict.set(uuid(Number(n)), aConflict(Number(n), { kept: failed, created_at }))
  }
  expect(openConflicts(state).map(({ id }) => id)).toEqual([uuid(9), uuid(8)])
})
