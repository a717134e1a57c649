import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { headOf } from "../../src/graph/read-head.ts"
import type { Hive } from "../../src/hive/hive.ts"
import { migrate, untakenFiles } from "../../src/migrate/take-over/migrate.ts"
import { undoMigration } from "../../src/migrate/take-over/undo-migration.ts"
import type { Author } from "../../src/schemas/entry.ts"
import { countsOf, oldProject } from "../support/old-project.ts"

// The old tool goes on beside HiveMind, or again after it: its files come back, changed, without those that did not change.

it("puts a new task of a known phase there, also where it stands first or alone", async () => {
  const hive = await oldProject("g3")
  const tasks = readOld(hive, "graph/tasks.json")
  const [first] = tasks.tasks
  await migrate(hive)
  const before = countsOf(hive)
  const added = (n: number) => ({ ...first, id: `new-${n}`, title: `New ${n}` })
  writeOld(hive, "graph/tasks.json", { ...tasks, tasks: [added(1), ...tasks.tasks] })
  await migrateAlike(hive)
  writeOld(hive, "graph/tasks.json", { ...tasks, tasks: [added(2)] })
  await migrateAlike(hive)
  expect(countsOf(hive)).toEqual({ ...before, task: (before["task"] ?? 0) + 2 })
  const { state } = hive.store.read()
  const phases = ["Audit", "New 1", "New 2"].map((title) => taskOf(hive, title)?.parent_phase_id)
  expect(new Set(phases).size).toBe(1)
  expect(state.plan.get(taskOf(hive, "New 2")?.parent_plan_id ?? "")?.title).toBe("Legacy work")
})

it("puts a new task and a new phase under plans and phases whose files did not change", async () => {
  const hive = await oldProject("g3")
  const plan = { id: "plan-b", title: "Plan B", status: "active" }
  const { plans } = readOld(hive, "graph/plans.json")
  writeOld(hive, "graph/plans.json", { version: "1.0.0", plans: [...plans, plan] })
  const phase = (id: string) => ({ id, plan_id: "plan-b", title: `Phase ${id}`, status: "active" })
  writeOld(hive, "graph/phases.json", { version: "1.0.0", phases: [phase("p-1")] })
  await migrate(hive)
  const task = { id: "t-9", parent_phase_id: "p-1", title: "Task nine", status: "pending" }
  writeOld(hive, "graph/tasks.json", { version: "1.0.0", tasks: [task] })
  await migrateAlike(hive)
  writeOld(hive, "graph/phases.json", { version: "1.0.0", phases: [phase("p-2")] })
  await migrateAlike(hive)
  const { state } = hive.store.read()
  expect(state.phase.get(taskOf(hive, "Task nine")?.parent_phase_id ?? "")?.title).toBe("Phase p-1")
  const second = [...state.phase.values()].find(({ title }) => title === "Phase p-2")
  expect(state.plan.get(second?.parent_plan_id ?? "")?.title).toBe("Plan B")
})

it("knows the plan of a fixed id again when the old tool has begun another session", async () => {
  const hive = await oldProject("g3")
  const [head, plans] = [readOld(hive, "graph/trajectory.json"), readOld(hive, "graph/plans.json")]
  await migrate(hive)
  const before = countsOf(hive)
  const later = { session_id: "0f6b2f6a", created_at: "2026-11-20T03:00:00.000Z" }
  writeOld(hive, "graph/trajectory.json", { ...head, trajectory: { ...head.trajectory, ...later } })
  writeOld(hive, "graph/plans.json", { ...plans, generated_at: "later" })
  await migrateAlike(hive)
  expect(countsOf(hive)).toEqual(before)
})

it("knows two of one id again when they come in the other order", async () => {
  const hive = await oldProject("g3")
  const { plans } = readOld(hive, "graph/plans.json")
  const { tasks } = readOld(hive, "graph/tasks.json")
  const two = (rows: { title: string }[]) => [rows[0], { ...rows[0], title: "Another" }]
  const write = (order: <T>(rows: T[]) => T[]) => {
    writeOld(hive, "graph/plans.json", { version: "1.0.0", plans: order(two(plans)) })
    writeOld(hive, "graph/tasks.json", { version: "1.0.0", tasks: order(two(tasks)) })
  }
  write((rows) => rows)
  await migrate(hive)
  const before = countsOf(hive)
  write((rows) => rows.toReversed())
  const { report } = await migrateAlike(hive)
  expect(countsOf(hive)).toEqual(before)
  expect(report?.notes).toEqual([])
})

