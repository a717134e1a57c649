import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Hive } from "../../src/hive/hive.ts"
import { recordCheckpoint } from "../../src/work/task/checkpoint.ts"
import { defined } from "../support/defined.ts"
import { leaveEvidence } from "../support/evidence.ts"
import { memoryHive } from "../support/hive.ts"
import { by } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"
import { callTool } from "./call-tool.ts"

async function planned(hive: Hive, tasks: object[]) {
  const plan = await callTool(hive, "plan create", {
    title: "Auth",
    acceptance: ["it works"],
    phases: ["API"],
  })
  const reply = await callTool(hive, "plan plan_tasks", { plan_id: plan.entity_id, tasks })
  return {
    plan_id: plan.entity_id as string,
    reply,
    ids: (reply.tasks ?? []).map((task: { entity_id: string }) => task.entity_id),
  }
}

const one = { title: "One", expected_output: "a file" }
const two = { title: "Two", expected_output: "another", depends_on: ["#0"] }
const done = { action: "complete", evidence: "see the file" }

describe("plans and tasks", () => {
  it("a task knows its file and line, its parts and theirs: three levels, all as planned", async () => {
    const hive = memoryHive()
    const { ids } = await planned(hive, [
      { ...one, file: "src/auth.ts", line: 42 },
      { ...one, title: "Part", parent_task_id: "#0", file: "src/auth.ts", line: 50 },
      { ...one, title: "Part of the part", parent_task_id: "#1" },
    ])
    const { task } = hive.store.read().state
    expect(ids.map((id: string) => task.get(id))).toMatchObject([
      { type: "main", parent_task_id: null, file: "src/auth.ts", line: 42 },
      { type: "sub", parent_task_id: ids[0], file: "src/auth.ts", line: 50 },
      { type: "sub", parent_task_id: ids[1], file: null, line: null },
    ])
  })

  it("a task that depends on another is blocked, cannot start, and is taken up by itself when that is done", async () => {
    const hive = memoryHive()
    const { ids, reply } = await planned(hive, [one, two])
    expect(reply.tasks).toMatchObject([{ task_status: "planned" }, { task_status: "blocked" }])
    const early = await callTool(hive, "task start", { task_id: ids[1] })
    expect(early).toMatchObject({
      status: "error",
      code: "lifecycle",
      why: expect.stringContaining('"One", which is planned'),
    })
    await callTool(hive, "task start", { task_id: ids[0] })
    await leaveEvidence(hive)
    expect(await callTool(hive, "task", done)).toMatchObject({ status: "success", next: { id: ids[1] } })
    expect(hive.store.read().state.task.get(ids[1])?.status).toBe("active")
  })

  it("a temporal gate and an open decision hold a task back; taking the decision frees it", async () => {
    const hive = memoryHive()
    const { ids } = await planned(hive, [
      one,
      {
        title: "Gated",
        expected_output: "x",
        temporal_gate: { after_task_id: "#0", reason: "schema first" },
      },
      { title: "Undecided", expected_output: "x", decisions: ["Which database?"] },
    ])
    expect(await callTool(hive, "task start", { task_id: ids[1] })).toMatchObject({
      why: expect.stringContaining("schema first"),
    })
    expect(await callTool(hive, "task start", { task_id: ids[2] })).toMatchObject({
      why: expect.stringContaining("Which database?"),
    })
    const decision = [...hive.store.read().state.mem.values()][0]
    await callTool(hive, "memory save", { kind: "decision", content: "Postgres", supersedes: decision?.id })
    expect(hive.store.read().state.task.get(ids[2])?.status).toBe("planned")
    expect(await callTool(hive, "task start", { task_id: ids[2] })).toMatchObject({
      status: "success",
    })
  })

  it("all tasks of a call are planned, or none", async () => {
    const hive = memoryHive()
    const { reply } = await planned(hive, [one, { ...two, depends_on: ["#7"] }])
    expect(reply).toMatchObject({ status: "error", code: "invalid_argument" })
    const circle = await planned(hive, [
      { ...one, depends_on: ["#1"] },
      { ...two, depends_on: ["#0"] },
    ])
    expect(circle.reply).toMatchObject({ status: "error", code: "cycle" })
    expect(hive.store.read().state.task.size).toBe(0)
  })

  it("a task another session works on cannot be taken, nor one whose files are locked", async () => {
    const hive = memoryHive()
    const { ids } = await planned(hive, [
      { ...one, file_locks: ["src/auth"] },
      { title: "Same folder", expected_output: "x", file_locks: ["src/auth/login.ts"] },
    ])
    await callTool(hive, "task start", { task_id: ids[0] }, "ses_1")
    expect(await callTool(hive, "task start", { task_id: ids[0] }, "ses_2")).toMatchObject({
      code: "conflict",
    })
    expect(await callTool(hive, "task start", { task_id: ids[1] }, "ses_2")).toMatchObject({
      code: "conflict",
      why: expect.stringContaining('"One" holds'),
    })
  })

  it("a role cannot start a task that is assigned to another role", async () => {
    const hive = memoryHive()
    const { ids } = await planned(hive, [{ ...one, assigned_to: "hive-executor" }])
    const start = { action: "start", task_id: ids[0] }
    expect(await callTool(hive, "task", start, "ses_1", "hive-investigator")).toMatchObject({
      code: "conflict",
    })
    expect(await callTool(hive, "task", start, "ses_1", "hive-executor")).toMatchObject({ status: "success" })
  })
})

