import { rmSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import type { Hive } from "../../src/hive/hive.ts"

import { backupHive } from "../../src/sync/backup.ts"
import { countEvent } from "../../src/watch/count-event.ts"
import { GIT_ENV } from "../support/git-repo.ts"
import { beginWork, openProcess, SESSION } from "../support/hive-at-work.ts"
import { makeTeam, type Team } from "../support/team.ts"
import { callTool } from "../tools/call-tool.ts"
import { cli, dropSandbox, makeSandbox, type Sandbox } from "./harness.ts"

let box: Sandbox
let team: Team
beforeEach(async () => {
  box = await makeSandbox()
  for (const [name, value] of Object.entries(GIT_ENV)) vi.stubEnv(name, value)
  team = makeTeam(box.root)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await dropSandbox(box)
})

const run = (...args: string[]) => cli(box, args, team.anna)
async function inAnna<T>(job: (hive: Hive) => Promise<T>): Promise<T> {
  const hive = await openProcess(team.anna)
  try {
    return await job(hive)
  } finally {
    await hive.store.close()
  }
}
const start = (task: string) =>
  inAnna((hive) => callTool(hive, "task", { action: "start", task_id: task }, "ses_2"))

describe("sync --restore", () => {
  /** Anna's session works on a task; then her hive is deleted and restored. */
  async function restored(isBackedUp: boolean) {
    const { task } = await inAnna(async (hive) => {
      const work = await beginWork(hive)
      if (isBackedUp) await backupHive(hive)
      return work
    })
    await run("sync", "--yes")
    rmSync(join(team.anna, ".hivemind"), { recursive: true })
    return { task, ...(await run("sync", "--restore")) }
  }

  test.each([true, false])(
    "leaves no session open and no task held, with a backup or from the shared log: %s",
    async (isBackedUp) => {
      const { task, code, stdout } = await restored(isBackedUp)
      expect(code).toBe(0)
      expect(stdout).not.toContain("No remote")
      const sessions = JSON.parse((await run("sessions", "--json")).stdout).items
      expect(sessions).toMatchObject([{ host_id: SESSION, state: "left", plan: null, tasks: [] }])
      const plans = JSON.parse((await run("plans", "--json")).stdout).items
      expect(plans).toMatchObject([{ title: "Auth", sessions: [] }])
      expect(await start(task)).toMatchObject({ status: "success" })
    },
  )

  test("a session that still runs is open again with its next call, and holds its task", async () => {
    const { task } = await restored(true)
    await inAnna((hive) =>
      countEvent(
        hive,
        { session: SESSION, agent: null, tool: "test" },
        { what: "user message", taskId: null, text: "go on" },
      ),
    )
    expect(JSON.parse((await run("sessions", "--json")).stdout).items).toMatchObject([{ state: "open" }])
    expect(await start(task)).toMatchObject({ status: "error" })
  })

  test("sessions of other clones are left as they are", async () => {
    const { task } = await inAnna(beginWork)
    await run("sync", "--yes")
    await cli(box, ["sync", "--restore"], team.bert)
    const { stdout } = await cli(box, ["sessions", "--json"], team.bert)
    expect(JSON.parse(stdout).items).toMatchObject([{ state: "open", plan: null }])
    const hive = await openProcess(team.bert)
    const reply = await callTool(hive, "task", { action: "start", task_id: task }, "ses_bert")
    await hive.store.close()
    expect(reply).toMatchObject({ status: "error", use_instead: expect.stringContaining("--take") })
    expect((await cli(box, ["tasks", task.slice(0, 8), "--take"], team.bert)).code).toBe(0)
  })
})

describe("taking a task over", () => {
  test("tasks --take frees a task that a session holds, at once, and says from whom", async () => {
    const { task, session } = await inAnna(beginWork)
    const held = await start(task)
    expect(held).toMatchObject({ status: "error", why: "Another session is working on it." })
    const command = /`hivemind (tasks \w+ --take)`/.exec(held.use_instead)?.[1] ?? ""
    const { code, stdout } = await run(...command.split(" "))
    expect(code).toBe(0)
    expect(stdout).toContain(
      `Taken from session ${session.stamp}: "Write the form" is planned, and any session can start it.\n`,
    )
    expect(await start(task)).toMatchObject({ status: "success" })
  })

  test("refuses a task without a holder, a missing id, and an agent", async () => {
    const { task } = await inAnna(beginWork)
    await run("tasks", task, "--take")
    expect(await run("tasks", task, "--take")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no session holds it"),
    })
    expect(await run("tasks", "--take")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("`--take` needs an id."),
    })
    const asAgent = await cli(box, ["tasks", task, "--take"], team.anna, { HIVEMIND_SESSION: "ses_2" })
    expect(asAgent.stderr).toContain("`hivemind tasks` needs a person.")
  })
})