it("makes nothing anew of flat lines and things to do that the tree had", async () => {
  const hive = await oldProject("g3")
  const brain = readOld(hive, "state/brain.json")
  const { title } = readOld(hive, "graph/tasks.json").tasks[1]
  const todos = (...contents: string[]) =>
    writeOld(hive, "state/tasks.json", {
      session_id: "ses_1",
      tasks: contents.map((content, n) => ({ id: `todo-${n}`, content, status: "pending" })),
    })
  todos(title)
  await migrate(hive)
  const before = countsOf(hive)
  writeOld(hive, "state/brain.json", { ...brain, metrics: { turn_count: 99 } })
  todos(title, "Something new")
  await migrateAlike(hive)
  const added = { plan: (before["plan"] ?? 0) + 1, phase: (before["phase"] ?? 0) + 1 }
  expect(countsOf(hive)).toEqual({ ...before, ...added, task: (before["task"] ?? 0) + 1 })
  expect(taskOf(hive, "Something new")).toBeDefined()
})

it("finds the task of a delegation, a mem and a read-head, and the plan of a session, in the graph", async () => {
  const hive = await oldProject("g3", "idumb-2")
  const [first] = readOld(hive, "graph/tasks.json").tasks
  const plan = { id: "plan-b", title: "Plan B", status: "active" }
  writeOld(hive, "graph/plans.json", { version: "1.0.0", plans: [plan] })
  await migrate(hive)
  const file = join(hive.home, ".idumb/brain/delegations.json")
  writeFileSync(file, readFileSync(file, "utf8").replace('"id":"', '"id":"again-'))
  const mem = { id: "m-9", content: "From the audit", origin_task_id: first.id }
  writeOld(hive, "graph/mems.json", { version: "1.0.0", mems: [mem] })
  const row = { stamp: "100315112026", session_id: "ses_9", linked_plans: ["plan-b"] }
  writeOld(hive, "sessions/manifest.json", { version: "1.0.0", sessions: [row] })
  const before = countsOf(hive)
  const { report } = await migrateAlike(hive)
  expect(report?.notes).toEqual([])
  expect(countsOf(hive)["delegation"]).toBe((before["delegation"] ?? 0) + 1)
  const { state } = hive.store.read()
  const made = [...state.mem.values()].find(({ content }) => content === mem.content)
  expect(state.task.get(made?.origin_task_id ?? "")?.title).toBe("Audit")
  expect(state.plan.get(headOf(state, "ses_9")?.active_plan_id ?? "")?.title).toBe("Plan B")
})

it("takes a newer status over where nobody has touched the record here, and tells of it where somebody has", async () => {
  const hive = await oldProject("g3")
  const { tasks, ...rest } = readOld(hive, "graph/tasks.json")
  const head = readOld(hive, "graph/trajectory.json")
  await migrate(hive)
  const before = countsOf(hive)
  const caller = { session: "ses_new", agent: "build", tool: "test" }
  await renameTask(hive, "Audit", caller)
  const later = "2026-11-20T03:00:00.000Z"
  const write = (updated_at: string, statuses: string[]) =>
    writeOld(hive, "graph/tasks.json", {
      ...rest,
      tasks: tasks.map((task: object, n: number) => ({ ...task, status: statuses[n], updated_at })),
    })
  // Touched here; newer there; as it was.
  write(later, ["failed", "complete", "in_progress"])
  const active_task_ids = [tasks[1].id]
  const trajectory = { ...head.trajectory, active_task_ids, updated_at: later }
  writeOld(hive, "graph/trajectory.json", { ...head, trajectory })
  const { report } = await migrateAlike(hive)
  expect(countsOf(hive)).toEqual(before)
  expect(taskOf(hive, "Audited")?.status).toBe("completed")
  expect(taskOf(hive, "Write docs")).toMatchObject({ status: "completed", completed_at: later })
  expect(headOf(hive.store.read().state, null)?.active_task_ids).toEqual([taskOf(hive, "Write docs")?.id])
  expect(report?.notes).toEqual([
    { note: OTHER, count: 1, example: ".hivemind/graph/tasks.json tasks[0]" },
    { note: NEWER, count: 2, example: ".hivemind/graph/tasks.json tasks[1]" },
  ])
  // A branch has brought back what is older.
  write("2026-11-18T03:00:00.000Z", ["complete", "pending", "in_progress"])
  await migrateAlike(hive)
  expect(taskOf(hive, "Write docs")?.status).toBe("completed")
  expect(await undoMigration(hive)).toMatchObject({
    kept: { count: 3 },
    earlier: ["tasks.json.bak-2", "tasks.json.bak", "trajectory.json.bak"].map(
      (name) => `.hivemind/graph/${name}`,
    ),
    left: [],
  })
  expect(taskOf(hive, "Write docs")).toBeUndefined()
})

