import { expect, it } from "vitest"
import { sessionOf } from "../../../src/graph/read-head.ts"
import type { Session } from "../../../src/schemas/session.ts"
import { sessionRecord } from "../../../src/work/session/record.ts"
import { recordCheckpoint, recordCommand } from "../../../src/work/task/checkpoint.ts"
import { memoryHive } from "../../support/hive.ts"
import { anAnchor } from "../../support/records.ts"
import { callTool } from "../../tools/call-tool.ts"

it("lists what the session did, and those of its anchors that still exist", async () => {
  const hive = memoryHive()
  const call = (tool: string, args: object, session = "ses_1") => callTool(hive, tool, args, session)
  const author = { tool: "hivemind_anchor.save", session: "ses_1", agent: "build" }
  const command = { session: "ses_1", agent: null, tool: "command" }
  await recordCommand(hive, command, "hive", "")
  const { stamp } = await call("session", { action: "start", intent: "Ship it" })
  await call("session", { action: "update", level: "action", content: "Write code" })
  const [task] = hive.store.read().state.task.values()
  if (task === undefined) throw new Error("no task")
  const outcome = { tool: "write", summary: "x", command: null, ok: true }
  const writer = { session: "ses_1", agent: "build", tool: "tool write" }
  await recordCheckpoint(hive, writer, task, { ...outcome, files: ["b.ts", "a.ts"] })
  await recordCheckpoint(hive, writer, task, { ...outcome, files: ["a.ts"] })
  await recordCheckpoint(hive, writer, task, { ...outcome, files: ["broken.ts"], ok: false })
  await recordCommand(hive, command, "hive-plan", "a\nnew page")
  for (const [n, key] of ["KEPT", "GONE"].entries())
    await hive.store.write(author, (tx) => tx.add("anchor", anAnchor(900 + n, { key })))
  await hive.store.write(author, (tx) => tx.set("anchor", anAnchor(901).id, { status: "removed" }))
  await hive.store.append({ ...author, tool: "compaction" }, (tx) => tx.recordCompaction("ses_1"))
  await hive.store.write(author, (tx) => tx.add("anchor", anAnchor(902, { key: "LATER" })))
  const { entity_id: mem } = await call("memory", { action: "save", content: "Use jose", kind: "decision" })
  await call("memory", { action: "save", content: "Of another session" }, "ses_2")
  const tasks = [{ title: "Look around", expected_output: "x" }]
  const { entity_id: task_id } = await call("plan plan_tasks", { plan_id: task.parent_plan_id, tasks })
  await call("delegate assign", { task_id, to: "hive-investigator" })

  const { state } = hive.store.read()
  expect(sessionRecord(state, await hive.store.log(), sessionOf(state, "ses_1") as Session)).toMatchObject({
    stamp,
    host_id: "ses_1",
    status: "active",
    agent: "build",
    intent: "Ship it",
    tools: {
      "hivemind_session.start": 1,
      "hivemind_session.update": 1,
      write: 3,
      "hivemind_anchor.save": 4,
      "hivemind_memory.save": 1,
      "hivemind_plan.plan_tasks": 1,
      "hivemind_delegate.assign": 1,
    },
    files_modified: ["a.ts", "b.ts"],
    tasks_completed: [],
    delegations: [{ to: "hive-investigator", task: "Look around", status: "assigned" }],
    compactions: 1,
    mems: [{ id: mem, kind: "decision", content: "Use jose" }],
    anchors: { made: ["KEPT", "GONE", "LATER"], survived: ["KEPT"] },
    commands: { count: 2, run: ["/hive-plan a new page"] },
  })
})

it("a command during a task becomes a checkpoint of it, and no free text becomes a counter", async () => {
  const hive = memoryHive()
  await callTool(hive, "session", { action: "update", level: "action", content: "Look" })
  await recordCommand(hive, { session: "ses_1", agent: null, tool: "command" }, "review", "x".repeat(5000))
  const { state } = hive.store.read()
  const [checkpoint] = state.checkpoint.values()
  const [task] = state.task.values()
  expect(checkpoint).toMatchObject({
    tool: "command",
    task_id: task?.id,
    stamp: task?.stamp,
    ok: true,
    files: [],
  })
  expect(checkpoint?.summary).toMatch(/^\/review x{100,}…$/)
  expect(state.metrics.get("ses_1")?.counts).toEqual({ commands: 1 })
})
