import { describe, expect, it } from "vitest"
import { PROJECT_HEAD_ID } from "../../../src/graph/read-head.ts"
import type { Delegation } from "../../../src/schemas/task.ts"
import { shortId } from "../../../src/shared/ids.ts"
import { runToEnd } from "../../../src/shared/slices.ts"
import { countTokens } from "../../../src/shared/text/tokens.ts"
import { inspectScan } from "../../../src/views/inspect/scan.ts"
import { graphOf } from "../../support/graph.ts"
import { memoryHive } from "../../support/hive.ts"
import { aMem, aPhase, aPlan, aTask, by, T0, uuid } from "../../support/records.ts"
import { callTool } from "../../tools/call-tool.ts"

const HOURS = 3600

describe("scan", () => {
  it("of an empty project says that there is nothing", () => {
    expect(runToEnd(inspectScan(memoryHive(), null))).toEqual({
      session: null,
      intent: null,
      place: [],
      counts: {
        plans: 0,
        open_plans: 0,
        tasks: {},
        mems: { hot: 0, in_force: 0, archived: 0 },
        anchors: 0,
        sessions: 0,
        open_sessions: 0,
      },
      look: [],
      open_decisions: [],
      delegations: [],
      refresh: [],
      problems: [],
    })
  })

  it("shows the session's position, what is there, what is undecided and who works for it", async () => {
    const hive = memoryHive()
    const { stamp } = await callTool(hive, "session", { action: "start", intent: "Add\nlogin" })
    const plan = await callTool(hive, "plan", {
      action: "create",
      title: "Auth",
      acceptance: [],
      phases: ["API"],
    })
    const planned = await callTool(hive, "plan", {
      action: "plan_tasks",
      plan_id: plan.entity_id,
      tasks: [
        { title: "Login", expected_output: "x", phase: "API" },
        { title: "Store", expected_output: "x", phase: "API", decisions: ["Which database?"] },
      ],
    })
    await callTool(hive, "task", { action: "start", task_id: planned.tasks[0].entity_id })
    await callTool(hive, "delegate", {
      action: "assign",
      task_id: planned.tasks[0].entity_id,
      to: "hive-executor",
    })
    const scan = runToEnd(inspectScan(hive, "ses_1"))
    expect(scan).toMatchObject({
      session: stamp,
      intent: "Add login",
      place: [
        expect.stringContaining('plan "Auth" (active)'),
        expect.stringContaining('phase "API" (active)'),
        expect.stringContaining('task "Login" (active)'),
      ],
      counts: { plans: 1, tasks: { active: 1, blocked: 1 }, mems: { hot: 1 }, anchors: 0, sessions: 1 },
      look: [],
      open_decisions: [expect.stringMatching(/^[0-9a-f]{8} Which database\?$/)],
      delegations: [expect.stringMatching(/^[0-9a-f]{8} to hive-executor \(assigned\): .*task "Login"/)],
    })
  })

  it("names what needs a look, the nearest first", () => {
    const g = graphOf()
    const plan = g.plan("Auth")
    const done = g.phase(plan, "Schema")
    const api = g.phase(plan, "API")
    const failed = g.task(done, "Migrate", { status: "failed" })
    const work = g.task(api, "Work", { status: "active", created_at: g.at(0.5) })
    g.task(api, "Waits", { status: "blocked", depends_on: [failed.id] })
    g.task(api, "Need not wait", { status: "invalidated", depends_on: [failed.id] })
    const quiet = g.task(api, "Left", { status: "active" })
    const alive = g.task(api, "Alive", { status: "review" })
    g.checkpoint(alive, { created_at: g.at(2) })
    const { store, ...rest } = memoryHive()
    const hive = { ...rest, store: { ...store, read: () => ({ ...store.read(), state: g.state }) } }
    hive.source.seconds = 3 * HOURS
    const head = g.head("x", plan, api, work)
    g.state.trajectory.set(PROJECT_HEAD_ID, { ...head, id: PROJECT_HEAD_ID })
    expect(runToEnd(inspectScan(hive, null)).look).toEqual([
      "2 h since the last step here (stale)",
      `${shortId(quiet.id)} "Left" is active, quiet for 3 h`,
      expect.stringMatching(/ "Waits" waits for \w{8}, which is failed$/),
      "1 finished branch can be pruned",
    ])
    g.anchor("DB", "Postgres", { status: "stale" })
    g.anchor("OS", "Linux", { status: "stale" })
    const { created_at, updated_at, stamp } = work
    const made = { created_at, updated_at, stamp }
    const file = { path: "docs/plan.md", task_id: null, plan_id: plan.id, hash: null, sections: [] }
    g.state.artifact.set("file", { id: "file", ...file, status: "changed", superseded_by: null, ...made })
    expect(runToEnd(inspectScan(hive, null)).look.slice(3)).toEqual([
      "stale anchors: DB, OS",
      "files changed since noted: docs/plan.md",
      "… 1 more",
    ])
  })

  it("lists knowledge to refresh and what could not be read, and stays short however much there is", async () => {
    const hive = memoryHive()
    await hive.store.write(by, (tx) => {
      tx.add("plan", aPlan(1))
      tx.add("phase", aPhase(2, 1))
      tx.add("task", aTask(3, 1, 2))
      for (let n = 100; n < 150; n++) {
        tx.add(
          "mem",
          aMem(n, {
            content: `Known ${"and so on ".repeat(60)}`,
            origin_task_id: uuid(3),
            stale_at: new Date(T0).toISOString(),
          }),
        )
        tx.add(
          "mem",
          aMem(n + 100, { content: `Open ${"and so on ".repeat(60)}`, kind: "decision", resolved: false }),
        )
        tx.add("delegation", aDelegation(n + 200))
      }
    })
    const problem = {
      code: "broken_file",
      level: "quarantined",
      file: "graph/parts/mems.0001.000001-abcd.json",
      kind: null,
      id: null,
      reason: "not valid JSON",
      raw: null,
    } as const
    const read = () => ({ ...hive.store.read(), problems: Array.from({ length: 30 }, () => problem) })
    hive.source.seconds = 5 * HOURS
    const scan = runToEnd(inspectScan({ ...hive, store: { ...hive.store, read } }, null))
    expect(scan.refresh[0]).toMatch(/^[0-9a-f]{8} mem "Known and so on .*…" stale for 5 h$/)
    expect(scan.problems[0]).toBe("quarantined: graph/parts/mems.0001.000001-abcd.json: not valid JSON")
    for (const list of [scan.refresh, scan.problems, scan.open_decisions, scan.delegations]) {
      expect(list).toHaveLength(6)
      expect(list.at(-1)).toMatch(/^… \d+ more$/)
    }
    expect(countTokens(JSON.stringify(scan))).toBeLessThanOrEqual(1200)
  })
})

function aDelegation(n: number): Delegation {
  const at = new Date(T0).toISOString()
  return {
    id: uuid(n),
    task_id: uuid(3),
    from_agent: "build",
    to_agent: "general",
    session_id: null,
    child_session_id: null,
    allowed_tools: null,
    depth: 1,
    status: "running",
    result: null,
    reason: null,
    created_at: at,
    updated_at: at,
    stamp: "301411022026",
  }
}
