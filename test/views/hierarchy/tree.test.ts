import { describe, expect, it } from "vitest"
import { inboxOf } from "../../../src/graph/inbox.ts"
import { type TreeNode, treeOf } from "../../../src/views/hierarchy/tree.ts"
import { defined } from "../../support/defined.ts"
import { graphOf } from "../../support/graph.ts"

/** `Title > Child > …`, one per node, in the order of the tree. */
function lines(nodes: TreeNode[], above = ""): string[] {
  return nodes.flatMap((node) => {
    const own = `${above}${node.title}${node.isCursor ? " (here)" : ""}`
    return [own, ...lines(node.children, `${above}${node.title} > `)]
  })
}

describe("the tree", () => {
  it("holds plans by age, phases in their order, tasks by age and sub-tasks below their task", () => {
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

  it("shows the inbox last, and only where something is in it or the read-head is there", () => {
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

  it("has the cursor at the task at hand, else the phase, else the plan, else nowhere", () => {
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

  it("stays shallow where every one of 10,000 tasks is a part of the one before", () => {
    const g = graphOf()
    const plan = g.plan("Auth")
    const phase = g.phase(plan, "API")
    let above: string | null = null
    for (let n = 0; n < 10_000; n++) above = g.task(phase, `Part ${n}`, { parent_task_id: above }).id
    const { roots } = treeOf(g.state, undefined)
    expect(roots[0]).toMatchObject({ tasks: 10_000, open: 10_000 })
    const depthOf = (node: TreeNode): number => 1 + Math.max(0, ...node.children.map(depthOf))
    expect(depthOf(defined(roots[0]))).toBe(2 + 51)
  })

  it("shows tasks in a circle, without a phase or without a plan once each, where they still have a home", () => {
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
