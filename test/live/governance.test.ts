import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { trials } from "../support/effort.ts"
import { aPhase, aPlan, aTask, uuid } from "../support/records.ts"
import { writeIn } from "../support/state-in.ts"
import { openBed } from "./bed/bed.ts"
import { refusalIn } from "./bed/refusal-in.ts"
import { call, calls, hive, pause, planTasks, replied, type Step, save, say, update } from "./bed/steps.ts"

const STRICT = { governance: "strict" }
const files = { "check.js": "require('fs').accessSync('out.txt')\n" }

describe("strict", () => {
  it("refused, planned, done with evidence", async () => {
    await using bed = await openBed({ pluginOptions: STRICT, files })
    const session = await bed.newSession("s")
    const out = join(bed.project, "out.txt")
    let planned: { entity_id: string }[] = []
    const write = call("write", { filePath: out, content: "done\n" })
    bed.model.script(
      write,
      ...planTasks(
        { title: "Write it", verify: "node check.js" },
        { title: "Tell about it", depends_on: ["#0"] },
      ),
      (request) => {
        planned = replied(request).tasks
        return hive("task start", { task_id: planned[1]?.entity_id })
      },
      () => hive("task start", { task_id: planned[0]?.entity_id }),
      hive("task complete", { evidence: "out.txt is written" }),
      write,
      hive("task complete", { evidence: "out.txt is written and checked" }),
      say("Done."),
    )
    const { toolCalls } = await bed.prompt(session, "Make the file")
    const [refused, , , early, , undone, passed, done] = toolCalls
    expect(refused?.status).toBe("error")
    for (const part of ["WHAT: ", "WHY: ", "USE INSTEAD: ", "EVIDENCE: "])
      expect(refused?.error).toContain(part)
    expect(refusalIn(early?.error)).toMatchObject({
      status: "error",
      why: expect.stringContaining("Write it"),
    })
    expect(passed?.status).toBe("completed")
    expect(existsSync(out)).toBe(true)
    expect(refusalIn(undone?.error)).toMatchObject({
      why: expect.stringContaining("`node check.js` failed with exit 1"),
    })
    expect(JSON.parse(done?.output ?? "{}")).toMatchObject({
      status: "success",
      next: { title: "Tell about it" },
    })
    const state = bed.state()
    expect([...state.checkpoint.values()].map(({ tool, ok }) => [tool, ok])).toEqual([
      ["hivemind_task.complete", false],
      ["write", true],
      ["hivemind_task.complete", true],
    ])
    expect([...state.artifact.values()]).toMatchObject([{ path: "out.txt" }])
    expect([...state.task.values()].map(({ status }) => status)).toEqual(["completed", "active"])
    expect(bed.printed()).toBe("")
  })

  it("holds for bash writes and for HiveMind's own files, whatever tool is used", async () => {
    await using bed = await openBed({ pluginOptions: STRICT, git: true })
    bed.model.script(
      calls(
        call("bash", { command: "echo x > a.txt", description: "write" }),
        call("bash", { command: "ls", description: "list" }),
        call("bash", { command: "git push --force origin main", description: "push" }),
        call("bash", { command: "rm -rf .hivemind", description: "clean" }),
        call("write", {
          filePath: join(bed.project, ".hivemind/graph/parts/mems.0001.000001-abcd.json"),
          content: "{}",
        }),
        call("hivemind_shell", { command: "sudo rm -rf /" }),
      ),
      say("ok"),
    )
    const { toolCalls } = await bed.prompt(await bed.newSession("s"), "Go")
    const shown = toolCalls.map(({ status, error, output }) => (status === "error" ? error : output) ?? "")
    expect(shown[0]).toContain("no active task")
    expect(toolCalls[1]?.status).toBe("completed")
    for (const n of [2, 3, 4, 5]) expect(toolCalls[n]?.status, shown[n]).toBe("error")
    expect(existsSync(join(bed.project, "a.txt"))).toBe(false)
  })
})

describe("assisted", () => {
  it("ten writes without a task get one line, and are kept in an inbox task until there is a real one", async () => {
    await using bed = await openBed({ hive: true })
    const session = await bed.newSession("s")
    const writes = Array.from({ length: 10 }, (_, n) =>
      call("write", { filePath: join(bed.project, `file-${n}.txt`), content: "a" }),
    )
    bed.model.script(...writes, say("ok"))
    const { toolCalls } = await bed.prompt(session, "Go")
    expect(toolCalls.map(({ output }) => output?.includes("belongs to no task"))).toEqual(
      writes.map((_, n) => n === 0),
    )
    const [inbox] = bed.state().task.values()
    expect(inbox).toMatchObject({ purpose: "unplanned", status: "active" })
    expect(bed.state().checkpoint.by("task_id", inbox?.id ?? "").size).toBe(10)
    expect(bed.state().metrics.get(session.id)?.counts).toMatchObject({ writes_without_task: 10 })

    bed.model.script(
      update("action", "Write more files"),
      call("write", { filePath: join(bed.project, "more.txt"), content: "a" }),
      say("ok"),
    )
    await bed.prompt(session, "Now for real")
    const [done, real] = bed.state().task.values()
    expect([done, real]).toMatchObject([
      { id: inbox?.id, status: "completed" },
      { title: "Write more files" },
    ])
    expect(bed.state().checkpoint.by("task_id", real?.id ?? "").size).toBe(1)
  })

  it("off: nothing is gated", async () => {
    await using bed = await openBed({ pluginOptions: { governance: "off" } })
    bed.model.script(call("write", { filePath: join(bed.project, "a.txt"), content: "a" }), say("ok"))
    const { toolCalls } = await bed.prompt(await bed.newSession("s"), "Go")
    expect(toolCalls[0]?.output).not.toContain("HiveMind")
  })
})