describe("evidence before done", () => {
  it("complete is refused while an artifact is missing or a part is open", async () => {
    const { hive, id, dir } = await started({})
    const { created_at, updated_at, stamp } = hive.store.read().state.task.get(id) as never
    await hive.store.write(by, (tx) =>
      tx.add("artifact", {
        id: "00000000-0000-4000-8000-0000000000aa",
        path: "src/a.ts",
        task_id: id,
        plan_id: null,
        hash: null,
        sections: [],
        status: "current",
        superseded_by: null,
        created_at,
        updated_at,
        stamp,
      }),
    )
    expect(await callTool(hive, "task", done)).toMatchObject({
      why: expect.stringContaining("src/a.ts does not exist"),
    })
    mkdirSync(join(dir, "src"))
    writeFileSync(join(dir, "src/a.ts"), "x")
    expect(existsSync(join(dir, "src/a.ts"))).toBe(true)
    const plan_id = hive.store.read().state.task.get(id)?.parent_plan_id
    await callTool(hive, "plan plan_tasks", {
      plan_id,
      tasks: [{ ...one, title: "Part", parent_task_id: id }],
    })
    expect(await callTool(hive, "task", done)).toMatchObject({
      why: expect.stringContaining('its part "Part" is planned'),
    })
  })

  it("a file that a call has deleted is not missing, one that is gone without any call is", async () => {
    const { hive, id, dir } = await started({})
    const write = async (...files: string[]) => {
      const task = defined(hive.store.read().state.task.get(id))
      const outcome = { tool: "write", summary: "x", files, command: null, ok: true }
      await recordCheckpoint(hive, { session: "ses_1", agent: null, tool: "test" }, task, outcome)
    }
    for (const name of ["a.ts", "b.ts"]) writeFileSync(join(dir, name), "x")
    await write("a.ts", "b.ts")
    rmSync(join(dir, "a.ts"))
    await write("a.ts")
    rmSync(join(dir, "b.ts"))
    const { why } = await callTool(hive, "task", done)
    expect(why).toContain("b.ts does not exist")
    expect(why).not.toContain("a.ts")
  })

  async function started(more: object) {
    const dir = await tempProject()
    const hive = { ...memoryHive(), dir }
    const { ids } = await planned(hive, [{ ...one, ...more }])
    await callTool(hive, "task start", { task_id: ids[0] })
    return { hive, dir, id: ids[0] as string }
  }
})

describe("giving up", () => {
  it("a failed task stays on disk and can be started again; its dependents wait", async () => {
    const hive = memoryHive()
    const { ids } = await planned(hive, [one, two])
    await callTool(hive, "task start", { task_id: ids[0] })
    await callTool(hive, "task fail", { reason: "no access" })
    expect(hive.store.read().state.task.get(ids[0])).toMatchObject({ status: "failed", reason: "no access" })
    expect(hive.store.read().state.task.get(ids[1])?.status).toBe("blocked")
    expect(await callTool(hive, "task start", { task_id: ids[0] })).toMatchObject({
      status: "success",
    })
  })

  it("the tasks of an abandoned plan are invalidated: with dependents at once, the others at the next session's start", async () => {
    const hive = memoryHive()
    const first = await planned(hive, [one, { ...one, title: "Alone" }])
    const second = await planned(hive, [{ ...one, title: "Waiting", depends_on: [first.ids[0]] }])
    await callTool(hive, "plan abandon", { plan_id: first.plan_id, reason: "changed course" })
    const status = (id: string) => hive.store.read().state.task.get(id)?.status
    expect([status(first.ids[0]), status(first.ids[1])]).toEqual(["invalidated", "planned"])
    const { purgeAbandoned } = await import("../../src/work/plan/end.ts")
    expect(await purgeAbandoned(hive, { session: null, agent: null, tool: "test" })).toBe(1)
    expect([status(first.ids[1]), status(second.ids[0])]).toEqual(["invalidated", "blocked"])
    expect(hive.store.read().state.task.size).toBe(3)
  })

  it("a plan with open tasks cannot be archived; an archived one lets the plans behind it start", async () => {
    const hive = memoryHive()
    const { plan_id, ids } = await planned(hive, [one])
    const later = await callTool(hive, "plan create", {
      title: "Later",
      acceptance: [],
      depends_on: [plan_id],
    })
    expect(later).toMatchObject({ plan_status: "draft" })
    const { tasks } = await callTool(hive, "plan plan_tasks", {
      plan_id: later.entity_id,
      tasks: [{ ...one, title: "Then" }],
    })
    expect(tasks).toMatchObject([{ task_status: "blocked" }])
    expect(await callTool(hive, "plan archive", { plan_id })).toMatchObject({ code: "lifecycle" })
    await callTool(hive, "task start", { task_id: ids[0] })
    await leaveEvidence(hive)
    await callTool(hive, "task", done)
    expect(await callTool(hive, "plan archive", { plan_id })).toMatchObject({
      unblocked: [tasks[0].entity_id],
    })
  })
})
