import { expect, it } from "vitest"
import { headOf, sessionOf } from "../../../src/graph/read-head.ts"
import { assignTask } from "../../../src/work/delegation/assign.ts"
import { updateSession } from "../../../src/work/focus/update.ts"
import { planTasks } from "../../../src/work/plan/create.ts"
import { continueIn } from "../../../src/work/session/session.ts"
import { adoptUnplanned, unplannedTask } from "../../../src/work/session/unplanned.ts"
import { defined } from "../../support/defined.ts"
import { memoryHive } from "../../support/hive.ts"

const caller = { session: "ses_old", agent: "build", tool: "test" }

it("moves the task, file locks, delegations and intent to the new session", async () => {
  const hive = memoryHive()
  const { plan } = await updateSession(hive, caller, { level: "trajectory", content: "Checkout" })
  await updateSession(hive, caller, { level: "action", content: "Take payments" })
  const [handed] = await planTasks(hive, caller, plan?.id ?? "", [
    { title: "Look at taxes", expected_output: "a list", file_locks: ["tax/**"] },
  ])
  await assignTask(hive, caller, { task_id: handed?.id ?? "", to: "general" })
  const before = headOf(hive.store.read().state, "ses_old")
  await continueIn(hive, caller, "ses_new")
  const { state } = hive.store.read()
  const { active_plan_id, active_phase_id, active_task_ids, intent } = defined(before)
  const place = { active_plan_id, active_phase_id, active_task_ids, intent }
  expect(headOf(state, "ses_new")).toMatchObject(place)
  expect(headOf(state, "ses_old")?.active_task_ids).toEqual([])
  expect(
    [...state.task.values()]
      .filter(({ status }) => status === "active")
      .map((task) => task.assigned_session_id),
  ).toEqual(["ses_new"])
  expect([...state.delegation.values()].map(({ session_id }) => session_id)).toEqual(["ses_new"])
  expect(sessionOf(state, "ses_old")).toMatchObject({ status: "closed", continued_in: "ses_new" })
  expect(sessionOf(state, "ses_new")).toMatchObject({ status: "active", continues: "ses_old" })
  // As a second process would, at the same time.
  await expect(continueIn(hive, caller, "ses_second")).rejects.toThrow("already")
})

it("work without a task continues in the same inbox task", async () => {
  const hive = memoryHive()
  const { task } = await adoptUnplanned(hive, caller, "a.ts")
  await continueIn(hive, caller, "ses_new")
  const { state } = hive.store.read()
  expect(unplannedTask(state, "ses_new")?.id).toBe(task.id)
  expect(unplannedTask(state, "ses_old")).toBeUndefined()
})
