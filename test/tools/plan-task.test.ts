import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Hive } from "../../src/hive/hive.ts"
import { purgeAbandoned } from "../../src/work/plan/end.ts"
import { recordCheckpoint } from "../../src/work/task/checkpoint.ts"
import { defined } from "../support/defined.ts"
import { leaveEvidence } from "../support/evidence.ts"
import { writeFiles } from "../support/git-repo.ts"
import { memoryHive } from "../support/hive.ts"
import { anArtifact, by } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"
import { callTool, planned } from "./call-tool.ts"

const one = { title: "One" }
const two = { title: "Two", depends_on: ["#0"] }
const start = (hive: Hive, task_id: string | undefined, session = "ses_1", agent = "build") =>
  callTool(hive, "task start", { task_id }, session, agent)
const complete = (hive: Hive) => callTool(hive, "task complete", { evidence: "see the file" })
const statusOf = (hive: Hive, id = "") => hive.store.read().state.task.get(id)?.status
const because = (text: string) => ({ why: expect.stringContaining(text) })

describe("plans and tasks", () => {
  it("plans tasks on three levels, each with its file and line", async () => {
    const hive = memoryHive()
    const { ids } = await planned(hive, [
      { ...one, file: "src/auth.ts", line: 42 },
      { ...one, title: "Part", parent_task_id: "#0", file: "src/auth.ts", line: 50 },
      { ...one, title: "Part of the part", parent_task_id: "#1" },
    ])
    const { task } = hive.store.read().state
    expect(ids.map((id) => task.get(id))).toMatchObject([
      { type: "main", parent_task_id: null, file: "src/auth.ts", line: 42 },
      { type: "sub", parent_task_id: ids[0], file: "src/auth.ts", line: 50 },
      { type: "sub", parent_task_id: ids[1], file: null, line: null },
    ])
  })

  it("a task that depends on another is blocked, and starts by itself when the other is done", async () => {
    const hive = memoryHive()
    const { ids, reply } = await planned(hive, [one, two])
    expect(reply.tasks).toMatchObject([{ task_status: "planned" }, { task_status: "blocked" }])
    const early = { status: "error", code: "lifecycle", ...because('"One", which is planned') }
    expect(await start(hive, ids[1])).toMatchObject(early)
    await start(hive, ids[0])
    await leaveEvidence(hive)
    expect(await complete(hive)).toMatchObject({ status: "success", next: { id: ids[1] } })
    expect(statusOf(hive, ids[1])).toBe("active")
  })

  it("a temporal gate and an open decision hold a task back; taking the decision frees it", async () => {
    const hive = memoryHive()
    const { ids } = await planned(hive, [
      one,
      { title: "Gated", temporal_gate: { after_task_id: "#0", reason: "schema first" } },
      { title: "Undecided", decisions: ["Which database?"] },
    ])
    expect(await start(hive, ids[1])).toMatchObject(because("schema first"))
    expect(await start(hive, ids[2])).toMatchObject(because("Which database?"))
    const [decision] = hive.store.read().state.mem.values()
    await callTool(hive, "memory save", { kind: "decision", content: "Postgres", supersedes: decision?.id })
    expect(statusOf(hive, ids[2])).toBe("planned")
    expect(await start(hive, ids[2])).toMatchObject({ status: "success" })
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
      { title: "Same folder", file_locks: ["src/auth/login.ts"] },
    ])
    await start(hive, ids[0])
    expect(await start(hive, ids[0], "ses_2")).toMatchObject({ code: "conflict" })
    expect(await start(hive, ids[1], "ses_2")).toMatchObject({
      code: "conflict",
      ...because('"One" has locked'),
    })
  })

  it("a role cannot start a task that is assigned to another role", async () => {
    const hive = memoryHive()
    const { ids } = await planned(hive, [{ ...one, assigned_to: "hive-executor" }])
    expect(await start(hive, ids[0], "ses_1", "hive-investigator")).toMatchObject({ code: "conflict" })
    expect(await start(hive, ids[0], "ses_1", "hive-executor")).toMatchObject({ status: "success" })
  })
})

