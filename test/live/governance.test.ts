import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { trials } from "../support/effort.ts"
import { aPhase, aPlan, aTask, uuid } from "../support/records.ts"
import { writeIn } from "../support/state-in.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import { bash, call, calls, hive, pause, planTasks, replied, save, say, update, write } from "./bed/steps.ts"

const STRICT = { governance: "strict" }
const COORDINATOR = { agent: "hive-coordinator" }
const files = { "check.js": "require('fs').accessSync('out.txt')\n" }

describe("strict", () => {
  it("refused, planned, done with evidence", async () => {
    await using bed = await openBed({ pluginOptions: STRICT, files })
    let planned: { entity_id: string }[] = []
    const [first, second] = [{ title: "Write it", verify: "node check.js" }, { title: "Tell about it" }]
    const { toolCalls, replies } = await bed.prompt(
      await bed.newSession("s"),
      "Make the file",
      write("out.txt"),
      ...planTasks(first, { ...second, depends_on: ["#0"] }),
      (request) => {
        planned = replied(request).tasks
        return hive("task start", { task_id: planned[1]?.entity_id })
      },
      () => hive("task start", { task_id: planned[0]?.entity_id }),
      hive("task complete", { evidence: "out.txt is written" }),
      write("out.txt"),
      hive("task complete", { evidence: "out.txt is written and checked" }),
    )
    const [refused, , , early, , undone, passed] = toolCalls
    expect(refused?.status).toBe("error")
    expect(refused?.error).toMatch(/WHAT: .*WHY: .*USE INSTEAD: .*EVIDENCE: /s)
    expect(early?.error).toMatch(/WHY: .*Write it/)
    expect(undone?.error).toMatch(/WHY: .*`node check.js` failed with exit 1/)
    expect(passed?.status).toBe("completed")
    expect(existsSync(join(bed.project, "out.txt"))).toBe(true)
    expect(replies.at(-1)).toMatchObject({ status: "success", next: { title: "Tell about it" } })
    expect(bed.all("checkpoint").map(({ tool, ok }) => [tool, ok])).toEqual([
      ["hivemind_task.complete", false],
      ["write", true],
      ["hivemind_task.complete", true],
    ])
    expect(bed.all("artifact")).toMatchObject([{ path: "out.txt" }])
    expect(bed.all("task").map(({ status }) => status)).toEqual(["completed", "active"])
    expect(bed.printed()).toBe("")
  })

  it("holds for bash writes and for HiveMind's own files, whatever tool is used", async () => {
    await using bed = await openBed({ pluginOptions: STRICT, git: true })
    const all = calls(
      bash("echo x > a.txt"),
      bash("ls"),
      bash("git push --force origin main"),
      bash("rm -rf .hivemind"),
      write(join(bed.project, ".hivemind/graph/parts/mems.0001.000001-abcd.json"), "{}"),
      call("hivemind_shell", { command: "sudo rm -rf /" }),
    )
    const { toolCalls } = await bed.prompt(await bed.newSession("s"), "Go", all)
    const statuses = toolCalls.map(({ status }) => status)
    expect(statuses).toEqual(["error", "completed", "error", "error", "error", "error"])
    expect(toolCalls[0]?.error).toContain("no active task")
    expect(existsSync(join(bed.project, "a.txt"))).toBe(false)
  })
})