describe("roles and delegation", () => {
  it("an executor given `read` only cannot write in its own session; its result comes back", async () => {
    await using bed = await openBed({ pluginOptions: STRICT, files: { "src/a.txt": "hello\n" } })
    const session = await bed.newSession("s")
    const path = join(bed.project, "src/a.txt")
    bed.model.script(
      { session: session.id },
      ...planTasks({ title: "Read a.txt" }),
      (request) =>
        hive("delegate assign", {
          task_id: replied(request).entity_id,
          to: "hive-executor",
          allowed_tools: ["read"],
        }),
      (request) =>
        call("task", {
          description: "read",
          prompt: replied(request).handover,
          subagent_type: "hive-executor",
        }),
      say("Thanks."),
    )
    bed.model.script(
      { agent: "hive-executor" },
      calls(call("write", { filePath: path, content: "x" }), call("read", { filePath: path })),
      hive("task complete", { evidence: "it says hello" }),
      save("a.txt says hello", "fact"),
      hive("task complete", { evidence: "it says hello" }),
      calls(call("bash", { command: "ls", description: "list" }), update("action", "More work")),
      say("It says hello."),
    )
    const turn = await bed.prompt(session, "Go", { agent: "hive-coordinator" })
    const child = turn.requests.filter(({ kind }) => kind === "subagent")
    expect(child[0]?.tools).not.toContain("hivemind_plan")
    expect(child[0]?.tools).not.toContain("hivemind_delegate")
    expect(turn.requests[0]?.tools).not.toContain("write")
    expect(turn.requests[0]?.tools).not.toContain("bash")
    const outputs = child[1]?.toolOutputs ?? []
    expect(outputs[0]).toContain('write may not be used for "Read a.txt"')
    expect(outputs[1]).toContain("hello")
    // One that may not write cannot complete with words; what it found out is something to leave behind.
    expect(child[2]?.toolOutputs.at(-1)).toContain("something that it left behind")
    const later = child[5]?.toolOutputs.slice(-2) ?? []
    expect(later[0]).toContain('bash may not be used for "Read a.txt"')
    expect(later[1]).toContain("The role executor does not include it")
    const { delegation, task } = bed.state()
    expect([...delegation.values()]).toMatchObject([{ status: "returned", result: "It says hello." }])
    expect([...task.values()]).toMatchObject([
      { status: "completed", assigned_session_id: child[0]?.session },
    ])
  })

  it("refuses an agent that is not the assigned one, and a hand-over without a task", async () => {
    await using bed = await openBed({ pluginOptions: STRICT })
    const session = await bed.newSession("s")
    bed.model.script(
      { session: session.id },
      handOver("hive-executor"),
      ...planTasks({ title: "T" }),
      (request) => assign(replied(request).entity_id, "hive-investigator"),
      handOver("hive-executor"),
      handOver("hive-investigator"),
      say("ok"),
    )
    const turn = await bed.prompt(session, "Go", { agent: "hive-coordinator" })
    expect(turn.toolCalls[0]?.error).toContain("handed over with a task")
    expect(turn.toolCalls[4]?.error).toContain("is assigned to hive-investigator")
    expect(turn.toolCalls[5]?.status).toBe("completed")
  })

  it("refuses a circle, and a chain that is too long", async () => {
    // The host lets a subagent hand work on only where its agent says so.
    const helper = { mode: "subagent", prompt: "You help.", permission: { task: "allow" } }
    const agent = Object.fromEntries(["one", "two", "three"].map((name) => [name, helper]))
    await using bed = await openBed({ config: { agent, subagent_depth: 5 } })
    const outputsOf = async (chain: Record<string, Step[]>) => {
      for (const [name, steps] of Object.entries(chain))
        bed.model.script({ agent: name }, ...steps, say("ok"))
      const { requests } = await bed.prompt(await bed.newSession("s"), "Go")
      return requests.flatMap(({ toolOutputs }) => toolOutputs).join()
    }
    const start = { build: [handOver("one")], one: [handOver("two")] }
    expect(await outputsOf({ ...start, two: [handOver("one"), handOver("three")] })).toContain(
      "already part of this chain: build → one → two",
    )
    expect(await outputsOf({ three: [handOver("general")], ...start, two: [handOver("three")] })).toContain(
      "3 times at most",
    )
  })

  /** A bed in which a subagent works on a delegated task, and holds its answer. */
  async function withSubagentAtWork() {
    const bed = await openBed()
    const session = await bed.newSession("s")
    bed.model.script(
      { session: session.id },
      ...planTasks({ title: "T" }),
      (request) => assign(replied(request).entity_id, "general"),
      handOver("general"),
      say("ok"),
    )
    const held = pause()
    bed.model.script({ agent: "general" }, say("Working…", { pause: held }), say("late"))
    await bed.start(session, "Go")
    await held.reached
    const [delegation] = bed.state().delegation.values()
    expect(delegation).toMatchObject({ status: "running", child_session_id: expect.any(String) })
    return { bed, session, held, delegation }
  }

  it("the task of a subagent that died with its host can be assigned again", async () => {
    const { bed, session } = await withSubagentAtWork()
    await using _ = bed
    const [task] = bed.state().task.values()
    const again = async (asking: { id: string }) => {
      bed.model.script({ session: asking.id }, assign(task?.id ?? "", "explore"), say("ok"))
      return JSON.stringify((await bed.prompt(asking, "Assign it")).toolCalls[0])
    }
    expect(await again(await bed.newSession("other"))).toContain("is working on it")
    await bed.kill()
    await bed.restart()
    bed.model.reset()
    expect(await again(session)).toContain("handover")
    const statuses = [...bed.state().delegation.values()].map(({ status }) => status)
    expect(statuses).toEqual(["failed", "assigned"])
  })

  it("recall ends a running child", async () => {
    const { bed, held, delegation } = await withSubagentAtWork()
    await using _ = bed
    const other = await bed.newSession("other")
    const recall = { action: "recall", delegation_id: delegation?.id, reason: "no longer needed" }
    bed.model.script({ session: other.id }, call("hivemind_delegate", recall), say("ok"))
    await bed.prompt(other, "Stop it")
    await bed.waitForEvent("session.error", (event) =>
      JSON.stringify(event).includes(delegation?.child_session_id ?? "?"),
    )
    held.release()
    expect([...bed.state().delegation.values()]).toMatchObject([
      { status: "recalled", reason: "no longer needed" },
    ])
    expect([...bed.state().task.values()]).toMatchObject([{ status: "planned" }])
  })
})

