import { describe, expect, it } from "vitest"
import { packDelta } from "../../../src/context/pack/delta.ts"
import { pack } from "../../../src/context/pack/pack.ts"
import type { Conflict } from "../../../src/schemas/conflict.ts"
import { graphOf } from "../../support/graph.ts"
import { T0, uuid } from "../../support/records.ts"
import { knownOf } from "../at-work.ts"

// One file per scene: what the model reads. To change them on purpose: npx vitest run --project unit -u golden
const golden = (name: string) => `golden/${name}.xml`
const options = { now: T0 + 3_600_000, budget: 4000, stamp: "301411022026", more: "ask for more" }

function midTask() {
  const g = graphOf()
  const plan = g.plan("User authentication", { acceptance: ["users can log in", "tokens expire"] })
  const schema = g.phase(plan, "Schema")
  const api = g.phase(plan, "API")
  const migrate = g.task(schema, "Migrate the users table", { status: "completed" })
  const login = g.task(api, "Build POST /login", {
    status: "active",
    expected_output: "a route that returns a token for a right password, and 401 else",
    depends_on: [migrate.id],
    verify: "npm test -- login",
    file: "src/auth/login.ts",
    line: 12,
    file_locks: ["src/auth/login.ts"],
    assigned_to: "hive-executor",
  })
  const logout = g.task(api, "Build POST /logout", { status: "blocked", depends_on: [login.id] })
  g.task(api, "Write docs for the API", { ahead: true })
  const sub = g.task(api, "Hash with argon2", { type: "sub", parent_task_id: login.id })
  const head = g.head("Add a login page", plan, api, login)
  const jose = g.mem("Tokens are JWTs, signed with jose", {
    origin_task_id: login.id,
    kind: "decision",
    resolved: true,
  })
  g.mem("The users table has a citext email", { origin_task_id: migrate.id, kind: "fact" })
  g.mem("bcrypt is slow in CI", { evidence: ["src/auth/login.ts"] })
  g.mem("Which expiry: 15 minutes or an hour?", {
    kind: "decision",
    resolved: false,
    origin_task_id: login.id,
  })
  g.anchor("DB", "Postgres 16 on Neon", { priority: "critical" })
  g.anchor("STYLE", "No semicolons", { priority: "low" })
  g.delegation(sub, "hive-executor")
  return { g, plan, api, login, logout, head, jose }
}

