import { describe, expect, it } from "vitest"
import { currentTask } from "../../src/graph/current-task.ts"
import type { Hive } from "../../src/hive/hive.ts"
import { tools } from "../../src/tools/index.ts"
import { memoryHive } from "../support/hive.ts"
import { aConflict, by, uuid } from "../support/records.ts"
import { anyCommand, callTool, planned } from "./call-tool.ts"

describe("every tool", () => {
  it("describes itself to the host as flat arguments with only the action required", () => {
    for (const tool of tools) {
      const schema = tool.schema()
      expect(schema).not.toHaveProperty("$schema")
      expect(schema["required"]).toEqual([tool.name === "hivemind_shell" ? "command" : "action"])
      expect(tool.description.length).toBeGreaterThan(40)
    }
  })

  it("answers a call without an object or a known action with an error record", async () => {
    const caller = { session: "ses_1", agent: "build", running: anyCommand }
    for (const tool of tools) {
      for (const args of [undefined, null, "start", [], {}, { action: "constructor" }, { action: 7 }]) {
        const reply = await tool.execute(memoryHive(), caller, args)
        expect(reply).toMatchObject({ status: "error", code: "invalid_argument" })
      }
    }
  })

  it("takes null for an optional argument as left out, and turns an unexpected failure into an error record", async () => {
    const hive = memoryHive()
    const saved = await callTool(hive, "memory save", { content: "x", tags: null })
    expect(saved).toMatchObject({ status: "success" })
    hive.store.read = () => {
      throw new Error("boom")
    }
    const failed = { status: "error", code: "internal", why: "boom" }
    expect(await callTool(hive, "memory list")).toMatchObject(failed)
  })
})

const update = (hive: Hive, level: string, content: string, session = "ses_1") =>
  callTool(hive, "session update", { level, content }, session)

describe("hivemind_session", () => {
  it("start opens a session with a stamp, a second start only changes the intent", async () => {
    const hive = memoryHive()
    const first = await callTool(hive, "session start", { intent: "Add login" })
    const again = await callTool(hive, "session start", { intent: "Add logout", mode: "quick_fix" })
    expect(again.entity_id).toBe(first.entity_id)
    expect(first.stamp).toMatch(/^\d{12}$/)
    const { state } = hive.store.read()
    expect([...state.session.values()]).toMatchObject([
      { intent: "Add logout", mode: "quick_fix", status: "active" },
    ])
    expect([...state.trajectory.values()]).toMatchObject([{ intent: "Add logout" }])
  })

  it("update makes plan, phase and task on the way, and finds them again by name", async () => {
    const hive = memoryHive()
    const plan = await update(hive, "trajectory", "Auth")
    const phase = await update(hive, "tactic", "JWT")
    const task = await update(hive, "action", "Middleware")
    const ids = { plan_id: plan.entity_id, phase_id: phase.entity_id, task_id: task.entity_id }
    expect(task).toMatchObject(ids)
    expect((await update(hive, "action", " middleware ")).entity_id).toBe(task.entity_id)
    const status = await callTool(hive, "session status")
    expect(status).toMatchObject({
      plan: { title: "Auth" },
      phase: { title: "JWT" },
      tasks: [{ title: "Middleware", status: "active" }],
    })
  })

  it("update to a planned task starts it, so that the next write belongs to it", async () => {
    const hive = memoryHive({ governance: "strict" })
    const { task_id } = await planned(hive, [{ title: "Login" }])
    const reply = await update(hive, "action", "login")
    expect(reply).toMatchObject({ status: "success", task_id, task_status: "active" })
    expect(reply).not.toHaveProperty("note")
    const mem = await callTool(hive, "memory save", { content: "It has two fields" })
    expect(mem).toMatchObject({ status: "success", origin_task_id: task_id })
    expect(await callTool(hive, "task status")).toMatchObject({ entity_id: task_id })
  })

  it("update to a task that cannot be started says so, why, and which call starts it", async () => {
    const hive = memoryHive()
    await planned(hive, [{ title: "Schema" }, { title: "Login", depends_on: ["#0"] }])
    const reply = await update(hive, "action", "Login")
    expect(reply).toMatchObject({ status: "success", task_status: "blocked" })
    expect(reply.note).toMatch(/^The task was not started\. It depends on "Schema", which is planned\./)
    expect(reply.note).toMatch(/Then: hivemind_task start with task_id [0-9a-f]{8}\.$/)
  })

  it("update to a plan or phase says that no task was started, and names those that could be", async () => {
    const hive = memoryHive()
    await planned(hive, [{ title: "Login" }])
    const { note } = await update(hive, "tactic", "API")
    expect(note).toContain("No task was started. Start one with hivemind_task start:")
    expect((await update(hive, "trajectory", "Empty")).note).toContain(
      "Add tasks with hivemind_plan plan_tasks",
    )
  })

  it("update with the title of an open task takes it up at any level, also where no plan is at hand", async () => {
    for (const level of ["trajectory", "tactic", "action"]) {
      const hive = memoryHive()
      const { task_id } = await planned(hive, [{ title: "Login" }])
      // A teammate's clone after a sync: the plan is there, and no read-head.
      await hive.store.write(by, (tx) => {
        for (const head of [...tx.all("trajectory")])
          tx.set("trajectory", head.id, { active_plan_id: null, active_phase_id: null, active_task_ids: [] })
      })
      const reply = await update(hive, level, "login", "ses_new")
      expect(reply).toMatchObject({ task_id, task_status: "active" })
      const { state } = hive.store.read()
      expect(currentTask(state, "ses_new")?.title).toBe("Login")
      expect(state.plan.size).toBe(1)
    }
  })

  it("an action without plan or phase lands in the inbox of a plan named for the intent", async () => {
    const hive = memoryHive()
    await callTool(hive, "session start", { intent: "Fix the build" })
    const { task_id } = await update(hive, "action", "Read the log")
    const { state } = hive.store.read()
    const task = state.task.get(task_id)
    expect(state.plan.get(task?.parent_plan_id ?? "")?.title).toBe("Fix the build")
    expect(state.phase.get(task?.parent_phase_id ?? "")?.inbox).toBe(true)
  })

  it("each session has its own read-head; a new one starts where the project stands", async () => {
    const hive = memoryHive()
    const status = (session: string) => callTool(hive, "session status", {}, session)
    await update(hive, "trajectory", "Backend")
    await callTool(hive, "session start", { intent: "Look around" }, "ses_2")
    expect(await status("ses_2")).toMatchObject({ plan: { title: "Backend" } })
    await update(hive, "trajectory", "Frontend", "ses_2")
    expect(await status("ses_1")).toMatchObject({ plan: { title: "Backend" } })
    expect(await status("ses_3")).toMatchObject({ session: null, plan: { title: "Frontend" } })
  })

  it("close ends it, a second close is refused, resume takes it up by stamp", async () => {
    const hive = memoryHive()
    const { stamp } = await callTool(hive, "session start", { intent: "One" })
    await update(hive, "action", "First step")
    await callTool(hive, "session close", { summary: "Half done" })
    expect(await callTool(hive, "session close")).toMatchObject({ status: "error", code: "not_found" })
    const resumed = await callTool(hive, "session resume", { session: stamp }, "ses_2")
    expect(resumed).toMatchObject({ summary: "Half done", intent: "One", tasks: [{ title: "First step" }] })
  })

  it("settle decides a conflict by the id that the model was shown", async () => {
    const hive = memoryHive()
    const { task_id } = await planned(hive, [{ title: "Login" }])
    await hive.store.write(by, (tx) => {
      tx.set("task", task_id, { status: "failed", reason: "it broke" })
      tx.add("conflict", aConflict(9, { record_id: task_id }))
    })
    const settle = (take: string) => callTool(hive, "session settle", { conflict: uuid(9), take })
    expect(await settle("lost")).toEqual({ status: "success", entity_id: uuid(9), conflicts_left: 0 })
    const taken = { status: "completed", evidence: "it works" }
    expect(hive.store.read().state.task.get(task_id)).toMatchObject(taken)
    expect(await settle("kept")).toMatchObject({ status: "error", code: "conflict" })
  })
})

