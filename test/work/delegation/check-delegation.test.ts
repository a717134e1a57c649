import { describe, expect, it } from "vitest"
import type { Hive } from "../../../src/hive/hive.ts"
import { HiveError } from "../../../src/shared/error.ts"
import { bindSubagent } from "../../../src/work/delegation/assign.ts"
import { checkDelegation } from "../../../src/work/delegation/check-delegation.ts"
import { continueIn } from "../../../src/work/session/session.ts"
import { memoryHive } from "../../support/hive.ts"
import { by } from "../../support/records.ts"
import { callTool, planned } from "../../tools/call-tool.ts"

async function chainOf(...agents: string[]): Promise<Hive> {
  const hive = memoryHive()
  for (const [n, agent] of agents.slice(1).entries()) {
    const child = { session: `ses_${n + 1}`, agent, tool: "chat.message" }
    await bindSubagent(hive, child, { session: `ses_${n}`, agent: agents[n] ?? null }, "Go on")
  }
  return hive
}

/** Checks the start of an agent. Returns the code of the refusal, or the warning. */
function starting(
  hive: Hive,
  [session, by]: [string, string],
  agent: string,
  mode: "strict" | "assisted" = "assisted",
  prompt = "Go on",
): string {
  const { state } = hive.store.read()
  try {
    const call = { session, agent: by }
    return checkDelegation({ agent, prompt }, call, state, mode).join()
  } catch (error) {
    if (!(error instanceof HiveError)) throw error
    return error.code
  }
}

describe("handing work on", () => {
  it("allows three levels of delegation, and no more", async () => {
    const hive = await chainOf("build", "plan", "explore", "general")
    expect(starting(hive, ["ses_2", "explore"], "other")).toContain("works without a task")
    expect(starting(hive, ["ses_3", "general"], "other")).toBe("depth")
  })

  it("a task cannot be delegated to the caller, or to an agent that waits for its result", async () => {
    const hive = await chainOf("build", "general")
    expect(starting(hive, ["ses_1", "general"], "build")).toBe("circle")
    expect(starting(hive, ["ses_1", "general"], "general")).toBe("circle")
    expect(starting(hive, ["ses_1", "general"], "explore")).toContain("works without a task")
  })

  it("a task goes to its assigned agent: always in strict, otherwise if the call names the task", async () => {
    const { hive, task } = await assigned()
    const from: [string, string] = ["ses_1", "build"]
    expect(starting(hive, from, "hive-executor", "strict")).toBe("")
    expect(starting(hive, from, "general", "strict")).toBe("wrong_agent")
    expect(starting(hive, from, "general", "assisted", `Do ${task.slice(0, 8)}`)).toBe("wrong_agent")
    expect(starting(hive, from, "general")).toContain("works without a task")
  })

  it("needs a task in strict", () => {
    expect(starting(memoryHive(), ["ses_1", "build"], "general", "strict")).toBe("no_delegation")
  })
})

it("recall ends the subagent's session and opens its task again, for any session", async () => {
  const { hive, task, delegation } = await begun()
  expect(hive.store.read().state.task.get(task)).toMatchObject({ assigned_session_id: "ses_child" })
  const ended: string[] = []
  const watched = { ...hive, endSession: async (session: string) => void ended.push(session) }
  const recalled = { action: "recall", delegation_id: delegation, reason: "Not needed" }
  expect(await callTool(watched, "delegate", recalled, "ses_beside")).toMatchObject({
    ended_session: "ses_child",
  })
  expect(ended).toEqual(["ses_child"])
  const { state } = hive.store.read()
  expect(state.delegation.get(delegation)).toMatchObject({ status: "recalled", reason: "Not needed" })
  expect(state.task.get(task)).toMatchObject({
    status: "planned",
    assigned_to: null,
    assigned_session_id: null,
  })
  expect(await callTool(watched, "delegate", recalled)).toMatchObject({
    status: "error",
    why: expect.stringContaining("recalled"),
  })
})

it("a recall says so if the host cannot end the session, and leaves the task to one that took it over", async () => {
  const { hive, task, delegation } = await begun()
  const other = { status: "active", assigned_session_id: "ses_other" } as const
  await hive.store.write(by, (tx) => tx.set("task", task, other))
  const stubborn = { ...hive, endSession: async () => Promise.reject(new Error("OpenCode refused: 500")) }
  const recalled = { action: "recall", delegation_id: delegation, reason: "Not needed" }
  expect(await callTool(stubborn, "delegate", recalled)).toMatchObject({
    status: "success",
    ended_session: null,
    problem: expect.stringContaining("ses_child could not be ended (OpenCode refused: 500)"),
  })
  expect(hive.store.read().state.delegation.get(delegation)?.status).toBe("recalled")
  expect(hive.store.read().state.task.get(task)).toMatchObject(other)
})

async function begun() {
  const { hive, task, delegation } = await assigned()
  const child = { session: "ses_child", agent: "hive-executor", tool: "chat.message" }
  // A split may come between the call that starts a subagent and the subagent's first message.
  await continueIn(hive, { session: "ses_1", agent: "build", tool: "split" }, "ses_next")
  await bindSubagent(hive, child, { session: "ses_1", agent: "build" }, `Do ${task}`)
  return { hive, task, delegation }
}

async function assigned(): Promise<{ hive: Hive; task: string; delegation: string }> {
  const hive = memoryHive()
  const [task = ""] = (await planned(hive, [{ title: "Style" }])).ids
  const assign = { action: "assign", task_id: task, to: "hive-executor" }
  return { hive, task, delegation: (await callTool(hive, "delegate", assign)).entity_id }
}
