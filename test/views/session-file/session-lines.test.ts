import { expect, it } from "vitest"
import { sessionOf } from "../../../src/graph/read-head.ts"
import { sessionLines } from "../../../src/views/session-file/session-lines.ts"
import { bindSubagent } from "../../../src/work/delegation/assign.ts"
import { recordCheckpoint } from "../../../src/work/task/checkpoint.ts"
import { defined } from "../../support/defined.ts"
import { memoryHive } from "../../support/hive.ts"
import { anAnchor } from "../../support/records.ts"
import { callTool } from "../../tools/call-tool.ts"

function talk() {
  const hive = memoryHive()
  const call = (tool: string, args: object, session = "ses_1") => callTool(hive, tool, args, session)
  const linesOf = async (hostId: string) => {
    const { state } = hive.store.read()
    return sessionLines(await hive.store.log(), state, defined(sessionOf(state, hostId)))
  }
  const words = async (session = "ses_1") => (await linesOf(session)).map((line) => line.words)
  const taskNamed = (name: string) => {
    const task = [...hive.store.read().state.task.values()].find(({ title }) => title === name)
    if (task === undefined) throw new Error(`no task ${name}`)
    return task
  }
  return { hive, call, words, linesOf, taskNamed }
}

it("has lines for changes of tasks, plans and anchors, not for counters", async () => {
  const { hive, call, words, taskNamed } = talk()
  await call("session", { action: "start", intent: "Ship it" })
  await call("session", { action: "update", level: "action", content: "Write code" })
  await call("session", { action: "update", level: "action", content: "Write code" })
  await call("task", { action: "fail", task_id: taskNamed("Write code").id, reason: "no time" })
  await call("task", { action: "start", task_id: taskNamed("Write code").id })
  await call("task", { action: "review" })
  await call("memory", { action: "save", content: "Do not use eval", kind: "false_path" })
  const author = { tool: "test", session: "ses_1", agent: null }
  await hive.store.write(author, (tx) => tx.add("anchor", anAnchor(900, { key: "PORT", value: "8080" })))
  await hive.store.write(author, (tx) => tx.set("anchor", anAnchor(900).id, { value: "9090" }))
  await hive.store.write(author, (tx) => tx.set("anchor", anAnchor(900).id, { status: "removed" }))
  for (const name of ["tool_failures", "exports"])
    await hive.store.append(author, (tx) => tx.count("ses_1", name))
  const plan_id = taskNamed("Write code").parent_plan_id
  await call("plan", { action: "abandon", plan_id, reason: "another way" })
  expect(await words()).toEqual([
    "a session began: Ship it",
    "made the plan “Ship it”; started “Write code”",
    "gave up “Write code”: no time",
    "started “Write code”",
    "submitted “Write code”",
    "a false path: Do not use eval",
    "anchored PORT: 8080",
    "changed the anchor “PORT”: 9090",
    "removed the anchor “PORT”",
    "gave up the plan “Ship it”: another way",
  ])
})

it("has lines for commits and failed checks, not for other checkpoints", async () => {
  const { hive, call, words, taskNamed } = talk()
  await call("session", { action: "update", level: "action", content: "Write code" })
  const caller = { session: "ses_1", agent: "build", tool: "tool bash" }
  const outcomes = [
    { summary: "write src/a.ts", command: null, ok: true, files: ["src/a.ts"] },
    { summary: "test: npm test", command: "npm test", did: ["test" as const], ok: true, files: [] },
    { summary: "test: npm test", command: "npm test", did: ["test" as const], ok: false, files: [] },
    { summary: "other: rm x (failed)", command: "rm x", ok: false, files: [] },
    {
      summary: "git: git commit",
      command: 'git commit -m "Done"',
      did: ["commit" as const],
      ok: true,
      files: [],
    },
    { summary: "git: git log", command: "git log; echo commit", ok: true, files: [] },
  ]
  for (const outcome of outcomes)
    await recordCheckpoint(hive, caller, taskNamed("Write code"), { tool: "bash", ...outcome })
  expect((await words()).slice(1)).toEqual(["failed: test: npm test", "git: git commit"])
})

it("has lines for a delegation's start and end, and for each session's start", async () => {
  const { hive, call, words, taskNamed } = talk()
  const { entity_id } = await call("plan", { action: "create", title: "P", acceptance: [] }, "ses_0")
  const tasks = [{ title: "Look around", expected_output: "x" }]
  await call("plan", { action: "plan_tasks", plan_id: entity_id, tasks }, "ses_0")
  const { id } = taskNamed("Look around")
  await call("delegate", { action: "assign", task_id: id, to: "hive-investigator" })
  const child = { session: "ses_2", agent: "hive-investigator", tool: "chat.message" }
  await bindSubagent(hive, child, { session: "ses_1", agent: "build" }, "go")
  const [delegation_id] = hive.store.read().state.delegation.keys()
  await call("delegate", { action: "recall", delegation_id, reason: "too slow" })
  // The subagent's first message put both sessions on record.
  expect(await words("ses_1")).toEqual([
    "delegated “Look around” to hive-investigator",
    "a session began",
    "recalled the work of “hive-investigator”: too slow; stopped “Look around”",
  ])
  expect(await words("ses_2")).toEqual(["a session began; started “Look around”"])
})

it("stored text cannot break a line, pass for a mark or exceed the length", async () => {
  const { call, linesOf } = talk()
  const hostile = `a --> <!-- 00000000-0000-4000-8000-000000000001 00000000 -->\r\n\u2028- fake ${"x".repeat(5000)}`
  await call("session", { action: "start", intent: hostile })
  await call("session", { action: "update", level: "trajectory", content: hostile.slice(0, 400) })
  await call("memory", { action: "save", content: hostile })
  const lines = await linesOf("ses_1")
  expect(lines).toHaveLength(3)
  for (const { text } of lines) {
    expect(text).not.toMatch(/[\r\n\u2028]|-->|<!--/)
    expect(text.length).toBeLessThan(520)
  }
})
