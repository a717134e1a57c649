import { spawn } from "node:child_process"
import { once } from "node:events"
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { expect, it, onTestFinished } from "vitest"
import { openHive } from "../../src/api.ts"
import type {
  ContextView,
  MemoryView,
  NowView,
  PlanView,
  TimelineView,
} from "../../src/dashboard/answers/model.ts"
import type { Dashboard } from "../../src/dashboard/serve.ts"
import { openHiveIn } from "../../src/hive/open.ts"
import { enqueue } from "../../src/queue/queue.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { countEvent } from "../../src/watch/count-event.ts"
import { aPlan } from "../support/records.ts"
import { aCall } from "../support/session-metrics.ts"
import { addressOf, ask, cookieOf, OPEN, served } from "./served.ts"

const SAVE = { do: "save_mem", content: "Amounts are whole cents" } as const

it("an invitation opens the page once, disappears from the address, and sets a cookie that scripts cannot read", async () => {
  const { dashboard, invitation } = await served()
  // A browser may ask ahead of time; that does not count.
  expect((await ask(dashboard, invitation.path, { "sec-purpose": "prefetch" })).status).toBe(503)
  const entered = await ask(dashboard, invitation.path)
  expect(entered).toMatchObject({
    status: 303,
    headers: { location: expect.stringMatching(/^\/v\/[\w-]{22}\/$/) },
  })
  expect(entered.headers["set-cookie"]).toEqual([
    expect.stringMatching(/^hivemind-\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/v\/[\w-]{22}\/$/),
  ])
  expect((await ask(dashboard, invitation.path)).status).toBe(403)
  const cookie = cookieOf(entered.headers)
  // Nothing lies where another server could get the cookie.
  expect((await ask(dashboard, "/", { cookie })).status).toBe(404)
  const page = await ask(dashboard, dashboard.base, { cookie })
  expect(page).toMatchObject({ status: 200, body: expect.stringContaining("./page.js") })
  expect(page.headers["content-security-policy"]).toMatch(
    /default-src 'none'; script-src 'self'; style-src 'self';/,
  )
})

it("the first page is told of past sessions that could be imported, as long as there are some", async () => {
  let offer: string | null = "3 past sessions are on this machine."
  const { get } = await served(undefined, async () => offer)
  const told = async () => ((await get("/api/now")) as NowView).past_sessions
  expect(await told()).toBe(offer)
  offer = null
  expect(await told()).toBeNull()
})

it("no other request is answered: no cookie, a wrong one, another host, another origin, another site, an old invitation", async () => {
  let now = 0
  const { dashboard, cookie, project } = await served(() => now)
  expect((await ask(dashboard, "/api/now", { cookie })).status).toBe(200)
  const refused: Record<string, string>[] = [
    {},
    { cookie: `hivemind-${dashboard.port}=wrong` },
    { cookie, host: "evil.example" },
    { cookie, host: `evil.example:${dashboard.port}` },
    { cookie, host: "127.0.0.1:1" },
    { cookie, origin: "http://evil.example" },
    { cookie, origin: "null" },
    { cookie, origin: `127.0.0.1:${dashboard.port}` },
    { cookie, origin: `https://127.0.0.1:${dashboard.port}` },
    { cookie, origin: "http://127.0.0.1:1" },
    { cookie, "sec-fetch-site": "cross-site" },
    { cookie, "sec-fetch-site": "same-site" },
  ]
  for (const headers of refused) {
    const answer = await ask(dashboard, "/api/now", headers)
    expect(answer.status, JSON.stringify(headers)).toBe(403)
    expect(answer.body).not.toContain(project)
  }
  // One that another server has added under the same name locks no user out.
  const added = `hivemind-${dashboard.port}=x; ${cookie}`
  expect((await ask(dashboard, "/api/now", { cookie: added })).status).toBe(200)
  const late = dashboard.invite().url
  now += 60 * 60_000
  expect((await ask(dashboard, addressOf(late).path)).status).toBe(403)
})

it.skipIf(process.platform !== "linux" || process.getuid?.() !== 0)(
  "an address that was on a command line opens the page for the same user only",
  async () => {
    const { dashboard } = await served()
    const entering = async (url: string, uid: number) => {
      const script = `fetch(${JSON.stringify(url)}, { redirect: "manual" }).then(({ status }) => console.log(status))`
      const asking = spawn(process.execPath, ["-e", script], {
        uid,
        cwd: "/",
        stdio: ["ignore", "pipe", "inherit"],
      })
      return Number(await text(asking.stdout))
    }
    const [told, seen] = [dashboard.invite(), dashboard.invite()]
    expect(await entering(seen.opens, 65_534)).toBe(403)
    expect(await entering(told.opens, 0)).toBe(303)
    // One that was only printed may be opened wherever it was carried to.
    expect(await entering(told.url, 65_534)).toBe(303)
  },
)

