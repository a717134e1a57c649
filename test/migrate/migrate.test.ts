import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { byAge } from "../../src/graph/by-age.ts"
import { headOf } from "../../src/graph/read-head.ts"
import type { Hive } from "../../src/hive/hive.ts"
import { migrate, unreadFiles } from "../../src/migrate/migrate.ts"
import type { Report } from "../../src/migrate/records/report.ts"
import { undoMigration } from "../../src/migrate/undo-migration.ts"
import { quarantineFile } from "../../src/store/files/quarantine-file.ts"
import { trace } from "../../src/views/trace.ts"
import { writeFiles } from "../support/git-repo.ts"
import { copyOldLayout, countsOf, everythingIn, hiveIn, oldProject } from "../support/old-project.ts"
import { aMem, aPlan, by, uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"
import { memsOf, plansOf, taskNamed, tasksOf } from "./import/imported.ts"

type Outcome = [sources: number[], records: Record<string, number>, moved: number]

// Per layout: counts of source records (total, taken, already, quarantined, ignored), then the new records by kind.
const EXPECTED: Record<string, Outcome> = {
  g0: [[20, 9, 1, 0, 10], { session: 1, trajectory: 2, plan: 1, phase: 2, task: 1, mem: 2 }, 0],
  g1: [[39, 16, 2, 0, 21], { session: 2, trajectory: 3, plan: 1, phase: 3, task: 4, mem: 4, anchor: 2 }, 6],
  g2: [[52, 21, 2, 0, 29], { session: 2, trajectory: 3, plan: 2, phase: 4, task: 6, mem: 5, anchor: 2 }, 11],
  g3: [[64, 27, 3, 1, 33], { session: 2, trajectory: 3, plan: 2, phase: 6, task: 8, mem: 8, anchor: 2 }, 17],
  "idumb-2": [
    [24, 17, 0, 2, 5],
    {
      ...{ trajectory: 1, plan: 3, phase: 3, task: 6, mem: 1, anchor: 2 },
      ...{ artifact: 1, checkpoint: 2, delegation: 1 },
    },
    0,
  ],
  "idumb-1": [[8, 4, 0, 0, 4], { mem: 2, anchor: 2 }, 0],
  mixed: [
    [134, 52, 18, 3, 61],
    {
      ...{ session: 4, trajectory: 5, plan: 6, phase: 11, task: 15, mem: 13, anchor: 4 },
      ...{ artifact: 1, checkpoint: 2, delegation: 1 },
    },
    21,
  ],
  damaged: [[24, 8, 0, 5, 11], { plan: 1, phase: 2, task: 2, mem: 2, anchor: 2 }, 6],
  "half-migrated": [
    [61, 16, 11, 0, 34],
    { session: 2, trajectory: 3, plan: 1, phase: 3, task: 4, mem: 4, anchor: 2 },
    10,
  ],
}

it.each(Object.keys(EXPECTED))("migrates %s and counts every source record", async (layout) => {
  const hive = await oldProject(layout)
  const dry = await migrate(hive, { dryRun: true })
  expect(existsSync(join(hive.home, ".hivemind/system"))).toBe(false)
  const { report, moves } = await migrate(hive)
  expect(dry).toEqual({ report, moves })
  expect([sourcesOf(report), countsOf(hive), moves.length]).toEqual(EXPECTED[layout])
  expect(hive.store.read().problems).toEqual([])
  for (const { from, to } of moves)
    expect([existsSync(join(hive.home, from)), existsSync(join(hive.home, to))]).toEqual([false, true])

  const log = await hive.store.log()
  expect(await migrate(hive)).toEqual({ report: null, moves: [] })
  expect(await hive.store.log()).toEqual(log)
  expect(unreadFiles(hive.home)).toEqual([])
})

it("keeps the old tree's stamps, statuses and summaries, and sets the read-head to its cursor", async () => {
  const hive = await oldProject("g1")
  await migrate(hive)
  const { state } = hive.store.read()
  const open = { evidence: null, held_back: null, stamp: "130315112026" }
  expect(tasksOf(hive)).toMatchObject([
    {
      ...open,
      title: "Choose a library",
      status: "completed",
      stamp: "120315112026",
      evidence: "jose: no native code",
    },
    { ...open, title: "Write the refresh endpoint", status: "active" },
    { ...open, title: "Rotate the token", status: "planned" },
    { ...open, title: "Wait for the key service", status: "planned", held_back: expect.any(String) },
  ])
  const parent = taskNamed(hive, "Rotate the token").parent_task_id
  expect(state.task.get(parent ?? "")?.title).toBe("Write the refresh endpoint")
  const phase = [...state.phase.values()].find(({ title }) => title === "Audit log")
  expect(phase).toMatchObject({ status: "completed", summary: "Logged to Postgres", stamp: "140315112026" })
  const head = headOf(state, null)
  expect(state.task.get(head?.active_task_ids[0] ?? "")?.title).toBe("Write the refresh endpoint")
  const plan = state.plan.get(head?.active_plan_id ?? "")
  expect(plan).toMatchObject({ title: "Build auth", stamp: "100315112026" })
  const decision = { shelf: "decisions", kind: "decision", tags: ["auth", "library"] }
  expect(memOf(hive, "Use jose")).toMatchObject(decision)
  const mode = "plan_driven"
  expect([...state.session.values()]).toMatchObject([
    ...[{ host_id: "session-1794712215500-ab12cd", stamp: "100315112026", mode }],
    ...[{ host_id: "session-0903151126", stamp: "0903151126", mode, next_report: null }],
  ])
  expect([...state.session.values()][0]?.next_report).not.toBeNull()
})

it("traces an old stamp through records and session files", async () => {
  const hive = await oldProject("g1")
  await migrate(hive)
  const { hits } = await trace(hive, "100315112026")
  const found = hits.map(({ where, text }) => `${where.split(" ")[0]} ${text}`)
  expect(found).toContain('plan "Build auth" (active)')
  expect(found).toContain('phase "JWT" (active)')
  expect(found).toContain('task "Write the refresh endpoint" (active)')
  expect(found.some((text) => text.startsWith("sessions/100315112026.md:"))).toBe(true)
})

it("makes a mem fresh that an earlier migration stamped stale, and keeps its tags", async () => {
  const hive = await oldProject("g3")
  await migrate(hive)
  expect(memOf(hive, "The limiter lives in the gateway")).toMatchObject({ stale_at: null, confidence: 0.8 })
  const jose = memOf(hive, "Use jose")
  expect(jose).toMatchObject({ stale_at: null, tags: ["auth", "library"] })
  const { state } = hive.store.read()
  expect(memsOf(hive).filter(({ content }) => content === "Use jose")).toHaveLength(1)
  const task = state.task.get(memOf(hive, "The limiter lives in the gateway")?.origin_task_id ?? "")
  expect(task).toMatchObject({
    title: "Rate limit the login",
    status: "active",
    file_locks: ["src/login.ts"],
  })
  // These two records were in the quarantine of an earlier migration.
  expect(memOf(hive, "Sessions last eight hours")).toMatchObject({ tags: ["auth"], kind: "decision" })
  expect(tasksOf(hive).map(({ title }) => title)).toContain("Tell support")
})

it("keeps plans of two repositories with the same fixed ids apart", async () => {
  const hive = await oldProject("g3")
  const other = await oldProject("g3")
  const file = join(other.home, ".hivemind/graph/trajectory.json")
  writeFileSync(file, readFileSync(file, "utf8").replace("5a1c7f0e", "5a1c7f0f"))
  await migrate(hive)
  await migrate(hive, { from: other.home })
  const titles = plansOf(hive).map(({ title }) => title)
  expect(titles.filter((title) => title === "Legacy work")).toHaveLength(2)
  expect(readdirSync(join(other.home, ".hivemind"))).not.toContain("config.json.bak")
})

it("quarantines records of another project until its files are mended", async () => {
  const [hive, other] = [await oldProject("g1"), await oldProject("damaged")]
  const quarantine = quarantineFile(hive.home)
  const dry = await migrate(hive, { dryRun: true, from: other.home })
  const { report } = await migrate(hive, { from: other.home })
  expect(dry.report).toEqual(report)
  expect(quarantine.count()).toBe(report?.sources.quarantined)
  expect((await migrate(hive)).report?.sources.quarantined).toBe(0)
  expect(quarantine.count()).toBe(report?.sources.quarantined)
  rmSync(join(other.home, ".hivemind"), { recursive: true })
  copyOldLayout("g1", other.home)
  await migrate(hive, { from: other.home })
  expect(quarantine.count()).toBe(0)
})

it("keeps an iDumb plan with its order, gates, checkpoints and what was planned ahead", async () => {
  const hive = await oldProject("idumb-2")
  await migrate(hive)
  const { state } = hive.store.read()
  const { id } = taskNamed(hive, "Choose a scale")
  expect(taskNamed(hive, "Draw the chart")).toMatchObject({
    ...{ status: "active", expected_output: "an SVG", assigned_to: "executor", allowed_tools: ["write"] },
    ...{ depends_on: [id], temporal_gate: { after_task_id: id, reason: "needs the scale" } },
  })
  expect(taskNamed(hive, "Export as PNG")).toMatchObject({ ahead: true })
  const parent_task_id = taskNamed(hive, "Fetch the figures").id
  expect(taskNamed(hive, "Cache them")).toMatchObject({ type: "sub", parent_task_id })
  const charts = plansOf(hive).find(({ title }) => title === "Charts")
  expect(charts?.depends_on.map((id) => state.plan.get(id)?.title)).toEqual(["Data"])
  expect([...state.checkpoint.values()].map(({ summary, files }) => [summary, files])).toEqual([
    ["Axes drawn", ["src/axes.ts"]],
    ["Tests pass", []],
  ])
  expect([...state.anchor.values()].map(({ value, priority, type }) => [value, priority, type])).toEqual([
    ["Charts are drawn on the server", "critical", "decision"],
    ["Colours come from the theme", "medium", "context"],
  ])
})

it("maps settings, keeps comments, and leaves what the user has set", async () => {
  const hive = await oldProject("g0")
  const path = join(hive.home, ".hivemind/system/config.json")
  await hive.store.write(by, (tx) => tx.add("plan", aPlan(1)))
  writeFileSync(path, '{\n  // mine\n  "governance": "assisted"\n}\n')
  const { report } = await migrate(hive)
  expect([report?.taken.setting, report?.sources.already]).toEqual([1, 2])
  const text = readFileSync(path, "utf8")
  for (const line of ["// mine", '"governance": "assisted"', '"commit_after_files": 8'])
    expect(text).toContain(line)
})

it("reads a file again that the old tool has gone on writing", async () => {
  const hive = await oldProject("idumb-2")
  await migrate(hive)
  const file = join(hive.home, ".idumb/brain/knowledge.json")
  writeFileSync(file, readFileSync(file, "utf8").replace('"content":""', '"content":"Axes start at zero"'))
  expect(unreadFiles(hive.home).map(({ name }) => name)).toEqual([".idumb/brain/knowledge.json"])
  await migrate(hive)
  expect(memOf(hive, "Axes start at zero")).toBeDefined()
})

it("leaves the files of HiveMind 0.1 to its own upgrade, and a quarantine of an older tool alone", async () => {
  const hive = await oldProject("g3")
  // The hive has a folded record before the migration.
  await hive.store.write(by, (tx) => tx.add("plan", aPlan(1)))
  await hive.store.fold("now")
  const names = readdirSync(join(hive.home, ".hivemind/graph"))
  for (const name of ["plans.json", "tasks.json", "mems.json", "trajectory.json", "orphans.json"])
    expect(names).toContain(name)
  expect(names).not.toContain("v1")
  const again = hiveIn(hive.home)
  expect(countsOf(again)).toEqual({ plan: 1 })
  await migrate(again)
  expect(countsOf(again)["task"]).toBe(8)
})

it("reads nothing through a link that leads out of the project", async () => {
  const hive = await oldProject("g1")
  const outside = await tempProject()
  writeFileSync(join(outside, "mems.json"), '{"mems":[{"content":"secret of another project"}]}')
  rmSync(join(hive.home, ".hivemind/mems.json"))
  symlinkSync(join(outside, "mems.json"), join(hive.home, ".hivemind/mems.json"))
  const { report } = await migrate(hive)
  expect(memOf(hive, "secret of another project")).toBeUndefined()
  const reason = "a link that leads out of the project"
  expect(report?.ignored).toContainEqual({ reason, count: 1, example: ".hivemind/mems.json" })
  expect(unreadFiles(hive.home)).toEqual([])
})

it("ignores files that HiveMind itself writes, and documents without other old files", async () => {
  const hive = hiveIn(await tempProject())
  await hive.store.write(by, (tx) => tx.add("plan", aPlan(1)))
  writeFiles(hive.home, {
    ".hivemind/sessions/301411022026.md": "# Words\n",
    ".hivemind/sessions/archive/301411022026-2.md": "# Words\n",
    ".opencode/planning/index.md": "# Words\n",
  })
  expect(unreadFiles(hive.home)).toEqual([])
})

it("keeps two tasks of one id, completion times, and reports unknown statuses", async () => {
  const hive = await oldProject("g3")
  rewriteTasks(hive, (tasks) => [...tasks, { ...tasks[0], title: "Audit the audit", status: "weird" }])
  const plans = join(hive.home, ".hivemind/graph/plans.json")
  writeFileSync(plans, readFileSync(plans, "utf8").replace('"status":"active"', '"status":"blocked"'))
  const { report } = await migrate(hive)
  expect(taskNamed(hive, "Audit").completed_at).toBe("2026-11-16T03:00:00.000Z")
  expect(taskNamed(hive, "Audit the audit").status).toBe("planned")
  const notes = report?.notes.map(({ note }) => note)
  expect(notes).toContain('the status "weird" is unknown and counts as planned')
  expect(notes).toContain("a blocked plan counts as active: its tasks show which work is blocked")
})

it("adds new records of a file that is written again, and brings no dropped record back", async () => {
  const hive = await oldProject("g3")
  await migrate(hive)
  const dropped = memOf(hive, "Use jose")?.id ?? ""
  await hive.store.write(by, (tx) => tx.drop("mem", dropped))
  const file = rewriteTasks(
    hive,
    (tasks) => [...tasks, { ...tasks[0], id: "new", title: "Audit again" }],
    ".bak",
  )
  const { tasks } = JSON.parse(readFileSync(file, "utf8"))
  const before = countsOf(hive)
  const { report, moves } = await migrate(hive)
  expect(report?.sources).toMatchObject({ taken: 1, quarantined: 0 })
  expect(countsOf(hive)).toEqual({ ...before, task: (before["task"] ?? 0) + 1 })
  expect(taskNamed(hive, "Audit again").parent_phase_id).toBe(taskNamed(hive, "Audit").parent_phase_id)
  expect(moves).toEqual([{ from: ".hivemind/graph/tasks.json", to: ".hivemind/graph/tasks.json.bak-2" }])
  const undone = await undoMigration(hive)
  expect(undone).toMatchObject({ left: [], earlier: [".hivemind/graph/tasks.json.bak"] })
  expect(JSON.parse(readFileSync(file, "utf8")).tasks).toEqual(tasks)
})

it("does not rename a file that was written while it was read: the next run reads it", async () => {
  const hive = await oldProject("g1")
  const mems = (content: string) => writeJson(hive, ".hivemind/mems.json", { mems: [{ content }] })
  mems("Mem one")
  await migrate(hive, { onProgress: () => mems("Mem two") })
  expect(unreadFiles(hive.home).map(({ name }) => name)).toEqual([".hivemind/mems.json"])
  await migrate(hive)
  for (const content of ["Mem one", "Mem two"]) expect(memOf(hive, content)).toBeDefined()
})

it("keeps both of two old nodes with the same id and different texts", async () => {
  const hive = await oldProject("g1")
  const at = "100315112026"
  const node = (level: string, id: string, content: string, children: unknown[] = []) => ({
    ...{ level, id: `${id}_${at}`, content, stamp: at, status: "active", children },
  })
  const root = node("trajectory", "t", "Auth", [
    node("tactic", "tc", "JWT", [
      node("action", "a", "write code"),
      node("action", "a", "write tests"),
      node("action", "a", "write code"),
    ]),
    node("tactic", "tc", "Docs", [node("action", "b", "write docs")]),
  ])
  writeJson(hive, ".hivemind/hierarchy.json", { version: 1, root, cursor: `a_${at}` })
  await migrate(hive)
  const { state } = hive.store.read()
  const places = tasksOf(hive)
    .filter(({ title }) => title.startsWith("write "))
    .map(({ title, parent_phase_id }) => `${state.phase.get(parent_phase_id)?.title}: ${title}`)
  expect(places.sort()).toEqual(["Docs: write docs", "JWT: write code", "JWT: write tests"])
})

it("keeps tasks in the order of their file, regardless of their times", async () => {
  const hive = await oldProject("g3")
  const titles = Array.from({ length: 6 }, (_, n) => `Step ${n}`)
  rewriteTasks(hive, (tasks) => titles.map((title) => ({ ...tasks[1], id: title, title })))
  await migrate(hive)
  const found = tasksOf(hive).filter(({ title }) => title.startsWith("Step"))
  expect(found.sort(byAge).map(({ title }) => title)).toEqual(titles)
})

it("archives the work of an older state file", async () => {
  const hive = await oldProject("g2")
  const brain = JSON.parse(readFileSync(join(hive.home, ".hivemind/state/brain.json"), "utf8"))
  brain.session = { ...brain.session, id: "session-1-old", last_activity: 1_794_000_000_000 }
  brain.hierarchy = { trajectory: "An older plan", tactic: "An older phase", action: "An older task" }
  writeJson(hive, ".hivemind/brain.json", brain)
  await migrate(hive)
  const { state } = hive.store.read()
  const all = [...state.plan.values(), ...state.task.values()].map(
    ({ title, status }) => `${title}: ${status}`,
  )
  expect(all).toEqual(expect.arrayContaining(["An older plan: archived", "An older task: invalidated"]))
})

it("reads anchors by name, and gives an old session a read-head of its own", async () => {
  const hive = await oldProject("g3")
  writeFileSync(join(hive.home, ".hivemind/state/anchors.json"), '{"anchors":{"DB":"pg"}}')
  await migrate(hive)
  const { state } = hive.store.read()
  expect([...state.anchor.values()].map(({ key, value }) => [key, value])).toEqual([["DB", "pg"]])
  expect(headOf(state, "ses_aaaa")?.active_plan_id).toBeNull()
})

it("reports records without text, and masks secrets", async () => {
  const hive = await oldProject("g1")
  const token = `ghp_${"a1B2".repeat(9)}`
  const mems = [
    { id: "m", content: `token ${token}` },
    { id: "n", tags: [token] },
  ]
  writeJson(hive, ".hivemind/mems.json", { mems })
  const { report } = await migrate(hive)
  const from = ".hivemind/mems.json mems[1]"
  expect(report?.quarantined).toEqual([{ from, reason: "a mem without text" }])
  expect(memOf(hive, "token [masked: GitHub token]")).toBeDefined()
  for (const [name, content] of Object.entries(everythingIn(join(hive.home, ".hivemind"))))
    if (!name.endsWith(".bak")) expect(content, name).not.toContain(token)
})

it("keeps the whole text of a long title, and splits a long mem", async () => {
  const hive = await oldProject("g1")
  const long = `Write ${"very ".repeat(200)}much`
  const root = { id: "t_1", level: "trajectory", content: long, status: "active" }
  writeJson(hive, ".hivemind/hierarchy.json", { version: 1, root, cursor: null })
  writeJson(hive, ".hivemind/mems.json", { mems: [{ content: "word ".repeat(50_000) }] })
  const { report } = await migrate(hive)
  const plan = plansOf(hive).find(({ title }) => title.startsWith("Write very"))
  expect(plan?.summary).toBe(long)
  const words = memsOf(hive).filter(({ content }) => content.startsWith("word"))
  expect(words.map(({ content }) => content.split(" ").length).reduce((sum, n) => sum + n, 0)).toBe(50_000)
  expect(report?.notes).toHaveLength(2)
})

it("recognises a mem that is in the archive", async () => {
  const hive = await oldProject("idumb-1")
  await migrate(hive)
  await hive.store.write(by, (tx) => tx.add("mem", aMem(1)))
  await hive.store.fold("now")
  const hot = countsOf(hive)["mem"]
  const { report } = await migrate(hive, { from: hive.home })
  expect(report?.sources).toMatchObject({ taken: 0, already: 4 })
  expect(countsOf(hive)["mem"]).toBe(hot)
  expect(hive.store.read().state.mem.has(uuid(1))).toBe(true)
})

function sourcesOf(report: Report | null): number[] {
  const { total = 0, taken = 0, already = 0, quarantined = 0, ignored = 0 } = report?.sources ?? {}
  return [total, taken, already, quarantined, ignored]
}

function writeJson({ home }: Pick<Hive, "home">, path: string, value: unknown): void {
  writeFileSync(join(home, path), JSON.stringify(value))
}

type OldTask = Record<string, unknown>

function rewriteTasks({ home }: Hive, change: (tasks: OldTask[]) => OldTask[], suffix = ""): string {
  const file = join(home, ".hivemind/graph/tasks.json")
  const { version, tasks } = JSON.parse(readFileSync(`${file}${suffix}`, "utf8"))
  writeFileSync(file, JSON.stringify({ version, tasks: change(tasks) }))
  return file
}

const memOf = (hive: Hive, content: string) => memsOf(hive).find((mem) => mem.content === content)
