import { spawnSync } from "node:child_process"
import { expect, it } from "vitest"
import { identityText, thisProcess } from "../../../src/shared/process-identity.ts"
import { countsOf } from "../../../src/views/hierarchy/counts.ts"
import { listPlans } from "../../../src/views/look/plans.ts"
import { listSessions } from "../../../src/views/look/sessions.ts"
import { HOST_PROCESS, THIS_PROCESS } from "../../../src/work/session/host-process.ts"
import { memoryHive } from "../../support/hive.ts"
import { by } from "../../support/records.ts"
import { callTool } from "../../tools/call-tool.ts"

it("tells what became of each session: open, left by a program that has ended, continued, closed", async () => {
  const hive = memoryHive()
  const dead = { ...thisProcess, pid: spawnSync("true").pid, token: "gone" }
  const names = ["ses_open", "ses_left", "ses_continued", "ses_closed", "mcp-1"]
  for (const name of names) await callTool(hive, "session", { action: "start", intent: name }, name)
  await callTool(hive, "session", { action: "close" }, "ses_closed")
  await hive.store.write(by, (tx) => {
    tx.register("ses_open", HOST_PROCESS, THIS_PROCESS)
    tx.register("ses_left", HOST_PROCESS, identityText(dead))
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

it("a plan is under way where a session is at it whose program still runs", async () => {
  const hive = memoryHive()
  const { stamp } = await callTool(hive, "session", { action: "start", intent: "Tolls" })
  await callTool(hive, "session", { action: "update", level: "trajectory", content: "Tolls" })
  expect(listPlans(hive).items).toMatchObject([{ title: "Tolls", sessions: [stamp] }])
  const dead = { ...thisProcess, pid: spawnSync("true").pid, token: "gone" }
  await hive.store.write(by, (tx) => tx.register("ses_1", HOST_PROCESS, identityText(dead)))
  expect(listPlans(hive).items).toMatchObject([{ title: "Tolls", sessions: [] }])
})