it("many idle connections keep no client out", async () => {
  const { dashboard, cookie } = await served()
  const silent = Array.from({ length: 150 }, () => connect(dashboard.port, "127.0.0.1"))
  onTestFinished(() => {
    for (const socket of silent) socket.destroy()
  })
  for (const socket of silent) socket.on("error", () => {}).write("GET / HT")
  await Promise.all(silent.map((socket) => once(socket, "connect").catch(() => {})))
  expect((await ask(dashboard, "/api/now", { cookie })).status).toBe(200)
})

it("an invitation that another site links to is forwarded by an own page, so that the cookie is sent", async () => {
  const { dashboard, invitation } = await served()
  const entered = await ask(dashboard, invitation.path, { "sec-fetch-site": "cross-site" })
  expect(entered.status).toBe(200)
  expect(entered.body).toContain(`content="0; url=${dashboard.base}"`)
  expect(cookieOf(entered.headers)).toMatch(/^hivemind-/)
})

it("answers with the current work, with search results and with the timeline", async () => {
  const { dashboard, cookie, project, get } = await served()
  const hive = await openHive(project)
  const { plan } = await hive.plans.create({
    title: "Discounts",
    acceptance: ["a code lowers the total"],
    tasks: [
      { title: "Apply", expected_output: "a" },
      { title: "Ask", expected_output: "b", depends_on: ["#0"] },
    ],
  })
  await hive.memory.save({ content: "Amounts are whole cents", kind: "decision" })
  await hive.close()

  const now: NowView = await get("/api/now")
  expect(now).toMatchObject({
    plan: { title: "Discounts", tasks: { all: 2 } },
    next: [{ title: "Apply" }],
    blocked: [{ title: "Ask" }],
  })
  const shown: PlanView = await get(`/api/plan?id=${plan.id}`)
  const [apply, second] = ["Apply", "Ask"].map(
    (title) => shown.tasks.find((task) => task.title === title)?.id,
  )
  expect(shown.edges).toEqual([{ from: apply, to: second, why: "depends_on" }])
  const memory: MemoryView = await get("/api/memory?q=cents")
  expect(memory.items).toMatchObject([{ content: "Amounts are whole cents", why: "words: cents" }])
  expect((await get("/api/memory?q=cents&shelf=elsewhere")).items).toEqual([])
  expect((await get(`/api/memory?q=cents&shelf=${memory.shelves[0]}`)).items).toHaveLength(1)
  expect(await get(`/api/mem?id=${memory.items[0]?.id}`)).toMatchObject({
    mem: { kind: "decision" },
    links: [],
  })
  const timeline: TimelineView = await get("/api/timeline")
  expect(timeline.items.map(({ changes }) => changes[0])).toContain('+ mem "Amounts are whole cents"')
  expect(await get("/api/context")).toMatchObject({ turns: [], fixed: { tokens: expect.any(Number) } })
  expect(await get("/api/health")).toMatchObject({ problems: [], conflicts: [] })
  expect(await get("/api/doctor")).toMatchObject({ checks: [{ level: "ok", found: [project] }] })
  expect((await ask(dashboard, "/api/plan?id=nonsense", { cookie })).status).toBeGreaterThanOrEqual(400)
  expect((await ask(dashboard, `${dashboard.base}../../../package.json`, { cookie })).status).toBe(404)
})

it("a missing folder is not shown as an empty project", async () => {
  const { dashboard, cookie, project } = await served()
  rmSync(project, { recursive: true })
  for (const path of ["/api/memory", "/api/health"]) {
    const { status, body } = await ask(dashboard, path, { cookie })
    expect({ status, body }).toEqual({ status: 404, body: expect.stringContaining("is gone") })
  }
})

it("a person's change goes through the queue, and a refused one says why", async () => {
  const { dashboard, cookie, project, get, post } = await served()
  const saved = await post({ command: { ...SAVE, kind: "decision" } })
  expect(JSON.parse(saved.body)).toMatchObject({ state: "done" })
  const hive = await openHive(project)
  const [mem] = hive.memory.list()
  expect(mem).toMatchObject({ content: "Amounts are whole cents", kind: "decision" })
  expect((await hive.log()).at(-1)?.by).toMatchObject({ agent: "dashboard" })
  await hive.close()
  const refused = await post({ command: { do: "flag_mem", mem: "00000000", reason: "wrong" } })
  const { id, state, what } = JSON.parse(refused.body)
  expect({ state, what }).toEqual({ state: "refused", what: expect.stringContaining("00000000") })
  expect(await get(`/api/command?id=${id}`)).toMatchObject({ state: "refused" })

  expect((await ask(dashboard, "/api/command?id=unknown", { cookie })).status).toBe(404)
  expect((await post({ command: { do: "save_mem", content: "x" } }, {})).status).toBe(403)
  expect((await post({ command: { do: "rm" } })).status).toBe(400)
  expect((await post("no JSON")).status).toBe(400)
  expect((await post({ command: { do: "save_mem", content: "x".repeat(300_000) } })).status).toBe(400)
  expect((await ask(dashboard, "/api/now", { cookie, "x-hivemind": "1" }, "DELETE")).status).toBe(405)
})