describe("evidence before done", () => {
  it("complete is refused while an artifact is missing or a part is open", async () => {
    const { hive, id, dir } = await started()
    const artifact = anArtifact("src/a.ts", { task_id: id, hash: null })
    await hive.store.write(by, (tx) => tx.add("artifact", artifact))
    expect(await complete(hive)).toMatchObject(because("src/a.ts does not exist"))
    writeFiles(dir, { "src/a.ts": "x" })
    const plan_id = hive.store.read().state.task.get(id)?.parent_plan_id
    const part = { title: "Part", expected_output: "x", parent_task_id: id }
    await callTool(hive, "plan plan_tasks", { plan_id, tasks: [part] })
    expect(await complete(hive)).toMatchObject(because('its sub-task "Part" is planned'))
  })

  it("an artifact counts as missing, unless a call has deleted it", async () => {
    const { hive, id, dir } = await started()
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
    const { why } = await complete(hive)
    expect(why).toContain("b.ts does not exist")
    expect(why).not.toContain("a.ts")
  })

  async function started() {
    const dir = await tempProject()
    const hive = { ...memoryHive(), dir }
    const { task_id: id } = await planned(hive, [one])
    await start(hive, id)
    return { hive, dir, id }
  }
})

describe("giving up", () => {
  it("a failed task stays on disk and can be started again; its dependents wait", async () => {
    const hive = memoryHive()
    const { ids } = await planned(hive, [one, two])
    await start(hive, ids[0])
    await callTool(hive, "task fail", { reason: "no access" })
    const failed = { status: "failed", reason: "no access" }
    expect(hive.store.read().state.task.get(ids[0] ?? "")).toMatchObject(failed)
    expect(statusOf(hive, ids[1])).toBe("blocked")
    expect(await start(hive, ids[0])).toMatchObject({ status: "success" })
  })

  it("the tasks of an abandoned plan are invalidated: with dependents at once, the others at the next session's start", async () => {
    const hive = memoryHive()
    const first = await planned(hive, [one, { ...one, title: "Alone" }])
    const second = await planned(hive, [{ ...one, title: "Waiting", depends_on: [first.ids[0]] }])
    await callTool(hive, "plan abandon", { plan_id: first.plan_id, reason: "changed course" })
    expect(first.ids.map((id) => statusOf(hive, id))).toEqual(["invalidated", "planned"])
    expect(await purgeAbandoned(hive, { session: null, agent: null, tool: "test" })).toBe(1)
    expect([first.ids[1], second.ids[0]].map((id) => statusOf(hive, id))).toEqual(["invalidated", "blocked"])
    expect(hive.store.read().state.task.size).toBe(3)
  })

  it("a plan with open tasks cannot be archived; an archived one lets the plans behind it start", async () => {
    const hive = memoryHive()
    const { plan_id, ids } = await planned(hive, [one])
    const behind = { title: "Later", acceptance: [], depends_on: [plan_id] }
    const later = await callTool(hive, "plan create", behind)
    expect(later).toMatchObject({ plan_status: "draft" })
    const then = { plan_id: later.entity_id, tasks: [{ title: "Then", expected_output: "x" }] }
    const { tasks } = await callTool(hive, "plan plan_tasks", then)
    expect(tasks).toMatchObject([{ task_status: "blocked" }])
    expect(await callTool(hive, "plan archive", { plan_id })).toMatchObject({ code: "lifecycle" })
    await start(hive, ids[0])
    await leaveEvidence(hive)
    await complete(hive)
    const unblocked = [tasks[0].entity_id]
    expect(await callTool(hive, "plan archive", { plan_id })).toMatchObject({ unblocked })
  })
})