describe("hivemind_memory", () => {
  it("save links a mem to the active task, gives it a stamp and lets it never expire", async () => {
    const hive = memoryHive()
    const { stamp } = await callTool(hive, "session start", { intent: "x" })
    const { task_id } = await update(hive, "action", "Work")
    hive.source.seconds = 1000
    const { entity_id } = await callTool(hive, "memory save", { content: "Use jose", tags: ["auth"] })
    expect(hive.store.read().state.mem.get(entity_id)).toMatchObject({
      origin_task_id: task_id,
      session_id: "ses_1",
      stamp,
      tags: ["auth"],
      stale_at: null,
    })
  })

  it("without an active task a mem has no link when assisted, and is refused when strict", async () => {
    expect(await callTool(memoryHive(), "memory save", { content: "x" })).toMatchObject({
      origin_task_id: null,
    })
    const strict = memoryHive({ governance: "strict" })
    expect(await callTool(strict, "memory save", { content: "x" })).toMatchObject({ code: "orphan" })
    expect(await strict.store.log()).toEqual([])
  })

  it("a mem that supersedes another takes its place in the list", async () => {
    const hive = memoryHive()
    const old = await callTool(hive, "memory save", { content: "Use passport" })
    await callTool(hive, "memory save", { content: "Use jose", supersedes: old.entity_id, shelf: "auth" })
    const list = await callTool(hive, "memory list")
    expect(list.mems.map((mem: { content: string }) => mem.content)).toEqual(["Use jose"])
    expect(await callTool(hive, "memory list", { shelf: "other" })).toMatchObject({ count: 0 })
  })

  it("a mem that was flagged first can be replaced, and stays the warning that it is", async () => {
    const hive = memoryHive()
    const old = await callTool(hive, "memory save", { content: "Use passport" })
    await callTool(hive, "memory flag", { mem_id: old.entity_id, reason: "It needs sessions" })
    const save = { action: "save", content: "Use jose", supersedes: old.entity_id }
    expect(await callTool(hive, "memory", save)).toMatchObject({ status: "success" })
    expect(hive.store.read().state.mem.get(old.entity_id)).toMatchObject({
      kind: "false_path",
      status: "invalidated",
    })
  })
})