it("lists a plan's tasks in the order that people gave them, and finds a session's timeline by its stamp", async () => {
  const { project, get, post } = await served()
  const hive = await openHive(project)
  const tasks = ["First", "Second", "Third"].map((title) => ({ title, expected_output: title }))
  const { plan } = await hive.plans.create({ title: "Discounts", acceptance: ["done"], tasks })
  await hive.memory.save({ content: "Amounts are whole cents" })
  await hive.close()
  const order = async () => ((await get(`/api/plan?id=${plan.id}`)) as PlanView).tasks
  const [first, , third] = await order()
  await post({ command: { do: "move_task", task: third?.id, before: first?.id } })
  expect((await order()).map(({ title }) => title)).toEqual(["Third", "First", "Second"])

  const { sessions }: ContextView = await get("/api/context")
  expect(sessions).toHaveLength(1)
  const { items }: TimelineView = await get(`/api/timeline?session=${sessions[0]?.stamp}`)
  expect(new Set(items.map(({ session }) => session))).toEqual(new Set([sessions[0]?.host_id]))
})

it("notifies pages of changes by other processes, also of changed counters", async () => {
  const { dashboard, cookie, project } = await served()
  const heard = await listening(dashboard, cookie)
  const hive = await openHive(project)
  await hive.memory.save({ content: "x" })
  await hive.close()
  await expect.poll(heard).toContain("event: change\ndata: ")
  const changes = heard().split("event: change").length
  appendFileSync(hivePaths(project).refusals, "{}\n")
  await expect.poll(() => heard().split("event: change").length).toBeGreaterThan(changes)
})

it("applies queued commands while no OpenCode runs, and tells the pages each result", async () => {
  const { dashboard, cookie, project } = await served()
  const heard = await listening(dashboard, cookie)
  const { hive } = await openHiveIn(project, OPEN)
  const saved = await enqueue(hive, "panel", SAVE)
  const flagged = await enqueue(hive, "panel", { do: "flag_mem", mem: "00000000", reason: "wrong" })
  await hive.store.close()
  await expect.poll(heard).toContain(flagged)
  const told = heard()
    .split("\n\n")
    .filter((event) => event.startsWith("event: queue"))
    .map((event) => JSON.parse(event.slice(event.indexOf("{"))))
  expect(told).toMatchObject([
    { id: saved, state: "done", what: null },
    { id: flagged, state: "refused", what: expect.stringContaining("00000000") },
  ])
})

it("the story tells that a person has acknowledged a warning", async () => {
  const { project, get, post } = await served()
  const { hive } = await openHiveIn(project, OPEN)
  const at = { session: "ses_1", agent: "build", tool: "test" }
  await hive.store.write(at, (tx) => tx.add("plan", aPlan(1)))
  for (let n = 0; n < 4; n++)
    await countEvent(hive, at, aCall({ tool: "bash", use: "run", ok: false, args: { n } }))
  await hive.store.close()
  const command = { do: "acknowledge_warning", session: "ses_1", signal: "failures" }
  expect(JSON.parse((await post({ command })).body)).toMatchObject({ state: "done" })
  const { items }: TimelineView = await get("/api/timeline")
  const text = "Acknowledged the warning “failures”"
  expect(items).toContainEqual(expect.objectContaining({ kind: "warning", agent: "dashboard", text }))
})

it("a change that cannot be written yet waits, and says why", async () => {
  const { project, post } = await served()
  // Another version of the format: nothing is written until that is mended.
  const { manifest } = hivePaths(project)
  const before = existsSync(manifest) ? readFileSync(manifest) : undefined
  writeFileSync(manifest, JSON.stringify({ format: 9999 }))
  const answer = await post({ command: SAVE })
  expect(JSON.parse(answer.body)).toMatchObject({ state: "waiting", what: expect.any(String) })
  if (before === undefined) rmSync(manifest)
  else writeFileSync(manifest, before)
})

it("refuses a malformed address, and answers a used invitation with a page that says what to do", async () => {
  const { dashboard, cookie, invitation } = await served()
  for (const path of ["//", "http://[", "/\\[::", "*", "//[/api/now"])
    expect((await ask(dashboard, path, { cookie })).status, path).toBe(400)
  await ask(dashboard, invitation.path)
  const refused = await ask(dashboard, invitation.path, { accept: "text/html,*/*" })
  expect(refused).toMatchObject({
    status: 403,
    body: expect.stringMatching(/<p>This address was used already.*<code>hivemind dashboard<\/code>/),
  })
  expect(refused.headers["content-security-policy"]).toMatch(/^default-src 'none'; style-src 'sha256-/)
})

async function listening({ port, base }: Dashboard, cookie: string): Promise<() => string> {
  let heard = ""
  const asking = request({ host: "127.0.0.1", port, path: `${base}api/events`, headers: { cookie } })
  onTestFinished(() => void asking.destroy())
  asking.on("error", () => {}) // Torn by the end of the test.
  asking.on("response", (answer) => answer.setEncoding("utf8").on("data", (text: string) => (heard += text)))
  asking.end()
  await expect.poll(() => heard).toContain("retry:")
  return () => heard
}
