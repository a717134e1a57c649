import { expect, it } from "vitest"
import { type SessionExport, sessionExport } from "../../src/schemas/export.ts"
import { uuid } from "../support/records.ts"

const at = "2026-02-11T14:30:00.000Z"
const example: SessionExport = {
  version: 1,
  number: 1,
  session: { host_id: "ses_1", stamp: "301411022026", intent: null, mode: "plan_driven" },
  exported_at: at,
  since: at,
  staleness_hours: 0,
  is_stale: false,
  hierarchy: {
    plan: { id: uuid(1), title: "Auth", status: "active" },
    phase: { id: uuid(2), title: "API", status: "active", plan_id: uuid(1) },
    tasks: [
      {
        id: uuid(3),
        title: "Login",
        status: "active",
        at_hand: true,
        plan_id: uuid(1),
        phase_id: uuid(2),
        parent_task_id: null,
      },
    ],
    anchors: [],
  },
  last_message: "Done.",
  files: [{ path: "src/a.ts", exists: true }],
  mems: [],
  validation: { is_complete: true, issues: [] },
}

it("takes a whole export", () => {
  expect(sessionExport.parse(example)).toEqual(example)
})

it("refuses another version, a field too many, and one too few", () => {
  const { files: _, ...less } = example
  for (const wrong of [{ ...example, version: 2 }, { ...example, more: 1 }, less])
    expect(sessionExport.safeParse(wrong).success).toBe(false)
})

it("refuses a phase or a task of another plan", () => {
  const { hierarchy } = example
  const [task] = hierarchy.tasks
  const wrong = [
    { ...hierarchy, plan: null },
    { ...hierarchy, phase: { ...hierarchy.phase, plan_id: uuid(9) } },
    { ...hierarchy, tasks: [{ ...task, plan_id: uuid(9) }] },
  ]
  for (const each of wrong)
    expect(sessionExport.safeParse({ ...example, hierarchy: each }).success).toBe(false)
})

it("refuses to call complete what has an issue, and the other way round", () => {
  const issues = [{ kind: "task", text: '"Login" is active' }]
  for (const validation of [
    { is_complete: true, issues },
    { is_complete: false, issues: [] },
  ])
    expect(sessionExport.safeParse({ ...example, validation }).success).toBe(false)
})
