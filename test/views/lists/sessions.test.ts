import { spawnSync } from "node:child_process"
import { expect, it } from "vitest"
import { HOST_PROCESS, THIS_PROCESS } from "../../../src/hive/host-process.ts"
import { identityText, thisProcess } from "../../../src/shared/process-identity.ts"
import type { Pausing } from "../../../src/shared/slices.ts"
import { hierarchyStatus } from "../../../src/views/hierarchy/render.ts"
import { inspectScan } from "../../../src/views/inspect/scan.ts"
import { listPlans } from "../../../src/views/lists/plans.ts"
import { listSessions } from "../../../src/views/lists/sessions.ts"
import { countsOf } from "../../../src/views/status.ts"
import { memoryHive } from "../../support/hive.ts"
import { addPlan, aTask, by } from "../../support/records.ts"
import { callTool } from "../../tools/call-tool.ts"

const DEAD = identityText({ ...thisProcess, pid: spawnSync("true").pid, token: "gone" })

it("lists sessions as open, left, continued or closed", async () => {
  const hive = memoryHive()
  const names = ["ses_open", "ses_left", "ses_continued", "ses_closed", "mcp-1"]
  for (const name of names) await callTool(hive, "session", { action: "start", intent: name }, name)
  await callTool(hive, "session", { action: "close" }, "ses_closed")
  await hive.store.write(by, (tx) => {
    tx.register("ses_open", HOST_PROCESS, THIS_PROCESS)
    tx.register("ses_left", HOST_PROCESS, DEAD)
    for (const { id, host_id } of [...tx.all("session")]) {
      if (host_id === "ses_continued") tx.set("session", id, { continued_in: "ses_open" })
      if (host_id === "ses_left") tx.set("session", id, { parent_host_id: "ses_open" })
    }
  })
  const { items } = listSessions(hive, { subagents: true })
  expect(Object.fromEntries(items.map(({ host_id, state, host }) => [host_id, `${state} ${host}`]))).toEqual({
    ses_open: "open opencode",
    ses_left: "left opencode",
    ses_continued: "continued opencode",
    ses_closed: "closed opencode",
    "mcp-1": "open mcp",
  })
  expect(countsOf(hive.store.read().state, 0)).toMatchObject({ sessions: 5, open_sessions: 2 })
  expect(listSessions(hive, { state: "left" }).total).toBe(0)
  expect(listSessions(hive, { state: "left", subagents: true }).items).toMatchObject([{ parent: "ses_open" }])
  expect(listSessions(hive, { words: "closed" }).total).toBe(1)
})

it("a plan lists the sessions whose program still runs", async () => {
  const hive = memoryHive()
  const { stamp } = await callTool(hive, "session", { action: "start", intent: "Tolls" })
  await callTool(hive, "session", { action: "update", level: "trajectory", content: "Tolls" })
  expect(listPlans(hive).items).toMatchObject([{ title: "Tolls", sessions: [stamp] }])
  await hive.store.write(by, (tx) => tx.register("ses_1", HOST_PROCESS, DEAD))
  expect(listPlans(hive).items).toMatchObject([{ title: "Tolls", sessions: [] }])
})

const TASKS = 5000

const MAX_PIECE = 500

it("the tree and the scan of a large plan pause in between", async () => {
  const hive = memoryHive()
  await hive.store.write(by, (tx) => {
    addPlan(tx)
    for (let n = 0; n < TASKS; n++) tx.add("task", aTask(100 + n, 1, 2))
  })
  const tree = run(hierarchyStatus(hive, "ses_1"))
  // Its tasks are put in order, made into nodes, placed, counted, and looked at for gaps and for what is near.
  expect(tree.pauses).toBeGreaterThanOrEqual((6 * TASKS) / MAX_PIECE)
  expect(tree.value["tree"]).toMatch(/… \d{4} more tasks, \d{4} open/)
  const scan = run(inspectScan(hive, null))
  expect(scan.pauses).toBeGreaterThanOrEqual((5 * TASKS) / MAX_PIECE)
  expect(scan.value.counts.tasks).toEqual({ planned: TASKS })
})

function run<T>(work: Pausing<T>): { value: T; pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const { done, value } = work.next()
    if (done) return { value, pauses }
  }
}
