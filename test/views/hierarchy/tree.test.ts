import { describe, expect, it, test } from "vitest"
import { inboxOf } from "../../../src/graph/inbox.ts"
import { runToEnd } from "../../../src/shared/slices.ts"
import { findGaps, gapToNow } from "../../../src/views/hierarchy/gaps.ts"
import { renderTree } from "../../../src/views/hierarchy/render.ts"
import { type TreeNode, treeOf } from "../../../src/views/hierarchy/tree.ts"
import { graphOf } from "../../support/graph.ts"
import { T0 } from "../../support/records.ts"

function lines(nodes: TreeNode[], above = ""): string[] {
  return nodes.flatMap((node) => {
    const own = `${above}${node.title}${node.isCursor ? " (here)" : ""}`
    return [own, ...lines(node.children, `${above}${node.title} > `)]
  })
}

describe("the tree", () => {
  it("has plans by age, phases in order, tasks by age and sub-tasks below their task", () => {
    const g = graphOf()
    const late = g.plan("Late", { created_at: g.at(9) })
    const plan = g.plan("Auth")
    const second = g.phase(plan, "API", { order: 2 })
    const first = g.phase(plan, "Schema", { order: 1 })
    const login = g.task(second, "Login", { created_at: g.at(2) })
    g.task(second, "Users", { created_at: g.at(1) })
    // Younger than its sub-task: a hand edit, or a task that was split afterwards.
    g.task(second, "Hash", { type: "sub", parent_task_id: login.id, created_at: g.at(0) })
    g.task(first, "Migrate")
    g.phase(late, "Nothing yet")
    const { roots, path } = treeOf(g.state, g.head("x", plan, second, login))
    expect(lines(roots)).toEqual([
      "Auth",
      "Auth > Schema",
      "Auth > Schema > Migrate",
      "Auth > API",
      "Auth > API > Users",
      "Auth > API > Login (here)",
      "Auth > API > Login > Hash",
      "Late",
      "Late > Nothing yet",
    ])
    expect(path.map(({ title, level }) => `${level} ${title}`)).toEqual([
      "plan Auth",
      "phase API",
      "task Login",
    ])
    expect(roots[0]).toMatchObject({ tasks: 4, open: 4, stamp: plan.stamp, created_at: plan.created_at })
  })

  it("shows the inbox last, and only if it has tasks or the read-head", () => {
    const g = graphOf()
    const plan = g.plan("Auth")
    g.phase(plan, "Schema")
    const inbox = inboxOf(plan)
    expect(lines(treeOf(g.state, undefined).roots)).toEqual(["Auth", "Auth > Schema"])
    expect(lines(treeOf(g.state, g.head("x", plan, inbox)).roots).at(-1)).toBe("Auth > Inbox (here)")
    g.task(inbox, "Quick one")
    expect(lines(treeOf(g.state, undefined).roots).slice(-2)).toEqual([
      "Auth > Inbox",
      "Auth > Inbox > Quick one",
    ])
  })

  it("has the cursor at the active task, else the phase, else the plan", () => {
    const g = graphOf()
    const plan = g.plan("Auth")
    const phase = g.phase(plan, "API")
    const task = g.task(phase, "Login")
    const here = (head: Parameters<typeof treeOf>[1]) => treeOf(g.state, head).path.at(-1)?.title
    expect(here(g.head("x", plan, phase, task))).toBe("Login")
    expect(here(g.head("x", plan, phase))).toBe("API")
    expect(here(g.head("x", plan))).toBe("Auth")
    expect(here(g.head("x"))).toBeUndefined()
    expect(here(undefined)).toBeUndefined()
    const gone = { ...g.head("x", plan, phase, task), active_task_ids: ["no longer there"] }
    expect(here(gone)).toBe("API")
  })

  it("shows circular tasks and tasks without phase or plan once each", () => {
    const g = graphOf()
    const plan = g.plan("Auth")
    const phase = g.phase(plan, "API")
    const one = g.task(phase, "One", { parent_task_id: "to be set" })
    const two = g.task(phase, "Two", { parent_task_id: one.id })
    g.state.task.set(one.id, { ...one, parent_task_id: two.id })
    g.task(phase, "Below the circle", { parent_task_id: two.id })
    g.task({ ...phase, id: "lost" }, "No phase")
    g.task({ ...phase, id: "lost", parent_plan_id: "lost" }, "No plan")
    g.task(phase, "No parent", { parent_task_id: "lost" })
    expect(lines(treeOf(g.state, undefined).roots)).toEqual([
      "Auth",
      "Auth > API",
      "Auth > API > One",
      "Auth > API > Two",
      "Auth > API > Two > Below the circle",
      "Auth > API > No parent",
      "Auth > No phase",
      "No plan",
    ])
  })
})

