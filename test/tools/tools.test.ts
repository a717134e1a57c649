import { describe, expect, it } from "vitest"
import { currentTask } from "../../src/graph/current-task.ts"
import type { Hive } from "../../src/hive/hive.ts"
import { tools } from "../../src/tools/index.ts"
import { memoryHive } from "../support/hive.ts"
import { by } from "../support/records.ts"
import { anyCommand, callTool } from "./call-tool.ts"

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

  it("takes null for an optional argument as left out", async () => {
    const reply = await callTool(memoryHive(), "memory save", { content: "x", tags: null })
    expect(reply).toMatchObject({ status: "success" })
  })

  it("turns an unexpected failure into an error record", async () => {
    const hive = memoryHive()
    hive.store.read = () => {
      throw new Error("boom")
    }
    expect(await callTool(hive, "memory list")).toMatchObject({
      status: "error",
      code: "internal",
      why: "boom",
    })
  })
})

async function planned(hive: Hive, tasks: object[]) {
  const plan = { action: "create", title: "Auth", acceptance: [] }
  const { entity_id: plan_id } = await callTool(hive, "plan", plan)
  const reply = await callTool(hive, "plan plan_tasks", { plan_id, tasks })
  return { plan_id, task_id: reply.entity_id as string }
}

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
    const plan = await callTool(hive, "session update", { level: "trajectory", content: "Auth" })
    const phase = await callTool(hive, "session update", { level: "tactic", content: "JWT" })
    const task = await callTool(hive, "session update", { level: "action", content: "Middleware" })
    expect(task).toMatchObject({
      plan_id: plan.entity_id,
      phase_id: phase.entity_id,
      task_id: task.entity_id,
    })
    const again = await callTool(hive, "session update", { level: "action", content: " middleware " })
    expect(again.entity_id).toBe(task.entity_id)
    const status = await callTool(hive, "session status")
    expect(status).toMatchObject({
      plan: { title: "Auth" },
      phase: { title: "JWT" },
      tasks: [{ title: "Middleware", status: "active" }],
    })
  })

  it("update to a planned task starts it, so that the next write belongs to it", async () => {
    const hive = memoryHive({ governance: "strict" })
    const { task_id } = await planned(hive, [{ title: "Login", expected_output: "x" }])
    const reply = await callTool(hive, "session update", { level: "action", content: "login" })
    expect(reply).toMatchObject({ status: "success", task_id, task_status: "active" })
    expect(reply).not.toHaveProperty("note")
    const mem = await callTool(hive, "memory save", { content: "It has two fields" })
    expect(mem).toMatchObject({ status: "success", origin_task_id: task_id })
    expect(await callTool(hive, "task status")).toMatchObject({ entity_id: task_id })
  })

  it("update to a task that cannot be started says so, why, and which call starts it", async () => {
    const hive = memoryHive()
    await planned(hive, [
      { title: "Schema", expected_output: "x" },
      { title: "Login", expected_output: "x", depends_on: ["#0"] },
    ])
    const reply = await callTool(hive, "session update", { level: "action", content: "Login" })
    expect(reply).toMatchObject({ status: "success", task_status: "blocked" })
    expect(reply.note).toMatch(/^The task was not started\. It depends on "Schema", which is planned\./)
    expect(reply.note).toMatch(/Then: hivemind_task start with task_id [0-9a-f]{8}\.$/)
  })

  it("update to a plan or phase says that no task was started, and names those that could be", async () => {
    const hive = memoryHive()
    await planned(hive, [{ title: "Login", expected_output: "x" }])
    const update = (level: string, content: string) => callTool(hive, "session update", { level, content })
    expect((await update("tactic", "API")).note).toContain(
      "No task was started; hivemind_task start does that:",
    )
    expect((await update("trajectory", "Empty")).note).toContain("hivemind_plan plan_tasks adds some")
  })

  it("update with the title of an open task takes it up at any level, also where no plan is at hand", async () => {
    for (const level of ["trajectory", "tactic", "action"]) {
      const hive = memoryHive()
      const { task_id } = await planned(hive, [{ title: "Login", expected_output: "x" }])
      // A teammate's clone after a sync: the plan is there, and no read-head.
      await hive.store.write(by, (tx) => {
        for (const head of [...tx.all("trajectory")])
          tx.set("trajectory", head.id, { active_plan_id: null, active_phase_id: null, active_task_ids: [] })
      })
      const caller = "ses_new"
      const reply = await callTool(hive, "session update", { level, content: "login" }, caller)
      expect(reply).toMatchObject({ task_id, task_status: "active" })
      const { state } = hive.store.read()
      expect(currentTask(state, caller)?.title).toBe("Login")
      expect(state.plan.size).toBe(1)
    }
  })

  it("an action without plan or phase lands in the inbox of a plan named for the intent", async () => {
    const hive = memoryHive()
    await callTool(hive, "session start", { intent: "Fix the build" })
    const { task_id } = await callTool(hive, "session update", { level: "action", content: "Read the log" })
    const { state } = hive.store.read()
    const task = state.task.get(task_id)
    expect(state.plan.get(task?.parent_plan_id ?? "")?.title).toBe("Fix the build")
    expect(state.phase.get(task?.parent_phase_id ?? "")?.inbox).toBe(true)
  })

  it("each session has its own read-head; a new one starts where the project stands", async () => {
    const hive = memoryHive()
    await callTool(hive, "session update", { level: "trajectory", content: "Backend" }, "ses_1")
    await callTool(hive, "session start", { intent: "Look around" }, "ses_2")
    expect(await callTool(hive, "session status", {}, "ses_2")).toMatchObject({
      plan: { title: "Backend" },
    })
    await callTool(hive, "session update", { level: "trajectory", content: "Frontend" }, "ses_2")
    expect(await callTool(hive, "session status", {}, "ses_1")).toMatchObject({
      plan: { title: "Backend" },
    })
    expect(await callTool(hive, "session status", {}, "ses_3")).toMatchObject({
      session: null,
      plan: { title: "Frontend" },
    })
  })

  it("close ends it, a second close is refused, resume takes it up by stamp", async () => {
    const hive = memoryHive()
    const { stamp } = await callTool(hive, "session start", { intent: "One" })
    await callTool(hive, "session update", { level: "action", content: "First step" })
    await callTool(hive, "session close", { summary: "Half done" })
    expect(await callTool(hive, "session close")).toMatchObject({
      status: "error",
      code: "not_found",
    })
    const resumed = await callTool(hive, "session resume", { session: stamp }, "ses_2")
    expect(resumed).toMatchObject({ summary: "Half done", intent: "One", tasks: [{ title: "First step" }] })
  })
})

describe("hivemind_memory", () => {
  it("save ties a mem to the active task, stamps it and lets it last", async () => {
    const hive = memoryHive()
    const { stamp } = await callTool(hive, "session start", { intent: "x" })
    const { task_id } = await callTool(hive, "session update", { level: "action", content: "Work" })
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
    expect(await callTool(strict, "memory save", { content: "x" })).toMatchObject({
      code: "orphan",
    })
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
