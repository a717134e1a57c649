import { rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { Hive } from "../../src/hive/hive.ts"
import { backupHive } from "../../src/sync/backup.ts"
import { countEvent } from "../../src/watch/count-event.ts"
import { beginWork, openProcess, SESSION } from "../support/hive-at-work.ts"
import { makeTeam } from "../support/team.ts"
import { callTool } from "../tools/call-tool.ts"
import { cli, cliJson, useSandbox } from "./harness.ts"

const box = useSandbox(({ root }) => makeTeam(root))
const run = (args: string) => cli(box, args, box.anna)
async function inHive<T>(dir: string, job: (hive: Hive) => Promise<T>): Promise<T> {
  const hive = await openProcess(dir)
  try {
    return await job(hive)
  } finally {
    await hive.store.close()
  }
}
const start = (task: string, dir = box.anna) =>
  inHive(dir, (hive) => callTool(hive, "task", { action: "start", task_id: task }, "ses_2"))

describe("sync --restore", () => {
  async function restored(isBackedUp: boolean) {
    const { task } = await inHive(box.anna, async (hive) => {
      const work = await beginWork(hive)
      if (isBackedUp) await backupHive(hive)
      return work
    })
    await run("sync --yes")
    rmSync(join(box.anna, ".hivemind"), { recursive: true })
    return { task, ...(await run("sync --restore")) }
  }
  const sessions = async (dir = box.anna) => (await cliJson(box, "sessions", dir)).items

  test.each([true, false])(
    "leaves no session open and no task held, with a backup or from the shared log: %s",
    async (isBackedUp) => {
      const { task, code, stdout } = await restored(isBackedUp)
      expect(code).toBe(0)
      expect(stdout).not.toContain("No remote")
      // The backup brings the read-head back, so that the session can go on; the shared log has none.
      const head = isBackedUp
        ? { plan: { title: "Auth" }, tasks: [{ title: "Write the form" }] }
        : { plan: null, tasks: [] }
      expect(await sessions()).toMatchObject([{ host_id: SESSION, state: "left", ...head }])
      const plans = await cliJson(box, "plans", box.anna)
      expect(plans.items).toMatchObject([{ title: "Auth", sessions: [] }])
      expect(await start(task)).toMatchObject({ status: "success" })
    },
  )

  test("a session that still runs opens again with its next call, and gets its task back", async () => {
    const { task } = await restored(true)
    const caller = { session: SESSION, agent: null, tool: "test" }
    const message = { what: "user message", taskId: null, text: "go on" } as const
    await inHive(box.anna, (hive) => countEvent(hive, caller, message))
    expect(await sessions()).toMatchObject([{ state: "open" }])
    expect(await start(task)).toMatchObject({ status: "error" })
  })

  test("sessions of other clones are left as they are", async () => {
    const { task } = await inHive(box.anna, beginWork)
    await run("sync --yes")
    await cli(box, "sync --restore", box.bert)
    expect(await sessions(box.bert)).toMatchObject([{ state: "open", plan: null }])
    const held = { status: "error", use_instead: expect.stringContaining("--take") }
    expect(await start(task, box.bert)).toMatchObject(held)
    expect((await cli(box, `tasks ${task.slice(0, 8)} --take`, box.bert)).code).toBe(0)
  })
})

describe("taking a task over", () => {
  test("tasks --take frees a task that a session holds, at once, and says from whom", async () => {
    const { task, session } = await inHive(box.anna, beginWork)
    const held = await start(task)
    expect(held).toMatchObject({ status: "error", why: "Another session is working on the task." })
    const { code, stdout } = await run(/`hivemind (tasks \w+ --take)`/.exec(held.use_instead)?.[1] ?? "")
    expect(code).toBe(0)
    expect(stdout).toContain(
      `Taken from session ${session.stamp}: "Write the form" is planned, and any session can start it.\n`,
    )
    expect(await start(task)).toMatchObject({ status: "success" })
  })

  test("refuses a task without a holder, a missing id, and an agent", async () => {
    const { task } = await inHive(box.anna, beginWork)
    await run(`tasks ${task} --take`)
    const env = { HIVEMIND_SESSION: "ses_2" }
    for (const [{ code, stderr }, exit, words] of [
      [await run(`tasks ${task} --take`), 1, "no session works on it"],
      [await run("tasks --take"), 2, "`--take` needs an id."],
      [await cli(box, `tasks ${task} --take`, box.anna, env), 1, "`hivemind tasks` needs a person."],
    ] as const)
      expect([code, stderr]).toEqual([exit, expect.stringContaining(words)])
  })
})
