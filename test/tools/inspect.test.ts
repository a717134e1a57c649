import { describe, expect, it, test } from "vitest"
import { countTokens } from "../../src/shared/text/tokens.ts"
import { leaveEvidence } from "../support/evidence.ts"
import { memoryHive } from "../support/hive.ts"
import { callTool } from "./call-tool.ts"

/** A session at plan Auth → phase API → task Login, with one finished phase before it. */
async function project() {
  const hive = memoryHive()
  const { stamp } = await callTool(hive, "session start", { intent: "Add login" })
  const plan = await callTool(hive, "plan create", {
    title: "Auth",
    acceptance: [],
    phases: ["Schema", "API"],
  })
  const { tasks } = await callTool(hive, "plan plan_tasks", {
    plan_id: plan.entity_id,
    tasks: [
      { title: "Migrate", expected_output: "x", phase: "Schema" },
      { title: "Login", expected_output: "x", phase: "API", depends_on: ["#0"] },
    ],
  })
  await callTool(hive, "task start", { task_id: tasks[0].entity_id })
  await leaveEvidence(hive)
  await callTool(hive, "task complete", { evidence: "done" })
  return { hive, stamp, login: tasks[1].entity_id as string }
}

describe("hivemind_hierarchy", () => {
  it("status shows the tree with ids and stamps, where the session stands and how long since the last step", async () => {
    const { hive, login } = await project()
    hive.source.seconds = 45 * 60
    const reply = await callTool(hive, "hierarchy status")
    expect(reply).toMatchObject({
      status: "success",
      here: `${login.slice(0, 8)} Login`,
      since_last_step: expect.stringMatching(/^4\d min, warm$/),
      gaps: { warm: 0, stale: 0 },
      can_be_pruned: 1,
    })
    expect(reply.tree.split("\n")).toEqual([
      expect.stringMatching(/^\[>\] Auth {2}[0-9a-f]{8} {2}\d{12}$/),
      expect.stringMatching(/^├── \[x\] Schema /),
      expect.stringMatching(/^│ {3}└── \[x\] Migrate /),
      expect.stringMatching(/^└── \[>\] API /),
      expect.stringMatching(/^ {4}└── \[>\] Login {2}◀ here /),
    ])
  })

  it("prune folds finished branches, says how to undo that, and then that nothing is left", async () => {
    const { hive } = await project()
    const reply = await callTool(hive, "hierarchy prune")
    expect(reply).toMatchObject({
      status: "success",
      count: 1,
      folded: [{ title: "Schema", tasks: 1 }],
      undo: expect.stringMatching(/^hivemind undo [0-9a-f]{8}$/),
    })
    expect((await callTool(hive, "hierarchy status")).tree).toContain("Schema: 1 task done: Migrate")
    const again = await callTool(hive, "hierarchy prune")
    expect(again).toMatchObject({
      status: "success",
      folded: [],
      note: expect.stringContaining("Nothing to fold"),
    })
  })

  it("stays within 1,200 tokens however large the graph is, and counts what it cuts", async () => {
    const { hive } = await project()
    for (let n = 0; n < 8; n++) {
      const plan = await callTool(hive, "plan create", { title: `Plan ${n}`, acceptance: [] })
      const tasks = Array.from({ length: 50 }, (_, each) => ({
        title: `Task ${each} of plan ${n}: 登录页面 with a title that goes on and on and on`,
        expected_output: "x",
      }))
      await callTool(hive, "plan plan_tasks", { plan_id: plan.entity_id, tasks })
    }
    const reply = await callTool(hive, "hierarchy status")
    expect(countTokens(JSON.stringify(reply))).toBeLessThanOrEqual(1200)
    expect(reply.tree).toContain("◀ here")
    expect(reply.tree).toMatch(/… \d+ more tasks, \d+ open/)
  })
})

describe("hivemind_inspect", () => {
  it("drift has the scores, and refuses to acknowledge an unknown warning", async () => {
    const { hive } = await project()
    expect(await callTool(hive, "inspect drift")).toMatchObject({
      status: "success",
      drift: { score: expect.any(Number) },
      health: { score: expect.any(Number) },
      warnings: [],
    })
    expect(await callTool(hive, "inspect drift", { acknowledge: "cancels" })).toMatchObject({
      status: "error",
      code: "not_found",
    })
  })

  it("trace finds everything with a stamp, shortened, by time", async () => {
    const { hive, stamp } = await project()
    for (let n = 0; n < 40; n++) await callTool(hive, "memory save", { content: `Fact ${n}` })
    const reply = await callTool(hive, "inspect trace", { stamp })
    expect(reply.status).toBe("success")
    expect(countTokens(JSON.stringify(reply))).toBeLessThanOrEqual(1500)
    expect(reply.hits).toEqual(
      [...reply.hits].sort((a: string, b: string) => (a.slice(0, 16) < b.slice(0, 16) ? -1 : 0)),
    )
    // Records alone would fill it: the log has its share, and of each the newest stay.
    expect(reply.hits.some((hit: string) => hit.includes(" graph ") && hit.includes("Fact 39"))).toBe(true)
    expect(reply.hits.some((hit: string) => hit.includes(" log ") && hit.includes("Fact 39"))).toBe(true)
    expect(reply.more).toMatch(new RegExp(`^\\d+, see \`hivemind log trace ${stamp}\`$`))
  })

  test.each([
    ["hierarchy", { action: "status", plan_id: "x" }],
    ["hierarchy", { action: "migrate", from: "x" }],
    ["inspect", { action: "deep", id: 7 }],
    ["inspect", { action: "deep", id: "" }],
    ["inspect", { action: "scan", id: "00000001" }],
    ["inspect", { action: "trace" }],
    ["inspect", { action: "drift", acknowledge: ["failures"] }],
  ])("%s refuses %j", async (tool, args) => {
    expect(await callTool(memoryHive(), tool, args)).toMatchObject({
      status: "error",
      code: "invalid_argument",
    })
  })
})
