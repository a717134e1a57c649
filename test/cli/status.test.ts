import { chmod, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { readableStamp } from "../../src/shared/stamp.ts"
import { FORMAT } from "../../src/store/format.ts"
import { ensureSession } from "../../src/work/session/session.ts"
import { aCheckpoint, anAnchor, aPhase, aPlan, aTask, by, uuid } from "../support/records.ts"
import { everyFile, fillProject, SESSION, withStore } from "./filled-project.ts"
import { cli, cliJson, cliProcess, shown, useSandbox } from "./harness.ts"

const box = useSandbox(async ({ project }) => {
  await writeFile(join(project, "opencode.json"), '{"plugin": ["hivemind-opencode"]}')
  return fillProject(project)
})
const status = (more = "") => shown(box, `status${more}`)
const T_OLD = "2020-01-01T00:00:00.000Z"
const hive = (path: string) => join(box.project, ".hivemind", path)

test("says where the project is, and writes nothing", async () => {
  const before = await everyFile(box.project)
  const text = (await status())
    .replace(/\d+ s ago/, "0 s ago")
    .replace(/\d+ days/, "0 days")
    .replaceAll(/ {2}[0-9a-f]{8}( |$)/gm, "  id$1")
    .replace(/ {2}\+\d+ days stale/, "")
  expect(text).toBe(
    `HiveMind in ${box.project}

intent     Add a login page
plan       Login (active)
phase      Build (active)
task       Build login (active)
sessions   ${readableStamp(box.stamp)}: Add a login page, 0 s ago
to refresh 00000000 anchor "KEY_20: value" stale for 0 days

[>] Login  id
└── [>] Build  id
    ├── [ ] Write tests  id
    └── [>] Build login  ◀ here  id

graph      1 plan (1 open), 2 tasks (1 planned, 1 active), 1 mem, 1 anchor, 1 session (1 open)
files      all in order
`,
  )
  expect(await everyFile(box.project)).toEqual(before)
})

test("--json prints the same status as JSON", async () => {
  const tests = { title: "Write tests" }
  const login = { title: "Build login", isCursor: true }
  expect(await cliJson(box, "status")).toMatchObject({
    ...{ status: "success", project: box.project, session: null },
    plan: { title: "Login", status: "active" },
    phase: { title: "Build" },
    tasks: [{ id: box.task, title: "Build login", status: "active" }],
    tree: {
      ...{ level: "plan", title: "Login", tasks: 2, open: 2, isCursor: false, summary: null },
      children: [{ title: "Build", children: [tests, login] }],
    },
    open_sessions: [{ stamp: box.stamp, host_id: SESSION, intent: "Add a login page" }],
    counts: {
      ...{ plans: 1, open_plans: 1, tasks: { active: 1, planned: 1 }, anchors: 1 },
      ...{ mems: { hot: 1, in_force: 1, archived: 0 }, sessions: 1, open_sessions: 1 },
    },
    unfolded: { entries: 6, bytes: expect.any(Number) },
    format: { version: FORMAT, note: null },
    ...{ problems: [], set_aside: [] },
  })
})

test("without a read-head, the open plans are there with their next tasks, the last worked first", async () => {
  await withStore(box.project, (store) =>
    store.write(by, (tx) => {
      tx.add("plan", aPlan(70, { title: "Older", created_at: T_OLD, updated_at: T_OLD }))
      for (const head of [...tx.all("trajectory")])
        tx.set("trajectory", head.id, { active_plan_id: null, active_phase_id: null, active_task_ids: [] })
    }),
  )
  const stdout = await status()
  expect(stdout).not.toContain("no plan yet")
  expect(stdout).toMatch(
    /plan +no current plan.*\nopen plans +\w{8} Login, 0 of 2 tasks done, last worked on .*\n +\w{8} Build login \(active\)\n/,
  )
  expect(stdout.indexOf("Login, 0 of")).toBeLessThan(stdout.indexOf("Older, 0 of"))
  expect((await cliJson(box, "status")).open_plans).toMatchObject([
    { title: "Login", next: [{ title: "Build login" }, { title: "Write tests" }] },
    { title: "Older", next: [] },
  ])
})

test("shows work without a plan as the user's request, with files and checks, not as a task", async () => {
  await withStore(box.project, (store) =>
    store.write(by, (tx) => {
      const caller = { session: "ses_quick", agent: null, tool: "test" }
      ensureSession(tx, caller, Date.now(), null)
      tx.register("ses_quick", "title", "Make the search faster")
      tx.add("plan", aPlan(71, { title: "Unplanned work", purpose: "unplanned" }))
      tx.add("phase", aPhase(72, 71, { inbox: true }))
      const inbox = { title: "Unplanned: perf.js", purpose: "unplanned", status: "active" } as const
      tx.add("task", aTask(73, 71, 72, { ...inbox, assigned_session_id: "ses_quick" }))
      tx.add("checkpoint", aCheckpoint(74, 73, { files: ["perf.js"] }))
      tx.add("checkpoint", aCheckpoint(75, 73, { files: [], command: "npm test", did: ["test"] }))
    }),
  )
  const stdout = await status()
  // Bookkeeping is not counted as work.
  expect(stdout).toMatch(/graph +1 plan \(1 open\), 2 tasks \(1 planned, 1 active\),/)
  expect(stdout).toMatch(/unplanned +Make the search faster, .* ago\n +perf\.js; npm test passed\n/)
  for (const command of ["status", "plans", "tasks"])
    expect(await shown(box, command)).not.toMatch(/Unplanned/)
})

test("--session shows that session's own place and intent, by stamp, host id or id", async () => {
  const stdout = await status(` --session ${box.stamp}`)
  const place = `session    of ${readableStamp(box.stamp)} (active, plan_driven)\nintent     Add a login page\nplan `
  expect(stdout).toContain(place)
  const { session } = await cliJson(box, `status --session ${SESSION}`)
  expect(session).toMatchObject({ stamp: box.stamp })
  await status(` --session ${session.id}`)
  expect(await shown(box, ["status", "--session", readableStamp(box.stamp)])).toBe(stdout)
  expect((await cli(box, "status --session nobody")).code).toBe(1)
})

test("shows the tree of the current plan in 80 columns, and cuts a long one", async () => {
  await withStore(box.project, async (store) => {
    const { parent_plan_id = "", parent_phase_id = "" } = store.read().state.task.get(box.task) ?? {}
    await store.write(by, (tx) => {
      tx.add("plan", aPlan(60, { title: "Another plan" }))
      for (let n = 100; n < 150; n++) {
        const title = `${"Long ".repeat(30)}${n}`
        tx.add("task", aTask(n, 0, 0, { parent_plan_id, parent_phase_id, title }))
      }
    })
  })
  const stdout = await status()
  const tree = stdout.split("\n\n")[2]?.split("\n") ?? []
  for (const line of tree) expect(line.length).toBeLessThanOrEqual(80)
  expect(tree.length).toBeLessThanOrEqual(31)
  expect(tree.at(-1)).toBe("    └── … 24 more tasks, 24 open")
  // Its tree is of the plan at hand alone; the other has a line.
  expect(tree.join()).not.toContain("Another plan")
  expect(stdout).toMatch(/^also open .*Another plan/m)
})

test("shows a session's signals, also those that the model is not shown", async () => {
  await withStore(box.project, (store) =>
    store.append(by, (tx) => {
      for (const [row, length] of [
        ["cancels", 3],
        ["reads", 70],
      ] as const) {
        tx.count(SESSION, row, length)
        tx.register(SESSION, `${row} before row`, 0)
      }
    }),
  )
  const stdout = await status(` --session ${SESSION}`)
  expect(stdout).toContain("cancels: The user stopped 3+ turns in a row.")
  expect(stdout).toContain("reads_without_write: 60+ reads in a turn, no write.")
})

test("counts closed sessions and stale anchors, and no removed ones", async () => {
  await withStore(box.project, async (store) => {
    await store.write(by, (tx) => {
      tx.add("anchor", anAnchor(21, { key: "stale" }))
      tx.add("anchor", anAnchor(22, { key: "gone" }))
    })
    await store.write(by, (tx) => {
      tx.set("anchor", uuid(21), { status: "stale" })
      tx.set("anchor", uuid(22), { status: "removed" })
      for (const { id } of [...tx.all("session")]) tx.set("session", id, { status: "closed" })
    })
  })
  const counts = { anchors: 2, sessions: 1, open_sessions: 0 }
  expect((await cliJson(box, "status")).counts).toMatchObject(counts)
  expect(await status()).toMatch(/^graph .*2 anchors, 1 session \(0 open\)/m)
})

test("a newer format is reported as trouble: nothing can be written", async () => {
  await writeFile(hive("system/manifest.json"), '{"format": 99}')
  const { code, stdout } = await cliProcess(box, "status")
  expect(code).toBe(1)
  const words = `These files were written by a newer HiveMind (format 99; this one knows ${FORMAT}).`
  for (const part of [words, "Build login (active)"]) expect(stdout).toContain(part)
  const { format } = await cliJson(box, "status")
  expect(format).toMatchObject({ version: 99, note: expect.any(String) })
})

test.skipIf(process.getuid?.() === 0)("reads a folder that it cannot write", async () => {
  const folders = ["graph", "state", "sessions", "system", ""]
  for (const path of folders) await chmod(hive(path), 0o500)
  const run = await cli(box, "status")
  for (const path of folders.toReversed()) await chmod(hive(path), 0o700)
  expect(run.code).toBe(0)
})