it("puts all back where a later run has moved the read-head to a task that came long after it", async () => {
  const hive = await oldProject("g1")
  const mems = Array.from({ length: 150 }, (_, n) => ({ id: `m-${n}`, content: `Mem ${n}`, shelf: "x" }))
  writeOld(hive, "mems.json", { version: "1.0.0", mems })
  const tree = readOld(hive, "hierarchy.json")
  await migrate(hive)
  const created = Date.parse("2026-11-20T03:00:00.000Z")
  const added = { id: "a_new", level: "action", content: "New", status: "active", created, children: [] }
  tree.root.children[0].children.push(added)
  writeOld(hive, "hierarchy.json", { ...tree, cursor: "a_new" })
  await migrateAlike(hive)
  expect(headOf(hive.store.read().state, null)?.active_task_ids).toEqual([taskOf(hive, "New")?.id])
  expect(await undoMigration(hive)).toMatchObject({ kept: { count: 0 }, left: [] })
  expect(countsOf(hive)).toEqual({})
  expect(readOld(hive, "hierarchy.json").cursor).toBe("a_new")
})

it("knows a file that comes back as any of its copies has it, as switching branches brings it", async () => {
  const hive = await oldProject("g3", "idumb-2")
  const names = [".hivemind/graph/tasks.json", ".idumb/brain/knowledge.json"]
  const texts = names.map((name) => readFileSync(join(hive.home, name), "utf8"))
  const bring = (version: string) => {
    for (const [n, name] of names.entries())
      writeFileSync(join(hive.home, name), `${texts[n]}${" ".repeat(version.length)}`)
  }
  await migrate(hive)
  bring("v2")
  expect((await migrate(hive)).moves.map(({ to }) => to)).toEqual([".hivemind/graph/tasks.json.bak-2"])
  for (const version of ["", "v2", ""]) {
    bring(version)
    expect(untakenFiles(hive.home)).toEqual([])
    expect(await migrate(hive)).toEqual({ report: null, moves: [] })
  }
  bring("other")
  expect(untakenFiles(hive.home).map(({ name }) => name)).toEqual(names)
})

it("does not move a file that was written while it was read: the next run reads it", async () => {
  const hive = await oldProject("g3")
  const mems = ["one", "two"].map((content) => ({ mems: [{ id: content, content: `Mem ${content}` }] }))
  writeOld(hive, "graph/mems.json", mems[0])
  await migrate(hive, {
    onProgress: () => writeOld(hive, "graph/mems.json", mems[1]),
  })
  expect(untakenFiles(hive.home).map(({ name }) => name)).toEqual([".hivemind/graph/mems.json"])
  await migrate(hive)
  const contents = [...hive.store.read().state.mem.values()].map(({ content }) => content)
  expect(contents).toContain("Mem two")
  expect(await undoMigration(hive)).toMatchObject({ left: [] })
  expect(readOld(hive, "graph/mems.json")).toEqual(mems[1])
})

/** A dry run tells what the run does, also where something is in the graph. */
async function migrateAlike(hive: Hive) {
  const dry = await migrate(hive, { dryRun: true })
  const migrated = await migrate(hive)
  expect(dry).toEqual(migrated)
  return migrated
}

async function renameTask(hive: Hive, title: string, caller: Author): Promise<void> {
  await hive.store.write(caller, (tx) => tx.set("task", taskOf(hive, title)?.id ?? "", { title: "Audited" }))
}

function readOld({ home }: Hive, file: string) {
  return JSON.parse(readFileSync(join(home, ".hivemind", file), "utf8"))
}

function writeOld({ home }: Hive, file: string, content: unknown): void {
  writeFileSync(join(home, ".hivemind", file), JSON.stringify(content))
}

function taskOf({ store }: Hive, wanted: string) {
  return [...store.read().state.task.values()].find(({ title }) => title === wanted)
}

const OTHER = "there already with another title or status, or other dependencies, which stay"
const NEWER = "there already, untouched here and newer there: its status is taken over"