describe("what the model reads", () => {
  it("empty project", async () => {
    const g = graphOf()
    await expect(pack(g.state, undefined, options).xml).toMatchFileSnapshot(golden("empty-project"))
  })

  it("fresh plan", async () => {
    const g = graphOf()
    const plan = g.plan("Ship the dashboard", { status: "draft", acceptance: ["it loads in a second"] })
    const phase = g.phase(plan, "Data", { status: "planned" })
    const first = g.task(phase, "Define the feed")
    g.task(phase, "Serve the feed", { status: "blocked", depends_on: [first.id] })
    await expect(pack(g.state, g.head("Ship the dashboard", plan, phase), options).xml).toMatchFileSnapshot(
      golden("fresh-plan"),
    )
  })

  it("open plans, and no read-head", async () => {
    const g = graphOf()
    const old = g.plan("Billing", { acceptance: ["invoices are sent"], updated_at: g.at(1) })
    g.task(g.phase(old, "Data"), "Number the invoices", { updated_at: g.at(2) })
    const worked = g.plan("User authentication", { updated_at: g.at(1) })
    const api = g.phase(worked, "API")
    const login = g.task(api, "Build POST /login", { status: "active", updated_at: g.at(5) })
    g.task(api, "Build POST /logout", { status: "blocked", depends_on: [login.id], updated_at: g.at(2) })
    g.task(api, "Write docs for the API", { updated_at: g.at(2) })
    g.plan("Unplanned work", { purpose: "unplanned", updated_at: g.at(9) })
    g.plan("Old shop", { status: "archived", updated_at: g.at(9) })
    await expect(pack(g.state, undefined, options).xml).toMatchFileSnapshot(golden("open-plans"))
  })

  it("mid-task", async () => {
    const { g, head } = midTask()
    await expect(pack(g.state, head, options).xml).toMatchFileSnapshot(golden("mid-task"))
  })

  it("false paths", async () => {
    const { g, head, login } = midTask()
    g.mem("Sign tokens with passport-jwt", {
      kind: "false_path",
      reason: "it pulls in sessions and breaks the edge runtime",
      origin_task_id: login.id,
    })
    g.mem("Store tokens in localStorage", { kind: "false_path", reason: "security review refused it" })
    const packed = pack(g.state, head, options)
    expect(
      packed.items
        .filter((item) => item.section === "mems")
        .map((item) => item.text)
        .join(),
    ).not.toContain("passport")
    await expect(packed.xml).toMatchFileSnapshot(golden("false-paths"))
  })

  it("tight budget", async () => {
    const { g, head, login } = midTask()
    for (let n = 0; n < 20; n++) {
      g.mem(`Finding ${n}: ${"the reason is a long story that goes on and on ".repeat(6)}`, {
        origin_task_id: login.id,
      })
    }
    const packed = pack(g.state, head, { ...options, budget: 700 })
    expect(packed.tokens).toBeLessThanOrEqual(700)
    await expect(packed.xml).toMatchFileSnapshot(golden("tight-budget"))
  })

  it("a subagent's block is scoped to its task, and smaller", async () => {
    const { g, head } = midTask()
    const whole = pack(g.state, head, options)
    const scoped = pack(g.state, head, { ...options, isScoped: true })
    expect(scoped.tokens).toBeLessThan(whole.tokens)
    await expect(scoped.xml).toMatchFileSnapshot(golden("subagent"))
  })

  it("conflicts between clones: the oldest three with the call that settles one, the others counted", async () => {
    const { g, head, api, login, logout } = midTask()
    const audit = g.task(api, "Audit the routes")
    const side = (fields: Record<string, unknown>) => ({ fields, writer: null })
    const kept = side({ status: "active" })
    const lost = side({ status: "failed", reason: "it broke" })
    for (const n of [1, 2, 3, 4])
      g.conflict(login, { kept, lost, created_at: g.at(n), status: n === 4 ? "noted" : "open" })
    g.conflict(logout, {
      rule: "circle",
      kept: side({ depends_on: [login.id] }),
      lost: side({ depends_on: [login.id, audit.id] }),
      created_at: g.at(0),
    })
    g.conflict(login, {
      rule: "dropped",
      record_id: uuid(999),
      lost: side({ title: "Gone" }),
      created_at: g.at(5),
    })
    const packed = pack(g.state, head, options)
    await expect(packed.xml).toMatchFileSnapshot(golden("conflicts"))
    expect(pack(g.state, head, { ...options, isScoped: true }).xml).not.toContain("<conflict")
    const first = [...g.state.conflict.values()][0] as Conflict
    g.state.conflict.set(first.id, { ...first, status: "settled" })
    await expect(packDelta(g.state, head, knownOf(packed), options).xml).toMatchFileSnapshot(
      golden("conflicts-delta"),
    )
  })

  it("post-compaction: a keyframe holds what earlier keyframe and deltas said together", async () => {
    const { g, head, login, logout } = midTask()
    const first = pack(g.state, head, options)
    g.state.task.set(login.id, { ...login, status: "completed" })
    g.state.task.set(logout.id, { ...logout, status: "active" })
    g.mem("Login works", { origin_task_id: login.id })
    const moved = { ...head, active_task_ids: [logout.id] }
    const delta = packDelta(g.state, moved, knownOf(first), options)
    await expect(delta.xml).toMatchFileSnapshot(golden("delta"))
    await expect(pack(g.state, moved, options).xml).toMatchFileSnapshot(golden("post-compaction"))
  })
})
