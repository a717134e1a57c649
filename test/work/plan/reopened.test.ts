import { expect, it } from "vitest"
import { openHiveIn } from "../../../src/hive/open.ts"
import { systemSource } from "../../../src/shared/ids.ts"
import { updateSession } from "../../../src/work/focus/update.ts"
import { createPlan, planTasks } from "../../../src/work/plan/create.ts"
import { completeDonePlans } from "../../../src/work/plan/end.ts"
import { closeTask } from "../../../src/work/task/finish.ts"
import { startTask } from "../../../src/work/task/start.ts"
import { tempProject } from "../../support/temp-project.ts"

const caller = { session: "ses_1", agent: null, tool: "test" }

it.each(["started", "named"])(
  "an open task in a plan that was completed by itself opens it again: %s",
  async (how) => {
    const options = { name: "the test", value: undefined }
    const { hive } = await openHiveIn(await tempProject(), {
      source: systemSource,
      userConfig: null,
      options,
    })
    const { plan } = await createPlan(hive, caller, { title: "Cart", acceptance: [] })
    const [task] = await planTasks(hive, caller, plan.id, [
      { title: "Add items", expected_output: "a button" },
    ])
    const id = task?.id ?? ""
    await startTask(hive, caller, id)
    await closeTask(hive, caller, id, { outcome: "completed", reason: "it is there" })
    const done = (await hive.store.log()).at(-1)?.id ?? ""
    expect(await completeDonePlans(hive, caller)).toHaveLength(1)
    // As another clone may bring a task that was planned there meanwhile.
    await hive.store.undo(done, caller)
    if (how === "started") await startTask(hive, caller, id)
    else await updateSession(hive, caller, { level: "action", content: "Add items" })
    const { state } = hive.store.read()
    expect(state.plan.get(plan.id)).toMatchObject({ status: "active", completed_at: null })
    expect([...state.task.keys()]).toEqual([id])
  },
)