describe("roles and delegation", () => {
  it("an executor given `read` only cannot write in its own session; its result comes back", async () => {
    await using bed = await openBed({ pluginOptions: STRICT, files: { "src/a.txt": "hello\n" } })
    const path = join(bed.project, "src/a.txt")
    const complete = hive("task complete", { evidence: "it says hello" })
    bed.model.script(
      { agent: "hive-executor" },
      calls(write(path), call("read", { filePath: path })),
      complete,
      save("a.txt says hello", "fact"),
      complete,
      calls(bash("ls"), update("action", "More work")),
      say("It says hello."),
    )
    const turn = await bed.prompt(
      { ...(await bed.newSession("s")), ...COORDINATOR },
      "Go",
      ...planTasks({ title: "Read a.txt" }),
      (request) => assign(replied(request).entity_id, "hive-executor", { allowed_tools: ["read"] }),
      (request) => handOver("hive-executor", replied(request).handover),
    )
    const child = turn.requests.filter(({ kind }) => kind === "subagent")
    for (const tool of ["hivemind_plan", "hivemind_delegate"]) expect(child[0]?.tools).not.toContain(tool)
    for (const tool of ["write", "bash"]) expect(turn.requests[0]?.tools).not.toContain(tool)
    const [written, seen] = child[1]?.toolOutputs ?? []
    expect(written).toContain('write may not be used for "Read a.txt"')
    expect(seen).toContain("hello")
    // Without a write, words do not complete a task; a saved finding does.
    expect(child[2]?.toolOutputs.at(-1)).toContain("a result of the work")
    const [command, plan] = child[5]?.toolOutputs.slice(-2) ?? []
    expect(command).toContain('bash may not be used for "Read a.txt"')
    expect(plan).toContain("The role executor does not include it")
    expect(bed.all("delegation")).toMatchObject([{ status: "returned", result: "It says hello." }])
    expect(bed.all("task")).toMatchObject([{ status: "completed", assigned_session_id: child[0]?.session }])
  })

  it("refuses an agent that is not the assigned one, and a hand-over without a task", async () => {
    await using bed = await openBed({ pluginOptions: STRICT })
    const { toolCalls } = await bed.prompt(
      { ...(await bed.newSession("s")), ...COORDINATOR },
      "Go",
      handOver("hive-executor"),
      ...planTasks({ title: "T" }),
      (request) => assign(replied(request).entity_id, "hive-investigator"),
      handOver("hive-executor"),
      handOver("hive-investigator"),
    )
    expect(toolCalls[0]?.error).toContain("a subagent needs a task")
    expect(toolCalls[4]?.error).toContain("is assigned to hive-investigator")
    expect(toolCalls[5]?.status).toBe("completed")
  })

  it("refuses a circle, and a chain that is too long", async () => {
    // The host lets a subagent delegate only if its agent allows it.
    const helper = { mode: "subagent", prompt: "You help.", permission: { task: "allow" } }
    const agent = Object.fromEntries(["one", "two", "three"].map((name) => [name, helper]))
    await using bed = await openBed({ config: { agent, subagent_depth: 5 } })
    const outputsOf = async (chain: Record<string, ReturnType<typeof call>[]>) => {
      for (const [name, own] of Object.entries(chain)) bed.model.script({ agent: name }, ...own, say("ok"))
      const { requests } = await bed.prompt(await bed.newSession("s"), "Go")
      return requests.flatMap(({ toolOutputs }) => toolOutputs).join()
    }
    const start = { build: [handOver("one")], one: [handOver("two")] }
    expect(await outputsOf({ ...start, two: [handOver("one"), handOver("three")] })).toContain(
      "already part of this chain of delegations: build → one → two",
    )
    expect(await outputsOf({ three: [handOver("general")], ...start, two: [handOver("three")] })).toContain(
      "at most 3 levels deep",
    )
  })

  /** Starts a turn in which a subagent works on a delegated task, and holds its answer. */
  async function subagentAtWork(bed: Bed) {
    const session = await bed.newSession("s")
    bed.model.script(
      { session: session.id },
      ...planTasks({ title: "T" }),
      (request) => assign(replied(request).entity_id, "general"),
      handOver("general"),
    )
    const held = pause()
    bed.model.script({ agent: "general" }, say("Working…", { pause: held }), say("late"))
    await bed.start(session, "Go")
    await held.reached
    const [delegation] = bed.all("delegation")
    expect(delegation).toMatchObject({ status: "running", child_session_id: expect.any(String) })
    return { session, held, delegation }
  }

  it("the task of a subagent that died with its host can be assigned again", async () => {
    await using bed = await openBed()
    const { session } = await subagentAtWork(bed)
    const [task] = bed.all("task")
    const again = async (asking: { id: string }) => {
      bed.model.script({ session: asking.id }, assign(task?.id ?? "", "explore"))
      return JSON.stringify((await bed.prompt(asking, "Assign it")).toolCalls[0])
    }
    expect(await again(await bed.newSession("other"))).toContain("is working on the task")
    await bed.kill()
    await bed.restart()
    bed.model.reset()
    expect(await again(session)).toContain("handover")
    expect(bed.all("delegation").map(({ status }) => status)).toEqual(["failed", "assigned"])
  })

  it("recall ends a running child", async () => {
    await using bed = await openBed()
    const { held, delegation } = await subagentAtWork(bed)
    const recall = { delegation_id: delegation?.id, reason: "no longer needed" }
    await bed.prompt(await bed.newSession("other"), "Stop it", hive("delegate recall", recall))
    const child = delegation?.child_session_id ?? "?"
    await bed.waitForEvent("session.error", (event) => JSON.stringify(event).includes(child))
    held.release()
    expect(bed.all("delegation")).toMatchObject([{ status: "recalled", reason: "no longer needed" }])
    expect(bed.all("task")).toMatchObject([{ status: "planned" }])
  })
})

const ROUNDS = trials(3, 10)

it("two OpenCode processes on one graph start the same tasks at the same time: one wins each", async () => {
  await using one = await openBed({ git: true })
  await using two = await openBed({ worktree: { of: one.project, branch: "two" } })
  const ids = Array.from({ length: ROUNDS }, (_, round) =>
    Array.from({ length: 10 }, (_, n) => 100 + round * 10 + n),
  )
  await writeIn(one.project, (tx) => {
    tx.add("plan", aPlan(1))
    tx.add("phase", aPhase(2, 1))
    for (const n of ids.flat()) tx.add("task", aTask(n, 1, 2))
  })
  const starts = ids.map((round) => calls(...round.map((n) => hive("task start", { task_id: uuid(n) }))))
  const replies = await Promise.all(
    [one, two].map(async (bed) => {
      const { toolCalls } = await bed.prompt(await bed.newSession("s"), "Go", ...starts)
      return toolCalls.map(({ error }) => (error === undefined ? "success" : /CODE: (\w+)/.exec(error)?.[1]))
    }),
  )
  const outcomes = ids.flat().map((_, n) => replies.map((of) => of[n]).sort())
  expect(outcomes).toEqual(ids.flat().map(() => ["conflict", "success"]))
  expect(one.all("task").every(({ status }) => status === "active")).toBe(true)
})

function handOver(agent: string, prompt = "Do it.") {
  return call("task", { description: "d", prompt, subagent_type: agent })
}

function assign(task_id: string, to: string, more: object = {}) {
  return hive("delegate assign", { task_id, to, ...more })
}
