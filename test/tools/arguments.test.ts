import { describe, expect, it } from "vitest"
import { toolActions, toolName } from "../../src/shared/tool-names.ts"
import { tools } from "../../src/tools/index.ts"
import { memoryHive } from "../support/hive.ts"
import { aConflict, by } from "../support/records.ts"
import { callTool } from "./call-tool.ts"

const UNKNOWN = "ffffffff-ffff-4fff-8fff-ffffffffffff"
const PLAN = "“Auth” (active)"
const TASK = "“Write the form” (planned)"
const MEM = "“Amounts are cents” (insight)"
const DELEGATION = "“Look at it” (hive-executor)"
const CONFLICT = "(task, ends)"
const ANCHOR = "“DB”"
const SESSION = "“Add login”"

/** The required arguments of each action that has some, and what the answer offers for a missing one. */
const REQUIRED: Record<string, Record<string, string>> = {
  "session start": { intent: "Give intent" },
  "session update": { level: "one of trajectory, tactic, action", content: "Give content" },
  "session settle": { conflict: CONFLICT, take: "one of kept, lost" },
  "plan create": { title: "Give title", acceptance: "a list" },
  "plan plan_tasks": { plan_id: PLAN, tasks: "each with title and expected_output" },
  "plan archive": { plan_id: PLAN },
  "plan abandon": { plan_id: PLAN, reason: "Give reason" },
  "task start": { task_id: TASK },
  "task complete": { evidence: "Give evidence" },
  "task fail": { reason: "Give reason" },
  "delegate assign": { task_id: TASK, to: "hive-executor" },
  "delegate research": { question: "Give question" },
  "delegate recall": { delegation_id: DELEGATION, reason: "Give reason" },
  shell: { command: "Give command" },
  "memory save": { content: "Give content" },
  "memory recall": { query: "Give query" },
  "memory link": { from: MEM, to: MEM },
  "memory flag": { mem_id: MEM, reason: "Give reason" },
  "anchor save": { key: ANCHOR, value: "Give value" },
  "anchor get": { key: ANCHOR },
  "anchor update": { key: ANCHOR, value: "Give value" },
  "anchor remove": { key: ANCHOR },
  "inspect trace": { stamp: SESSION },
}

/** A value that is well-formed, by argument; a text where it does not matter. */
const GOOD: Record<string, unknown> = {
  level: "action",
  take: "kept",
  acceptance: [],
  tasks: [{ title: "x", expected_output: "y" }],
  plan_id: UNKNOWN,
  task_id: UNKNOWN,
  delegation_id: UNKNOWN,
  conflict: UNKNOWN,
  mem_id: UNKNOWN,
  from: UNKNOWN,
  to: UNKNOWN,
}
const good = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, GOOD[name] ?? "some words"]))

const all = Object.entries(toolActions).flatMap(([tool, actions]) =>
  actions.length === 0 ? [tool] : actions.map((action) => `${tool} ${action}`),
)
const calls = all.map((call) => {
  const [tool = "", action] = call.split(" ")
  return { call, tool, given: action === undefined ? {} : { action }, required: REQUIRED[call] ?? {} }
})
const rows = calls.flatMap(({ required, ...call }) =>
  Object.entries(required).map(([name, offered]) => ({ ...call, name, offered, all: Object.keys(required) })),
)

async function filledHive() {
  const hive = memoryHive()
  await callTool(hive, "session start", { intent: "Add login" })
  const { entity_id: plan_id } = await callTool(hive, "plan create", { title: "Auth", acceptance: [] })
  const { tasks } = await callTool(hive, "plan plan_tasks", {
    plan_id,
    tasks: ["Write the form", "Look at it"].map((title) => ({ title, expected_output: "x" })),
  })
  await callTool(hive, "delegate assign", { task_id: tasks[1].entity_id, to: "hive-executor" })
  await callTool(hive, "memory save", { content: "Amounts are cents" })
  await callTool(hive, "anchor save", { key: "DB", value: "Postgres" })
  const task = tasks[0].entity_id
  const conflict = aConflict(9, { record_id: task })
  const kept = { ...conflict.kept, fields: { status: "planned" } }
  await hive.store.write(by, (tx) => tx.add("conflict", { ...conflict, kept }))
  return { hive, plan_id: plan_id as string, task_id: task as string }
}

it("the table has every action of every tool with its required arguments", async () => {
  expect(Object.keys(REQUIRED).filter((call) => !all.includes(call))).toEqual([])
  const { hive } = await filledHive()
  for (const { call, tool, given, required } of calls) {
    // The argument that no action has keeps those that require nothing from running.
    const { what } = await callTool(hive, tool, { ...given, colour: "red" })
    const missing = Object.keys(required).map((name) => `${name} is missing; `)
    expect(what).toBe(`hivemind_${call} was not run: ${missing.join("")}it takes no colour.`)
  }
})