const MINUTE_MS = 60_000
const timeAt = (ms: number) => new Date(T0 + ms).toISOString()

describe("gaps", () => {
  it("are measured from the parent for the eldest child, else from the elder sibling", () => {
    const g = graphOf()
    const plan = g.plan("Root", { created_at: timeAt(0) })
    const phase = g.phase(plan, "Tactic", { created_at: timeAt(15 * MINUTE_MS) })
    const first = g.task(phase, "First", { created_at: timeAt(30 * MINUTE_MS) })
    const second = g.task(phase, "Second", { created_at: timeAt(240 * MINUTE_MS) })
    expect(runToEnd(findGaps(treeOf(g.state, undefined).roots))).toEqual([
      { before: phase.id, ms: 15 * MINUTE_MS, severity: "healthy" },
      { before: first.id, ms: 15 * MINUTE_MS, severity: "healthy" },
      { before: second.id, ms: 210 * MINUTE_MS, severity: "stale" },
    ])
  })

  test.each([
    [30 * MINUTE_MS - 1, "healthy"],
    [30 * MINUTE_MS, "warm"],
    [120 * MINUTE_MS - 1, "warm"],
    [120 * MINUTE_MS, "stale"],
  ])("%d ms are %s, between nodes and up to now", (ms, severity) => {
    const g = graphOf()
    const plan = g.plan("Root", { created_at: timeAt(0) })
    const phase = g.phase(plan, "Tactic", { created_at: timeAt(ms) })
    const tree = treeOf(g.state, g.head("x", plan, phase))
    expect(runToEnd(findGaps(tree.roots))).toMatchObject([{ ms, severity }])
    expect(runToEnd(gapToNow(g.state, tree, T0 + ms + ms))).toEqual({ ms, severity })
  })

  it("up to now count from the last step on the path or below it", () => {
    const g = graphOf()
    const plan = g.plan("Root")
    const phase = g.phase(plan, "Tactic")
    const task = g.task(phase, "Task", { status: "active" })
    const other = g.task(phase, "Beside it", { status: "failed", updated_at: g.at(47) })
    const sinceAt = (...tasks: (typeof task)[]) =>
      runToEnd(
        gapToNow(g.state, treeOf(g.state, g.head("x", plan, phase, ...tasks)), T0 + 48 * 60 * MINUTE_MS),
      )
    expect(sinceAt(task)).toMatchObject({ severity: "stale" })
    expect(sinceAt()).toEqual({ ms: 60 * MINUTE_MS, severity: "warm" })
    g.checkpoint(task, { created_at: g.at(47.75) })
    expect(sinceAt(task)).toEqual({ ms: 15 * MINUTE_MS, severity: "healthy" })
    expect(sinceAt(other)).toEqual({ ms: 60 * MINUTE_MS, severity: "warm" })
  })
})

const WIDE = { width: 80, limit: 100 }

