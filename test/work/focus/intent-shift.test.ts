import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { addAgentsAndCommands } from "../../../src/hosts/opencode/agents.ts"
import { runToEnd } from "../../../src/shared/slices.ts"
import { findShift } from "../../../src/work/focus/intent-shift.ts"
import { requestsIn } from "../../../src/work/focus/requests.ts"
import { graphOf } from "../../support/graph.ts"
import { apiary } from "./apiary.ts"
import { bakery } from "./bakery.ts"
import { festival } from "./festival.ts"
import { FRESH_REMARKS, FRESH_REQUESTS } from "./fresh.ts"
import { harbour } from "./harbour.ts"
import { LAST_REMARKS, LAST_REQUESTS } from "./last.ts"
import { library } from "./library.ts"
import { REMARKS, REQUESTS, TRACKER_REMARKS, TRACKER_REQUESTS } from "./messages.ts"
import { PROJECTS } from "./projects.ts"
import { UNSEEN_REMARKS, UNSEEN_REQUESTS } from "./unseen.ts"

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

function magazine() {
  const g = graphOf()
  const plan = g.plan("Magazine")
  const site = g.phase(plan, "Site")
  const operations = g.phase(plan, "Operations")
  const here = g.task(site, "Rework the article list", { status: "active" })
  const tasks: Record<string, { id: string }> = {
    upload: g.task(site, "Speed up image uploads"),
    captcha: g.task(site, "Add a captcha to the contact form"),
    sitemap: g.task(site, "Generate the sitemap"),
    editor: g.task(site, "Markdown editor with preview"),
    comments: g.task(site, "Moderation queue for comments"),
    i18n: g.task(site, "Translate the settings page"),
    webhooks: g.task(operations, "Retry failed webhooks"),
    ci: g.task(operations, "Fix the broken CI pipeline"),
    pool: g.task(operations, "Database connection pool leaks"),
    docker: g.task(operations, "Shrink the Docker image"),
    index: g.task(operations, "Suchindex neu aufbauen"),
    newsletter: g.task(site, "Nieuwsbrief versturen"),
    invoices: g.task(operations, "Export des factures en PDF"),
    finder: g.task(site, "Arreglar el buscador de productos"),
    signin: g.task(site, "修复登录页面"),
  }
  const head = g.head("Ship", plan, site, here)
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

// How many are missed of wording that the rules were not made for says more: before each set was looked at, they missed 44 of
// 60, 25 of 40 and 10 of 30, and moved at 3, 1 and 0 remarks.
it.each([
  { set: "unseen", requests: UNSEEN_REQUESTS, remarks: UNSEEN_REMARKS, count: 60, missable: 0 },
  { set: "fresh", requests: FRESH_REQUESTS, remarks: FRESH_REMARKS, count: 40, missable: 0 },
  { set: "last", requests: LAST_REQUESTS, remarks: LAST_REMARKS, count: 30, missable: 5 },
])(
  "of $count $set requests at most $missable are missed, and of as many remarks none moves the head",
  (each) => {
    const { tasks: meant, target: found } = magazine()
    expect([each.requests.length, each.remarks.length]).toEqual([each.count, each.count])
    const missed = each.requests.filter(([text, name]) => found(text)?.id !== meant[name]?.id)
    expect(missed.length, missed.map(([text]) => text).join("\n")).toBeLessThanOrEqual(each.missable)
    expect(missed.filter(([text]) => found(text) !== undefined)).toEqual([])
    expect(each.remarks.filter((text) => found(text) !== undefined)).toEqual([])
  },
)

// Before each set was looked at, the rules missed 19 of 40, 13, 21, 12, 13, 19 and 7 of 30, and moved at 0, 0, 0, 1, 0, 2 and 0;
// of library, harbour and bakery 16, 9 and 8 of 40 (of the 30 plain ones in each 6, 3 and 3), and moved at 0, 0 and 2 of 40; of
// the festival 13 of 40 (4 of the 30 plain ones, three for a word that was not known again), of the apiary 4 of 20, and moved at none.
it.each([...PROJECTS, library, harbour, bakery, festival, apiary])(
  "in the $name, no remark moves the head and no request moves it elsewhere; $missed are missed",
  (each) => {
    const g = graphOf()
    const plan = g.plan("Plan")
    const phase = g.phase(plan, "Phase")
    const here = g.task(phase, each.here, { status: "active" })
    const ids = new Map(Object.entries(each.tasks).map(([name, title]) => [name, g.task(phase, title).id]))
    const head = g.head("Ship", plan, phase, here)
    const found = (text: string) => runToEnd(findShift(g.state, head, text))
    expect(Math.min(each.requests.length, each.remarks.length)).toBeGreaterThanOrEqual(20)
    expect(each.remarks.filter((text) => found(text) !== undefined)).toEqual([])
    const missed = each.requests.filter(([text, name]) => found(text)?.id !== ids.get(name))
    expect(missed.filter(([text]) => found(text) !== undefined)).toEqual([])
    expect(missed.length, missed.map(([text]) => text).join("\n")).toBeLessThanOrEqual(each.missed)
  },
)

// All of these moved it once: what is run, refused, blamed or told of in passing is no work that is asked for.
it.each([
  "do the nightly backups run at all",
  "start the dev server",
  "ignore the warning, the csv parser is broken upstream anyway",
  "skip the failing test, the dev server is down",
  "drop the orders index, customers complain about the checkout page being slow because of it",
  "forget it, they keep asking for offline sync but no",
  "the CSV parser must be called first",
  "The invoice has to be printed now, it works",
])("does not move for: %s", (text) => {
  const g = graphOf()
  const plan = g.plan("Plan")
  const phase = g.phase(plan, "Phase")
  const here = g.task(phase, "Login form", { status: "active" })
  for (const title of [
    "Nightly backups",
    "Dev server with hot reload",
    "CSV parser",
    "Orders index",
    "Checkout page",
    "Offline sync",
    "Print the invoice",
  ])
    g.task(phase, title)
  expect(runToEnd(findShift(g.state, g.head("Ship", plan, phase, here), text))).toBeUndefined()
})

// bench/scaling measures that a long message takes no longer than a short one.
it.each(["word ", " ", "\n", "first do the login, ", "> a\n", "先做登录，"])(
  "finds the request behind 160,000 characters of %j, and none in them",
  (piece) => {
    const pasted = piece.repeat(160_000 / piece.length)
    expect(requestsIn(pasted)).toEqual([])
    expect(requestsIn(`${pasted}\nok, switch to the login first`)).toEqual([
      { text: "the login first", isName: false },
    ])
  },
)

it("a request at the end of a long message counts, and what was pasted before it does not", () => {
  const pasted = "2026-02-11 14:30:01 INFO the worker has started\n".repeat(400)
  expect(target(`${pasted}\nok, switch to the login first`)?.id).toBe(tasks["login"]?.id)
  expect(target(`Look at this:\n${pasted}`)).toBeUndefined()
})

/** Plans of a team, what other people do, and where something is to stand; and beside each the request that sounds like it. */
describe("of a plan, of what others do and of a layout", () => {
  const g = graphOf()
  const plan = g.plan("Plan")
  const phase = g.phase(plan, "Phase")
  const here = g.task(phase, "Sort the sample list", { status: "active" })
  const titles = {
    keycloak: "Single login by Keycloak",
    labels: "Label printer for vials",
    centrifuge: "Centrifuge schedule",
    freezer: "Freezer alarm by text message",
    archive: "Archive of old reports",
  }
  const ids = new Map(Object.entries(titles).map(([name, title]) => [name, g.task(phase, title).id]))
  const head = g.head("Ship", plan, phase, here)
  const found = (text: string) => runToEnd(findShift(g.state, head, text))

  it.each([
    "we'll move to Keycloak in autumn",
    "We will switch to the label printer in two weeks",
    "we're switching to Keycloak on Monday",
    "We are moving to Keycloak next quarter",
    "We're going to build the label printer with Zebra instead",
    "we'll do the archive of old reports with S3",
    "wir werden nächstes Jahr zu Keycloak wechseln",
    "Nurses start with the centrifuge schedule first",
    "most people go to the freezer alarm first",
    "The students open the centrifuge schedule first",
    "On the start page, put the freezer alarm first",
    "In the menu, the centrifuge schedule first",
    "In the sidebar, start with the label printer",
    "in each mail, please put the freezer alarm first",
    "In the report, have the freezer alarm first and then the rest",
  ])("nothing moves for: %s", (text) => {
    expect(found(text)?.title).toBeUndefined()
  })

  it.each([
    ["we'll do the label printer now", "labels"],
    ["we're going to fix the freezer alarm first", "freezer"],
    ["We're switching to the centrifuge schedule", "centrifuge"],
    ["leave the list, we'll build the label printer", "labels"],
    ["we'll need the label printer first", "labels"],
    ["Put the freezer alarm first", "freezer"],
    ["In the meantime, do the centrifuge schedule first", "centrifuge"],
    ["On second thought, switch to the label printer", "labels"],
    ["The archive of all the old reports first", "archive"],
    ["Hold off on the list and finish the freezer alarm", "freezer"],
    ["next up: freezer alarms", "freezer"],
    ["Park the list, the label printer is more urgent", "labels"],
  ])("it moves for: %s", (text, name) => {
    expect(found(text)?.id).toBe(ids.get(name))
  })
})
