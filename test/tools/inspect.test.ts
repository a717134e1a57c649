import { expect, it } from "vitest"
import { countTokens } from "../../src/shared/text/tokens.ts"
import { leaveEvidence } from "../support/evidence.ts"
import { memoryHive } from "../support/hive.ts"
import { callTool, planned } from "./call-tool.ts"

async function project() {
  const hive = memoryHive()
  const { stamp } = await callTool(hive, "session start", { intent: "Add login" })
  const tasks = [
    { title: "Migrate", phase: "Schema" },
    { title: "Login", phase: "API", depends_on: ["#0"] },
  ]
  const { ids } = await planned(hive, tasks)
  await callTool(hive, "task start", { task_id: ids[0] })
  await leaveEvidence(hive)
  await callTool(hive, "task complete", { evidence: "done" })
  return { hive, stamp }
}

it("hivemind_hierarchy: status says how long since the last step, and stays within 1,200 tokens however large the graph is", async () => {
  const { hive } = await project()
  hive.source.seconds = 45 * 60
  const since_last_step = expect.stringMatching(/^4\d min, warm$/)
  const gaps = { warm: 0, stale: 0 }
  expect(await callTool(hive, "hierarchy status")).toMatchObject({ since_last_step, gaps })
  for (let n = 0; n < 8; n++) {
    const plan = await callTool(hive, "plan create", { title: `Plan ${n}`, acceptance: [] })
    const title = `Task of plan ${n}: 登录页面 with a title that goes on and on and on`
    const tasks = Array.from({ length: 50 }, (_, n) => ({ title: `${title} ${n}`, expected_output: "x" }))
    await callTool(hive, "plan plan_tasks", { plan_id: plan.entity_id, tasks })
  }
  const reply = await callTool(hive, "hierarchy status")
  expect(countTokens(JSON.stringify(reply))).toBeLessThanOrEqual(1200)
  expect(reply.tree).toContain("◀ here")
  expect(reply.tree).toMatch(/… \d+ more tasks, \d+ open/)
})

it("hivemind_hierarchy folds finished branches, and hivemind_inspect follows links, without whole ids", async () => {
  const { hive, stamp } = await project()
  const before = await callTool(hive, "hierarchy status")
  const { here } = before
  expect(before).toMatchObject({ here: expect.stringMatching(/^[0-9a-f]{8} Login$/), can_be_pruned: 1 })
  const pruned = { status: "success", count: 1, folded: [{ title: "Schema", tasks: 1 }] }
  expect(await callTool(hive, "hierarchy prune")).toMatchObject(pruned)
  expect((await callTool(hive, "hierarchy prune")).folded).toEqual([])
  const after = await callTool(hive, "hierarchy status")
  expect(after).toMatchObject({ here, can_be_pruned: 0 })
  expect(after.tree).toContain("─ [x] Schema: 1 task done: Migrate  ")
  const deep = await callTool(hive, "inspect deep")
  expect(deep.links.depends_on).toEqual([expect.stringContaining('task "Migrate" (completed)')])
  const scan = await callTool(hive, "inspect scan")
  const record = { stamp, intent: "Add login" }
  expect(await callTool(hive, "inspect deep", { id: scan.session })).toMatchObject({
    kind: "session",
    record,
  })
  expect(JSON.stringify([before, after, scan, deep])).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/)
})

it("hivemind_inspect: trace finds everything with a stamp, shortened, by time", async () => {
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