function auth() {
  const g = graphOf()
  const plan = g.plan("User authentication")
  const schema = g.phase(plan, "Schema", { status: "completed", order: 1 })
  const api = g.phase(plan, "API", { order: 2 })
  g.task(schema, "Migrate the users table", { status: "completed" })
  g.task(schema, "Keep the old table", { status: "invalidated" })
  const login = g.task(api, "Build POST /login with tokens that expire", {
    status: "active",
    created_at: g.at(0.6),
  })
  g.task(api, "Build POST /logout", { status: "blocked", created_at: g.at(4) })
  g.task(api, "Try passport", { status: "failed", created_at: g.at(4) })
  g.task(api, "Write docs", { created_at: g.at(4.1) })
  g.task(api, "Hash with argon2", { parent_task_id: login.id, status: "review", created_at: g.at(0.7) })
  const other = g.plan("Dashboard", { status: "draft", created_at: g.at(5) })
  const data = g.phase(other, "Data", { status: "planned", created_at: g.at(5) })
  for (let n = 1; n <= 5; n++) g.task(data, `Feed ${n}`, { created_at: g.at(5) })
  return { g, plan, api, login, head: g.head("x", plan, api, login) }
}

describe("the tree as text", () => {
  it("shows marks, ids, stamps, long gaps and the read-head, within 80 columns", () => {
    const { g, head } = auth()
    expect(renderTree(treeOf(g.state, head), WIDE).join("\n")).toMatchInlineSnapshot(`
      "[>] User authentication  00000001
      ├── [x] Schema  00000002
      │   ├── [x] Migrate the users table  00000004
      │   └── [-] Keep the old table  invalidated  00000005
      └── [>] API  00000003
          ├── [>] Build POST /login with tokens that expire  ◀ here  00000006  +36 min
          │   └── [>] Hash with argon2  review  0000000a
          ├── [ ] Build POST /logout  blocked  00000007  +3 h stale
          ├── [!] Try passport  failed  00000008
          └── [ ] Write docs  00000009
      [ ] Dashboard  draft  0000000b
      └── [ ] Data  0000000c
          ├── [ ] Feed 1  0000000d
          ├── [ ] Feed 2  0000000e
          ├── [ ] Feed 3  0000000f
          ├── [ ] Feed 4  00000010
          └── [ ] Feed 5  00000011"
    `)
  })

  it("counts nodes far from the read-head instead of showing them, finished work first", () => {
    const { g, head } = auth()
    expect(renderTree(treeOf(g.state, head), { width: 80, limit: 9 }).join("\n")).toMatchInlineSnapshot(`
      "[>] User authentication  00000001
      ├── [x] Schema  … 2 tasks, 0 open  00000002
      └── [>] API  00000003
          ├── [>] Build POST /login with tokens that expire  ◀ here  00000006  +36 min
          │   └── [>] Hash with argon2  review  0000000a
          ├── [ ] Build POST /logout  blocked  00000007  +3 h stale
          ├── [ ] Write docs  00000009
          └── … 1 more task, 0 open
      [ ] Dashboard  draft  0000000b
      └── [ ] Data  … 5 tasks, 5 open  0000000c"
    `)
    expect(renderTree(treeOf(g.state, head), { width: 80, limit: 3 }).join("\n")).toMatchInlineSnapshot(`
      "[>] User authentication  00000001
      ├── [>] API  00000003
      │   ├── [>] Build POST /login with tokens that expire  ◀ here  00000006  +36 min
      │   │   └── … 1 more task, 1 open
      │   └── … 3 more tasks, 2 open
      └── … 1 more phase: 2 tasks, 0 open
      … 1 more plan: 5 tasks, 5 open"
    `)
    expect(renderTree(treeOf(g.state, undefined), { width: 80, limit: 0 })).toEqual([
      "… 2 more plans: 12 tasks, 9 open",
    ])
  })

  it("keeps the width with deep sub-tasks: remarks are dropped before the title and the cursor", () => {
    const g = graphOf()
    const plan = g.plan("Deep")
    const phase = g.phase(plan, "Down")
    let task = g.task(phase, "Level 0 of a task with a long title")
    for (let n = 1; n < 14; n++)
      task = g.task(phase, `Level ${n} of a task with a long title`, { parent_task_id: task.id })
    const lines = renderTree(treeOf(g.state, g.head("x", plan, phase, task)), { width: 60, limit: 50 })
    expect(lines).toHaveLength(16)
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60)
    expect(lines.at(-1)).toMatch(/Level 13.*◀ here/)
    expect(lines.filter((line) => line.includes("◀ here"))).toHaveLength(1)
  })
})