const STEPS = trials(3, 10)

it("two OpenCode processes on one graph start the same tasks at the same time: one wins each", async () => {
  await using one = await openBed({ git: true })
  await using two = await openBed({ worktree: { of: one.project, branch: "two" } })
  await writeIn(one.project, (tx) => {
    tx.add("plan", aPlan(1))
    tx.add("phase", aPhase(2, 1))
    for (let n = 0; n < 10 * STEPS; n++) tx.add("task", aTask(100 + n, 1, 2))
  })
  const starts = Array.from({ length: STEPS }, (_, step) =>
    calls(
      ...Array.from({ length: 10 }, (_, n) => hive("task start", { task_id: uuid(100 + step * 10 + n) })),
    ),
  )
  const replies = await Promise.all(
    [one, two].map(async (bed) => {
      bed.model.script(...starts, say("ok"))
      const { toolCalls } = await bed.prompt(await bed.newSession("s"), "Go")
      return toolCalls.map(
        ({ output, error }) =>
          (error === undefined ? JSON.parse(output ?? "{}") : refusalIn(error)) as {
            status: string
            code?: string
          },
      )
    }),
  )
  const outcomes = Array.from({ length: 10 * STEPS }, (_, n) =>
    replies
      .map((of) => of[n]?.code ?? of[n]?.status)
      .sort()
      .join(),
  )
  expect(new Set(outcomes)).toEqual(new Set(["conflict,success"]))
  expect([...one.state().task.values()].every(({ status }) => status === "active")).toBe(true)
})

it("an abandoned plan is not shown to the model at the next session's start", async () => {
  await using bed = await openBed()
  let plan = ""
  bed.model.script(
    hive("plan create", { title: "Old course", acceptance: [] }),
    (request) => {
      plan = replied(request).entity_id
      const tasks = [{ title: "T", expected_output: "x" }]
      return hive("plan plan_tasks", { plan_id: plan, tasks })
    },
    () => hive("plan abandon", { plan_id: plan, reason: "a better way" }),
    say("ok"),
  )
  await bed.prompt(await bed.newSession("one"), "Go")
  const two = await bed.newSession("two")
  await expect.poll(() => [...bed.state().task.values()].map(({ status }) => status)).toEqual(["invalidated"])
  const turn = await bed.prompt(two, "What is there?")
  expect(JSON.stringify(turn.requests[0]?.body)).not.toContain("Old course")
  expect([...bed.state().plan.values()]).toMatchObject([{ status: "abandoned", reason: "a better way" }])
})

function handOver(agent: string) {
  return call("task", { description: "d", prompt: "Do it.", subagent_type: agent })
}

function assign(task_id: string, to: string) {
  return hive("delegate assign", { task_id, to })
}
