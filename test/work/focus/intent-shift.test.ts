import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { addAgentsAndCommands } from "../../../src/hosts/opencode/agents.ts"
import { runToEnd } from "../../../src/shared/slices.ts"
import { findShift } from "../../../src/work/focus/intent-shift.ts"
import { graphOf } from "../../support/graph.ts"
import { REMARKS, REQUESTS, TRACKER_REMARKS, TRACKER_REQUESTS } from "./messages.ts"

function shop() {
  const g = graphOf()
  const plan = g.plan("Shop")
  const backend = g.phase(plan, "Backend")
  const frontend = g.phase(plan, "Frontend pages")
  const german = g.phase(plan, "Kundenbereich")
  const orders = g.task(backend, "Build the orders API", { status: "active" })
  const tasks: Record<string, { id: string }> = {
    checkout: g.task(frontend, "Fix the UI of the checkout page"),
    cart: g.task(frontend, "Fix the colours of the cart page"),
    login: g.task(frontend, "Add login with GitHub"),
    logout: g.task(frontend, "Fix the logout button"),
    search: g.task(frontend, "Search with filters and paging"),
    invoice: g.task(backend, "Rewrite the invoice printer"),
    payments: g.task(backend, "Handle failed payments"),
    migration: g.task(backend, "Migrate the database to Postgres 16"),
    readme: g.task(backend, "Write the README"),
    billing: g.task(german, "Rechnungsversand per E-Mail bauen"),
    signin: g.task(german, "Anmeldeseite überarbeiten"),
  }
  g.task(backend, "Tune the cache", { status: "review" })
  g.task(backend, "Rename the tables", { status: "completed" })
  const head = g.head("Ship", plan, backend, orders)
  return { tasks, frontend, target: (text: string) => runToEnd(findShift(g.state, head, text)) }
}

function tracker() {
  const g = graphOf()
  const plan = g.plan("Tracker")
  const core = g.phase(plan, "Core")
  const mobile = g.phase(plan, "Mobile app")
  const here = g.task(core, "Add rate limiting to the public API", { status: "active" })
  const tasks: Record<string, { id: string }> = {
    sync: g.task(mobile, "Offline sync for notes"),
    push: g.task(mobile, "Push notifications on Android"),
    dark: g.task(mobile, "Dark mode"),
    onboarding: g.task(mobile, "Onboarding screens for new users"),
    export: g.task(core, "Export reports as CSV"),
    audit: g.task(core, "Audit log for admin actions"),
    oauth: g.task(core, "Replace the OAuth library"),
    flaky: g.task(core, "Stabilise the flaky upload tests"),
    backup: g.task(core, "Nightly backups of the database"),
  }
  const head = g.head("Ship", plan, core, here)
  return { tasks, target: (text: string) => runToEnd(findShift(g.state, head, text)) }
}

const { tasks, frontend, target } = shop()
const projects = [
  { name: "shop", ...shop(), requests: REQUESTS, remarks: REMARKS },
  { name: "tracker", ...tracker(), requests: TRACKER_REQUESTS, remarks: TRACKER_REMARKS },
]

it.each(projects)("at least 40 requests in the $name move the read-head to the task they name", (project) => {
  expect(project.requests.length).toBeGreaterThanOrEqual(40)
  const missed = project.requests.filter(
    ([text, name]) => project.target(text)?.id !== project.tasks[name]?.id,
  )
  expect(missed.map(([text, name]) => `${text} → ${project.target(text)?.title}, not ${name}`)).toEqual([])
})

it.each(projects)("at least 40 remarks in the $name move nothing", (project) => {
  expect(project.remarks.length).toBeGreaterThanOrEqual(40)
  const moved = project.remarks.filter((text) => project.target(text) !== undefined)
  expect(moved.map((text) => `${text} → ${project.target(text)?.title}`)).toEqual([])
})

it("a request is one also in the middle of a longer message", () => {
  const around = (text: string) =>
    `The build is green and I have looked at it.\n\n${text}\n\nThe API can wait.`
  const missed = REQUESTS.filter(([text, name]) => target(around(text))?.id !== tasks[name]?.id)
  expect(missed.map(([text]) => text)).toEqual([])
})

it("what is not open, not clear or there already moves nothing", () => {
  expect(target("Actually, switch to the frontend pages")?.id).toBe(frontend.id)
  for (const text of [
    "Fix the checkout UI page",
    "Wait, fix the page first",
    "Let's do the orders API first",
    "Wait, rename the tables first",
    "Switch to the cache",
    "Switch to something else",
    "wait",
    "",
  ])
    expect(target(text)?.title, text).toBeUndefined()
})

it("the templates of our own commands move nothing, whatever their arguments ask for", () => {
  const config: Parameters<typeof addAgentsAndCommands>[0] = {}
  addAgentsAndCommands(config)
  const templates = Object.values(config.command ?? {}).map(({ template }) => template)
  expect(templates.length).toBeGreaterThanOrEqual(3)
  for (const template of templates)
    for (const [text] of REQUESTS) expect(target(template.replace("$ARGUMENTS", text))).toBeUndefined()
})

it("pages of prose that nobody wrote to us move nothing", () => {
  for (const file of ["README.md", "CHANGELOG.md", "AGENTS.md", "docs/gate.md", "docs/packing.md"]) {
    const text = readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8")
    for (const paragraph of text.split("\n\n")) expect(target(paragraph)?.title, paragraph).toBeUndefined()
  }
})
