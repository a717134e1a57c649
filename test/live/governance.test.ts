import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { refusalFile } from "../../src/store/files/refusal-file.ts"
import { trials } from "../support/effort.ts"
import { aPhase, aPlan, aTask, by, uuid } from "../support/records.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import type { ModelRequest } from "./bed/model-request.ts"
import { refusalIn } from "./bed/refusal-in.ts"
import { call, calls, pause, say } from "./bed/steps.ts"

const STRICT = { governance: "strict" }
const files = { "check.js": "require('fs').accessSync('out.txt')\n" }

/** The reply of the n-th tool call that a request carries. */
const replied = (request: ModelRequest, n: number) => JSON.parse(request.toolOutputs.at(n) ?? "{}")

describe("strict", () => {
  it("refused, planned, done with evidence", async () => {
    await using bed = await openBed({ pluginOptions: STRICT, files })
    const session = await bed.newSession("s")
    const out = join(bed.project, "out.txt")
    let planned: { entity_id: string }[] = []
    const write = call("write", { filePath: out, content: "done\n" })
    bed.model.script(
      write,
      call("hivemind_plan", { action: "create", title: "Make the file", acceptance: ["it is there"] }),
      (request) =>
        call("hivemind_plan", {
          action: "plan_tasks",
          plan_id: replied(request, -1).entity_id,
          tasks: [
            { title: "Write it", expected_output: "out.txt", verify: "node check.js" },
            { title: "Tell about it", expected_output: "a note", depends_on: ["#0"] },
          ],
        }),
      (request) => {
        planned = replied(request, -1).tasks
        return call("hivemind_task", { action: "start", task_id: planned[1]?.entity_id })
      },
      () => call("hivemind_task", { action: "start", task_id: planned[0]?.entity_id }),
      call("hivemind_task", { action: "complete", evidence: "out.txt is written" }),
      write,
      call("hivemind_task", { action: "complete", evidence: "out.txt is written and checked" }),
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
    const state = graph(bed)
    expect([...state.checkpoint.values()].map(({ tool, ok }) => [tool, ok])).toEqual([
      ["hivemind_task.complete", false],
      ["write", true],
      ["hivemind_task.complete", true],
    ])
    expect([...state.artifact.values()]).toMatchObject([{ path: "out.txt" }])
    expect([...state.task.values()].map(({ status }) => status)).toEqual(["completed", "active"])
    expect(bed.printed()).toBe("")
  })

  it("refuses the same write shorter and shorter, with the chain the first time", async () => {
    await using bed = await openBed({ pluginOptions: STRICT })
    const write = call("write", { filePath: join(bed.project, "x.txt"), content: "x" })
    bed.model.script(
      call("hivemind_plan", { action: "create", title: "A plan", acceptance: [] }),
      write,
      write,
      write,
      say("I give up."),
    )
    const { toolCalls } = await bed.prompt(await bed.newSession("s"), "Go")
    const errors = toolCalls.slice(1).map(({ error }) => error ?? "")
    expect(errors[0]).toContain("CHAIN:\nA plan [active]")
    expect(errors[1]).not.toContain("CHAIN")
    expect(errors[2]).toContain("3 times in a row")
    const { read } = refusalFile(hivePaths(bed.project))
    await expect
      .poll(() => read().map(({ tool, code, files }) => [tool, code, ...files]))
      .toEqual([
        ["write", "no_task", "x.txt"],
        ["write", "no_task", "x.txt"],
        ["write", "no_task", "x.txt"],
      ])
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
    const [inbox] = graph(bed).task.values()
    expect(inbox).toMatchObject({ purpose: "unplanned", status: "active" })
    expect(graph(bed).checkpoint.by("task_id", inbox?.id ?? "").size).toBe(10)
    expect(graph(bed).metrics.get(session.id)?.counts).toMatchObject({ writes_without_task: 10 })

    bed.model.script(
      call("hivemind_session", { action: "update", level: "action", content: "Write more files" }),
      call("write", { filePath: join(bed.project, "more.txt"), content: "a" }),
      say("ok"),
    )
    await bed.prompt(session, "Now for real")
    const [done, real] = graph(bed).task.values()
    expect([done, real]).toMatchObject([
      { id: inbox?.id, status: "completed" },
      { title: "Write more files" },
    ])
    expect(graph(bed).checkpoint.by("task_id", real?.id ?? "").size).toBe(1)
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
      call("hivemind_plan", { action: "create", title: "Look", acceptance: [] }),
      (request) =>
        call("hivemind_plan", {
          action: "plan_tasks",
          plan_id: replied(request, -1).entity_id,
          tasks: [{ title: "Read a.txt", expected_output: "what it says" }],
        }),
      (request) =>
        call("hivemind_delegate", {
          action: "assign",
          task_id: replied(request, -1).entity_id,
          to: "hive-executor",
          allowed_tools: ["read"],
        }),
      (request) =>
        call("task", {
          description: "read",
          prompt: replied(request, -1).handover,
          subagent_type: "hive-executor",
        }),
      say("Thanks."),
    )
    bed.model.script(
      { agent: "hive-executor" },
      calls(call("write", { filePath: path, content: "x" }), call("read", { filePath: path })),
      call("hivemind_task", { action: "complete", evidence: "it says hello" }),
      call("hivemind_memory", { action: "save", content: "a.txt says hello", kind: "fact" }),
      call("hivemind_task", { action: "complete", evidence: "it says hello" }),
      calls(
        call("bash", { command: "ls", description: "list" }),
        call("hivemind_session", { action: "update", level: "action", content: "More work" }),
      ),
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
    const { delegation, task } = graph(bed)
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
      call("hivemind_plan", { action: "create", title: "P", acceptance: [] }),
      (request) => planOne(replied(request, -1).entity_id),
      (request) => assign(replied(request, -1).entity_id, "hive-investigator"),
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
    bed.model.script({ agent: "build" }, handOver("one"), say("ok"))
    bed.model.script({ agent: "one" }, handOver("two"), say("ok"))
    bed.model.script({ agent: "two" }, handOver("one"), handOver("three"), say("ok"))
    const turn = await bed.prompt(await bed.newSession("s"), "Go")
    const outputs = turn.requests.flatMap(({ toolOutputs }) => toolOutputs)
    expect(outputs.join()).toContain("already part of this chain: build → one → two")
    bed.model.script({ agent: "three" }, handOver("general"), say("ok"))
    bed.model.script({ agent: "build" }, handOver("one"), say("ok"))
    bed.model.script({ agent: "one" }, handOver("two"), say("ok"))
    bed.model.script({ agent: "two" }, handOver("three"), say("ok"))
    const deep = await bed.prompt(await bed.newSession("t"), "Go")
    expect(deep.requests.flatMap(({ toolOutputs }) => toolOutputs).join()).toContain("3 times at most")
  })

  it("research runs beside the caller, saves mems for its task, and its report comes back", async () => {
    await using bed = await openBed()
    const session = await bed.newSession("s")
    bed.model.script(
      { session: session.id },
      call("hivemind_delegate", { action: "research", question: "Which port does it use?" }),
      say("Asked."),
    )
    bed.model.script(
      { agent: "hive-investigator" },
      call("hivemind_memory", { action: "save", content: "It uses port 4096", kind: "fact" }),
      call("hivemind_task", { action: "complete", evidence: "config.json, line 3" }),
      say("Port 4096, see config.json."),
    )
    const turn = await bed.prompt(session, "Find out the port")
    expect(JSON.parse(turn.toolCalls[0]?.output ?? "{}")).toMatchObject({
      status: "success",
      session: expect.any(String),
    })
    await expect
      .poll(() => [...graph(bed).delegation.values()].map(({ status, result }) => [status, result]))
      .toEqual([["returned", "Port 4096, see config.json."]])
    const { task, mem } = graph(bed)
    expect([...task.values()]).toMatchObject([
      { title: "Find out: Which port does it use?", status: "completed" },
    ])
    expect([...mem.values()]).toMatchObject([
      { content: "It uses port 4096", origin_task_id: [...task.keys()][0] },
    ])
  })

  it("a turn that is stopped while a subagent works ends the delegation, and its task is open again", async () => {
    await using bed = await openBed()
    const session = await bed.newSession("s")
    bed.model.script(
      { session: session.id },
      call("hivemind_plan", { action: "create", title: "P", acceptance: [] }),
      (request) => planOne(replied(request, -1).entity_id),
      (request) => assign(replied(request, -1).entity_id, "general"),
      handOver("general"),
      say("ok"),
    )
    const held = pause()
    bed.model.script({ agent: "general" }, say("", { pause: held }))
    await bed.start(session, "Go")
    await held.reached
    expect([...graph(bed).delegation.values()]).toMatchObject([{ status: "running" }])
    await bed.abort(session)
    await expect.poll(() => [...graph(bed).delegation.values()]).toMatchObject([{ status: "failed" }])
    held.release()
    expect([...graph(bed).task.values()]).toMatchObject([{ status: "planned", assigned_session_id: null }])
  })

  it("a subagent that died with its host gives its task back: it can be assigned again", async () => {
    await using bed = await openBed()
    const session = await bed.newSession("s")
    bed.model.script(
      { session: session.id },
      call("hivemind_plan", { action: "create", title: "P", acceptance: [] }),
      (request) => planOne(replied(request, -1).entity_id),
      (request) => assign(replied(request, -1).entity_id, "general"),
      handOver("general"),
    )
    const held = pause()
    bed.model.script({ agent: "general" }, say("", { pause: held }))
    await bed.start(session, "Go")
    await held.reached
    const [task] = graph(bed).task.values()
    const again = () => assign(task?.id ?? "", "explore")
    const other = await bed.newSession("other")
    bed.model.script({ session: other.id }, again(), say("ok"))
    const refused = await bed.prompt(other, "Assign it")
    expect(JSON.stringify(refused.toolCalls[0])).toContain("is working on it")
    await bed.kill()
    await bed.restart()
    bed.model.script({ session: session.id }, again(), say("ok"))
    const { toolCalls } = await bed.prompt(session, "Again")
    expect(JSON.parse(toolCalls[0]?.output ?? "{}")).toMatchObject({ status: "success" })
    expect([...graph(bed).delegation.values()].map(({ status }) => status)).toEqual(["failed", "assigned"])
  })

  it("recall ends a running child", async () => {
    await using bed = await openBed()
    const session = await bed.newSession("s")
    bed.model.script(
      { session: session.id },
      call("hivemind_plan", { action: "create", title: "P", acceptance: [] }),
      (request) => planOne(replied(request, -1).entity_id),
      (request) => assign(replied(request, -1).entity_id, "general"),
      handOver("general"),
      say("ok"),
    )
    const held = pause()
    bed.model.script({ agent: "general" }, say("Working…", { pause: held }), say("late"))
    await bed.start(session, "Go")
    await held.reached
    const other = await bed.newSession("other")
    const running = [...graph(bed).delegation.values()]
    expect(running).toMatchObject([{ status: "running", child_session_id: expect.any(String) }])
    bed.model.script(
      { session: other.id },
      call("hivemind_delegate", {
        action: "recall",
        delegation_id: running[0]?.id,
        reason: "no longer needed",
      }),
      say("ok"),
    )
    await bed.prompt(other, "Stop it")
    await bed.waitForEvent("session.error", (event) =>
      JSON.stringify(event).includes(running[0]?.child_session_id ?? "?"),
    )
    held.release()
    expect([...graph(bed).delegation.values()]).toMatchObject([
      { status: "recalled", reason: "no longer needed" },
    ])
    expect([...graph(bed).task.values()]).toMatchObject([{ status: "planned" }])
  })
})

const STEPS = trials(3, 10)

it("two OpenCode processes on one graph start the same tasks at the same time: one wins each", async () => {
  await using one = await openBed({ git: true })
  await using two = await openBed({ worktree: { of: one.project, branch: "two" } })
  const store = openFileStore(one.project, { source: systemSource })
  await store.write(by, (tx) => {
    tx.add("plan", aPlan(1))
    tx.add("phase", aPhase(2, 1))
    for (let n = 0; n < 10 * STEPS; n++) tx.add("task", aTask(100 + n, 1, 2))
  })
  const starts = Array.from({ length: STEPS }, (_, step) =>
    calls(
      ...Array.from({ length: 10 }, (_, n) =>
        call("hivemind_task", { action: "start", task_id: uuid(100 + step * 10 + n) }),
      ),
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
  expect([...store.read().state.task.values()].every(({ status }) => status === "active")).toBe(true)
})

it("a tool that fails by itself is counted, once", async () => {
  await using bed = await openBed({ hive: true })
  const session = await bed.newSession("s")
  bed.model.script(call("read", { filePath: join(bed.project, "missing.txt") }), say("ok"))
  await bed.prompt(session, "Go")
  await expect.poll(() => graph(bed).metrics.get(session.id)?.counts).toMatchObject({ tool_failures: 1 })
})

it("an abandoned plan is gone from what the model reads at the next session's start", async () => {
  await using bed = await openBed()
  const one = await bed.newSession("one")
  let plan = ""
  bed.model.script(
    call("hivemind_plan", { action: "create", title: "Old course", acceptance: [] }),
    (request) => {
      plan = replied(request, -1).entity_id
      return planOne(plan)
    },
    () => call("hivemind_plan", { action: "abandon", plan_id: plan, reason: "a better way" }),
    say("ok"),
  )
  await bed.prompt(one, "Go")
  const two = await bed.newSession("two")
  await expect.poll(() => [...graph(bed).task.values()].map(({ status }) => status)).toEqual(["invalidated"])
  const turn = await bed.prompt(two, "What is there?")
  expect(JSON.stringify(turn.requests[0]?.body)).not.toContain("Old course")
  expect([...graph(bed).plan.values()]).toMatchObject([{ status: "abandoned", reason: "a better way" }])
})

it("among the agents that people page through, only the coordinator is ours", async () => {
  await using bed = await openBed()
  const { data: agents = [] } = await bed.client.app.agents()
  const paged = agents.filter(({ mode }) => mode !== "subagent").map(({ name }) => name)
  expect(paged.filter((name) => name.startsWith("hive-"))).toEqual(["hive-coordinator"])
  expect(paged).toEqual(expect.arrayContaining(["build", "plan"]))
  expect(agents.filter(({ mode }) => mode === "subagent").map(({ name }) => name)).toEqual(
    expect.arrayContaining(["hive-executor", "hive-investigator"]),
  )
})

it("the tools' text stays within its tokens, for all and for an executor", async () => {
  const { countTokens } = await import("../../src/shared/text/tokens.ts")
  await using bed = await openBed()
  const all = (await bed.prompt(await bed.newSession("a"), "Hi")).requests[0]
  const executor = (await bed.prompt(await bed.newSession("b"), "Hi", { agent: "hive-executor" })).requests[0]
  const cost = (request: ModelRequest | undefined) => {
    const { tools = [] } = (request?.body ?? {}) as { tools?: { function: { name: string } }[] }
    expect(tools.length).toBeGreaterThan(5)
    return countTokens(JSON.stringify(tools.filter((tool) => tool.function.name.startsWith("hivemind_"))))
  }
  expect(cost(all)).toBeLessThanOrEqual(3500)
  expect(cost(executor)).toBeLessThanOrEqual(2000)
})

function handOver(agent: string) {
  return call("task", { description: "d", prompt: "Do it.", subagent_type: agent })
}

function planOne(plan_id: string) {
  return call("hivemind_plan", {
    action: "plan_tasks",
    plan_id,
    tasks: [{ title: "T", expected_output: "x" }],
  })
}

function assign(task_id: string, to: string) {
  return call("hivemind_delegate", { action: "assign", task_id, to })
}

function graph(bed: Bed) {
  return openFileStore(bed.project, { source: systemSource }).read().state
}
