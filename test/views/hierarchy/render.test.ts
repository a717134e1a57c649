import { describe, expect, it, test } from "vitest"
import { columnsOf, fitColumns } from "../../../src/views/hierarchy/columns.ts"
import { renderTree } from "../../../src/views/hierarchy/render.ts"
import { treeOf } from "../../../src/views/hierarchy/tree.ts"
import { graphOf } from "../../support/graph.ts"

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
      "[>] User authentication  00000001  301411022026
      ├── [x] Schema  00000002  301411022026
      │   ├── [x] Migrate the users table  00000004  301411022026
      │   └── [-] Keep the old table  invalidated  00000005  301411022026
      └── [>] API  00000003  301411022026
          ├── [>] Build POST /login with tok…  ◀ here  00000006  301411022026  +36 min
          │   └── [>] Hash with argon2  review  0000000a  301411022026
          ├── [ ] Build POST /logout  blocked  00000007  301411022026  +3 h stale
          ├── [!] Try passport  failed  00000008  301411022026
          └── [ ] Write docs  00000009  301411022026
      [ ] Dashboard  draft  0000000b  301411022026
      └── [ ] Data  0000000c  301411022026
          ├── [ ] Feed 1  0000000d  301411022026
          ├── [ ] Feed 2  0000000e  301411022026
          ├── [ ] Feed 3  0000000f  301411022026
          ├── [ ] Feed 4  00000010  301411022026
          └── [ ] Feed 5  00000011  301411022026"
    `)
  })

  it("cuts what is far from the read-head, finished work before open work, and counts it", () => {
    const { g, head } = auth()
    expect(renderTree(treeOf(g.state, head), { width: 80, limit: 9 }).join("\n")).toMatchInlineSnapshot(`
      "[>] User authentication  00000001  301411022026
      ├── [x] Schema  … 2 tasks, 0 open  00000002  301411022026
      └── [>] API  00000003  301411022026
          ├── [>] Build POST /login with tok…  ◀ here  00000006  301411022026  +36 min
          │   └── [>] Hash with argon2  review  0000000a  301411022026
          ├── [ ] Build POST /logout  blocked  00000007  301411022026  +3 h stale
          ├── [ ] Write docs  00000009  301411022026
          └── … 1 more task, 0 open
      [ ] Dashboard  draft  0000000b  301411022026
      └── [ ] Data  … 5 tasks, 5 open  0000000c  301411022026"
    `)
    expect(renderTree(treeOf(g.state, head), { width: 80, limit: 3 }).join("\n")).toMatchInlineSnapshot(`
      "[>] User authentication  00000001  301411022026
      ├── [>] API  00000003  301411022026
      │   ├── [>] Build POST /login with tok…  ◀ here  00000006  301411022026  +36 min
      │   │   └── … 1 more task, 1 open
      │   └── … 3 more tasks, 2 open
      └── … 1 more phase: 2 tasks, 0 open
      … 1 more plan: 5 tasks, 5 open"
    `)
    expect(renderTree(treeOf(g.state, undefined), { width: 80, limit: 0 })).toEqual([
      "… 2 more plans: 12 tasks, 9 open",
    ])
  })

  it("stored text stays on its line and cannot steer a terminal", () => {
    const g = graphOf()
    g.plan("Two\nlines \u001b[2J\u0007 and \u202eback\u200b wards")
    expect(renderTree(treeOf(g.state, undefined), WIDE)).toEqual([
      "[>] Two lines [2J and back wards  00000001  301411022026",
    ])
  })

  it("sub-tasks of sub-tasks stay within the width; remarks give way to the title, the place never does", () => {
    const g = graphOf()
    const plan = g.plan("Deep")
    const phase = g.phase(plan, "Down")
    let task = g.task(phase, "Level 0 of a task with a long title")
    for (let n = 1; n < 14; n++)
      task = g.task(phase, `Level ${n} of a task with a long title`, { parent_task_id: task.id })
    const lines = renderTree(treeOf(g.state, g.head("x", plan, phase, task)), { width: 60, limit: 50 })
    expect(lines).toHaveLength(16)
    for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(60)
    expect(lines.at(-1)).toMatch(/Level 13.*◀ here/)
    expect(lines.filter((line) => line.includes("◀ here"))).toHaveLength(1)
  })

  it("an empty graph has no lines", () => {
    expect(renderTree(treeOf(graphOf().state, undefined), WIDE)).toEqual([])
  })
})

test.each([
  ["plain", 5],
  ["登录页面", 8],
  ["e\u0301", 1],
  ["🚀 go", 5],
])("%s takes %d columns", (text, columns) => {
  expect(columnsOf(text)).toBe(columns)
  expect(fitColumns(text, columns)).toBe(text)
  expect(columnsOf(fitColumns(`${text}${text}${text}`, columns))).toBeLessThanOrEqual(columns)
})