it.each(rows)(
  "$call says what $name is, if missing or wrong",
  async ({ tool, given, name, offered, all }) => {
    const { hive } = await filledHive()
    const others = good(all.filter((each) => each !== name))
    for (const [wrong, problem] of [
      [{}, "is missing"],
      [{ [name]: { wrong: true } }, "is not valid"],
    ] as const) {
      const reply = await callTool(hive, tool, { ...given, ...others, ...wrong })
      expect(reply).toMatchObject({ status: "error", code: "invalid_argument", evidence: expect.any(String) })
      expect(reply.what).toContain(`was not run: ${name} ${problem}.`)
      expect(reply.why).toMatch(new RegExp(`^${name} is .+: .+\\.$`))
      expect(`${reply.why} ${reply.use_instead}`).toContain(offered)
      expect(JSON.stringify(reply)).not.toMatch(VALIDATOR)
    }
  },
)

const VALIDATOR = /invalid input|expected (string|array|object|number)|received|must match|unrecognized/i

describe("an id that names nothing", () => {
  it.each<[string, string, object, string, string]>([
    ["plan", "archive", {}, "plan_id", PLAN],
    ["plan", "abandon", { reason: "x" }, "plan_id", PLAN],
    ["plan", "plan_tasks", { tasks: GOOD["tasks"] }, "plan_id", PLAN],
    ["plan", "status", {}, "plan_id", PLAN],
    ["task", "start", {}, "task_id", TASK],
    ["task", "complete", { evidence: "x" }, "task_id", TASK],
    ["task", "fail", { reason: "x" }, "task_id", TASK],
    ["task", "review", {}, "task_id", TASK],
    ["task", "status", {}, "task_id", TASK],
    ["delegate", "assign", { to: "hive-executor" }, "task_id", TASK],
    ["delegate", "recall", { reason: "x" }, "delegation_id", DELEGATION],
    ["memory", "flag", { reason: "x" }, "mem_id", MEM],
    ["memory", "purge", {}, "mem_id", MEM],
    ["memory", "save", { content: "x" }, "supersedes", MEM],
    ["memory", "save", { content: "x" }, "parent_mem_id", MEM],
    ["memory", "save", { content: "x" }, "origin_task_id", TASK],
    ["session", "settle", { take: "kept" }, "conflict", CONFLICT],
    ["session", "resume", {}, "session", SESSION],
    ["inspect", "deep", {}, "id", TASK],
    ["anchor", "get", {}, "key", ANCHOR],
    ["anchor", "remove", {}, "key", ANCHOR],
  ])("%s %s: what it is and which there are", async (tool, action, more, name, offered) => {
    const { hive } = await filledHive()
    for (const wrong of [UNKNOWN, UNKNOWN.slice(0, 8)]) {
      const reply = await callTool(hive, tool, { action, ...more, [name]: wrong })
      expect(reply).toMatchObject({ status: "error" })
      expect(reply.why).toContain(`${name} is `)
      expect(reply.use_instead).toContain(offered)
    }
  })

  it("a title instead of an id is refused with the possible ids", async () => {
    const { hive, task_id } = await filledHive()
    const reply = await callTool(hive, "task start", { task_id: "Write the form" })
    expect(reply.what).toContain("task_id is not valid")
    expect(reply.use_instead).toContain(`${task_id.slice(0, 8)} ${TASK}`)
  })

  it("says if there is no such record yet, and which call creates one", async () => {
    const reply = await callTool(memoryHive(), "task start")
    expect(reply.use_instead).toBe("No task is open; add tasks with hivemind_plan plan_tasks.")
  })

  it("ending a task without task_id and without a current task lists the open ones", async () => {
    const { hive } = await filledHive()
    const reply = await callTool(hive, "task complete", { evidence: "it works" })
    expect(reply).toMatchObject({ code: "not_found", what: "There is no current task." })
    expect(reply.why).toContain("task_id is the id of a task")
    expect(reply.use_instead).toContain(TASK)
  })
})

it("a wrong field of one task among several is named with its place", async () => {
  const { hive, plan_id } = await filledHive()
  const tasks = [
    { title: "One", expected_output: "x" },
    { title: "Two", colour: "red" },
  ]
  const reply = await callTool(hive, "plan plan_tasks", { plan_id, tasks })
  const problems = "tasks.1.expected_output is missing; tasks.1 takes no colour."
  expect(reply.what).toBe(`hivemind_plan plan_tasks was not run: ${problems}`)
  const meaning = "tasks.1.expected_output is the result that exists once the task is done: a text"
  expect(reply.why).toContain(meaning)
})

it("a rarely used argument is named to the model, and accepted", async () => {
  const plan = tools.find(({ name }) => name === toolName("plan"))
  const shown = JSON.stringify(plan?.schema())
  expect(shown).toContain("temporal_gate{after_task_id, reason}")
  expect(shown).toContain("file_locks[]")
  expect(plan?.description).toContain("Also takes sot_document_path.")
  const { hive, plan_id } = await filledHive()
  const rare = { file_locks: ["src/a.ts"], ahead: true, line: 3 }
  const task = { title: "x", expected_output: "y", ...rare }
  const { tasks } = await callTool(hive, "plan plan_tasks", { plan_id, tasks: [task] })
  expect(hive.store.read().state.task.get(tasks[0].entity_id)).toMatchObject(rare)
})
