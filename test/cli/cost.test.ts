import { expect, test } from "vitest"
import { hivePaths } from "../../src/store/files/layout.ts"
import { usageFile } from "../../src/store/files/usage-file.ts"
import { fillProject, SESSION, withStore } from "./filled-project.ts"
import { cli, useSandbox } from "./harness.ts"

const box = useSandbox()

test("says what was spent on which plan, task and session, in tokens and money", async () => {
  const { task } = await fillProject(box.project)
  const plan = await planOf(task)
  const file = usageFile(hivePaths(box.project))
  const answer = {
    at: "2026-11-15T10:00:00.000Z",
    session: SESSION,
    parent: null,
    agent: "build",
    model: "test/one",
    task,
    plan: plan ?? null,
    delegation: null,
    ...{ input: 1200, cache_write: 0, cache_read: 30_000, output: 400, reasoning: 0, cost: 0.25 },
  }
  file.add({ ...answer, message: "msg_1" })
  file.add({ ...answer, message: "msg_2", task: null, plan: null })
  const { stdout, code } = await cli(box, ["cost"])
  expect(code).toBe(0)
  expect(stdout).toMatch(/all 2 answers\s+2,400\s+60,000\s+800\s+\$0\.5000/)
  expect(stdout).toMatch(/Login\s+1,200\s+30,000\s+400\s+\$0\.2500\n\s+Build login\s+1,200/)
  expect(stdout).toMatch(/without a task\s+1,200/)
  expect(stdout).toMatch(/Add a login page\s+2,400/)
  const { stdout: json } = await cli(box, ["cost", "--json", "--since", "2026-11-16"])
  expect(JSON.parse(json).total.answers).toBe(0)
})

function planOf(task: string): Promise<string | undefined> {
  return withStore(box.project, async (store) => store.read().state.task.get(task)?.parent_plan_id)
}

test("says so where nothing was counted yet", async () => {
  await fillProject(box.project)
  expect((await cli(box, ["cost"])).stdout).toContain("Nothing was counted yet")
})
