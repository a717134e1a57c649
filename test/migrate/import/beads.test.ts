import { readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { expect, it } from "vitest"
import { placeOf } from "../../../src/graph/by-age.ts"
import { lookupIn, obstaclesOf } from "../../../src/graph/obstacles.ts"
import { importFrom } from "../../../src/migrate/import/import.ts"
import { hivePaths } from "../../../src/store/files/layout.ts"
import { quarantineFile } from "../../../src/store/files/quarantine-file.ts"
import { fileHive } from "../../support/file-hive.ts"
import { tempProject } from "../../support/temp-project.ts"
import {
  bare,
  FIXTURES,
  imported,
  memsOf,
  plansOf,
  projectOf,
  sortedTitles,
  sourceOf,
  taskNamed,
  tasksOf,
  titlesOf,
} from "./imported.ts"

const lines = readFileSync(join(FIXTURES, "beads/.beads/issues.jsonl"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line))

it("imports every issue, and nothing else", async () => {
  const { hive, report } = await imported("beads")
  expect(report.sources).toEqual({ total: lines.length, taken: 15, already: 0, quarantined: 0, ignored: 2 })
  expect(report.ignored.map(({ reason, example }) => `${example}: ${reason}`)).toEqual([
    "issues.jsonl:12 (hb-9z): deleted in beads",
    "issues.jsonl:13 (hb-ab): an issue of type agent, which beads uses to run agents",
  ])
  const titlesBy = (isIt: (line: (typeof lines)[number]) => boolean) =>
    lines.filter(isIt).map(({ title, id }) => `${title} (${id})`)
  const tasks = titlesBy(
    ({ status, issue_type }) =>
      !["tombstone", "pinned"].includes(status) &&
      !["agent", "epic", "decision", undefined].includes(issue_type),
  )
  expect(sortedTitles(tasksOf(hive))).toEqual(tasks.sort())
  const phases = [...hive.store.read().state.phase.values()].filter(({ inbox }) => !inbox)
  const epics = ["Beads: issues without an epic", ...titlesBy(({ issue_type }) => issue_type === "epic")]
  expect(sortedTitles([...plansOf(hive), ...phases])).toEqual(epics.sort())
  // Three epics with text, a decision, a pinned issue, a note, two comments and a memory.
  expect(memsOf(hive).length).toBe(3 + 1 + 1 + 1 + 2 + 1)
})

it("keeps plans, phases, sub-tasks, dependencies and statuses", async () => {
  const { hive } = await imported("beads")
  const { state } = hive.store.read()
  const card = taskNamed(hive, "Take payment by card")
  expect(card).toMatchObject({ status: "active", started_at: "2026-05-05T04:00:00.000Z" })
  expect(state.phase.get(card.parent_phase_id)?.title).toBe("The till (hb-1a.1)")
  expect(state.plan.get(card.parent_plan_id)).toMatchObject({
    title: "Sell tickets at every quay (hb-1a)",
    acceptance: ["A guest can pay by card", "A ticket can be given back"],
    status: "active",
  })
  expect(taskNamed(hive, "Receipt on paper")).toMatchObject({ parent_task_id: card.id, type: "sub" })
  const back = taskNamed(hive, "Give a ticket back")
  expect([back.status, ...titlesOf(hive, back.depends_on)]).toEqual(["blocked", "Take payment by card"])
  expect(obstaclesOf(back, lookupIn(state)).map(({ kind }) => kind)).toEqual(["dependency", "decision"])
  expect(taskNamed(hive, "Choose a card reader")).toMatchObject({
    status: "completed",
    completed_at: "2026-05-05T03:00:00.000Z",
    evidence: "The one with the large keys.",
  })
  expect(plansOf(hive).map(({ title, status }) => [title, status])).toEqual([
    ["Sell tickets at every quay (hb-1a)", "active"],
    ["Old fares (hb-5e)", "archived"],
    ["Winter timetable (hb-ad)", "active"],
    ["Beads: issues without an epic", "active"],
  ])
  expect(taskNamed(hive, "Dogs on board").held_back).toMatch(/^Deferred in beads until 2026-07-/)
})

it("orders imported tasks by priority, and keeps other fields in their text", async () => {
  const { hive } = await imported("beads")
  const open = tasksOf(hive).sort((a, b) => placeOf(a) - placeOf(b))
  expect(open.map(({ title }) => bare(title)).slice(0, 2)).toEqual([
    "Take payment by card",
    "The queue at quay three forgets people",
  ])
  expect(open.at(-1)?.title).toBe("Move the fares of the north line (hb-5e.1)")
  const { expected_output } = taskNamed(hive, "Take payment by card")
  for (const words of [
    "With the reader at the till.",
    "Design:",
    "hb-2b in beads: feature; priority 0",
    "assigned to ben",
    "discovered-from: hb-9z",
  ])
    expect(expected_output).toContain(words)
  const mems = memsOf(hive).map(({ content }) => content)
  expect(mems).toContain("ben: The reader at quay four is slow.")
  expect(mems).toContain("The printed tides are an hour off in summer.")
  const { expected_output: bug } = taskNamed(hive, "The queue at quay three forgets people")
  expect(bug).toContain('Also: {"metadata":{"severity":"high"}}')
})

const issue = (id: string, more: Record<string, unknown> = {}) =>
  JSON.stringify({
    ...{ id, title: `Issue ${id}`, status: "open", priority: 2, issue_type: "task" },
    ...{ created_at: "2026-05-04T08:00:00Z", ...more },
  })
const ODD_TYPES = { created_at: "never", priority: "high", comments: [null, 3] }
const partOf = (parent: string) => ({ dependencies: [{ depends_on_id: parent, type: "parent-child" }] })
const waits = (id: string, ...others: string[]) => ({
  dependencies: others.map((other) => ({ issue_id: id, depends_on_id: other, type: "blocks" })),
})

async function importLines(all: readonly string[]) {
  const hive = await fileHive()
  const path = join(hive.dir, "issues.jsonl")
  writeFileSync(path, all.join("\n"))
  return { hive, report: await importFrom(hive, "beads", path), path }
}

it("breaks a circle at one link, keeps all of its issues, and reports it", async () => {
  const { hive, report } = await importLines([
    issue("a-1", waits("a-1", "a-2")),
    issue("a-2", waits("a-2", "a-3")),
    issue("a-3", waits("a-3", "a-1")),
    issue("a-4", waits("a-4", "a-1", "a-4")),
  ])
  expect(report.sources).toMatchObject({ total: 4, taken: 4 })
  const links = tasksOf(hive).map(({ depends_on }) => depends_on.length)
  expect(links.sort()).toEqual([0, 1, 1, 1])
  expect(report.notes).toMatchObject([{ note: expect.stringContaining("form a circle"), count: 2 }])
  expect(taskNamed(hive, "Issue a-4").expected_output).toContain('waits for a-4 "Issue a-4" (not linked')
})

it("quarantines only broken issues, with line and reason", async () => {
  const { hive, report } = await importLines([
    issue("a-1"),
    '{"id":"a-2","title":"cut o',
    "<<<<<<< HEAD",
    "[1]",
    '{"title":"no id"}',
    issue("a-3", { title: "x".repeat(5_000_000) }),
    issue("a-4", { status: "waiting_for_godot" }),
    issue("a-1", { title: "Newer", updated_at: "2026-05-05T08:00:00Z" }),
    issue("a-4", { status: "waiting_for_godot" }),
    issue("a-5", { title: "y".repeat(900), description: "z".repeat(250_000), ...waits("a-5", "gone-1") }),
    issue("a-6", partOf("a-7")),
    issue("a-7", partOf("a-6")),
    issue("a-8", { ...ODD_TYPES, labels: "x", dependencies: "none" }),
  ])
  expect(report.quarantined.map(({ from, reason }) => `${from}: ${reason}`)).toEqual([
    "issues.jsonl:2: not valid JSON",
    "issues.jsonl:3: a conflict marker of an unfinished merge",
    "issues.jsonl:4: not an object",
    "issues.jsonl:5: an issue without an id",
    "issues.jsonl:6: a line that is too long to be one record",
    "issues.jsonl:1 (a-1): an older version of the issue; the newer one is in line 8",
  ])
  expect(report.sources).toEqual({ total: 13, taken: 6, already: 0, quarantined: 6, ignored: 1 })
  const titles = sortedTitles(tasksOf(hive)).map((title) => title.slice(0, 9))
  expect(titles).toEqual(["Issue a-4", "Issue a-6", "Issue a-7", "Issue a-8", "Newer (a-", "yyyyyyyyy"])
  const long = tasksOf(hive).find(({ title }) => title.startsWith("yyy"))
  expect(long?.expected_output).toContain("y".repeat(900))
  const text = [long?.expected_output, ...memsOf(hive).map(({ content }) => content)].join("")
  expect(text.match(/z/g)?.length).toBe(250_000)
})

it("keeps dependencies in words on an epic, or on a part of the task itself", async () => {
  const { hive, report } = await importLines([
    issue("e-1", { issue_type: "epic" }),
    issue("a-1", waits("a-1", "e-1", "a-2")),
    issue("a-2", partOf("a-1")),
  ])
  expect(report.sources).toMatchObject({ total: 3, taken: 3 })
  const { expected_output, depends_on } = taskNamed(hive, "Issue a-1")
  expect(depends_on).toEqual([])
  const reasons = { "e-1": "a task cannot wait for a plan", "a-2": "it is a sub-task of this task" }
  for (const [name, why] of Object.entries(reasons))
    expect(expected_output).toContain(`waits for ${name} "Issue ${name}" (not linked: ${why})`)
})

it("finds a parent by the id where no link names it, and reports missing fields", async () => {
  const { hive, report } = await importLines([
    issue("e-1", { issue_type: "epic" }),
    issue("e-1.1"),
    issue("e-2.1", { title: " ", created_at: undefined, status: "closed" }),
  ])
  const { state } = hive.store.read()
  expect(state.plan.get(taskNamed(hive, "Issue e-1.1").parent_plan_id)?.title).toBe("Issue e-1")
  expect(taskNamed(hive, "e-2.1")).toMatchObject({ status: "completed", completed_at: null })
  expect(report.notes.map(({ note }) => note)).toEqual([
    "an issue's parent is only known from the issue's id",
    "a task had no title: its id is used; a task had no date: the date of the import is used",
  ])
})

it("reports issues that have changed since, and does not change the graph", async () => {
  const { hive, path } = await importLines([issue("a-1"), issue("a-2"), issue("a-3")])
  const changed = [issue("a-1", { status: "closed" }), issue("a-2", waits("a-2", "a-4"))]
  writeFileSync(path, [...changed, issue("a-3"), issue("a-4")].join("\n"))
  const { sources, notes } = await importFrom(hive, "beads", path)
  expect(sources).toMatchObject({ taken: 1, already: 3 })
  const note =
    "the record already exists with another title, status, value or dependencies: it was not changed"
  expect(notes).toEqual([{ note, count: 2, example: "issues.jsonl:1 (a-1)" }])
  expect(taskNamed(hive, "Issue a-1").status).toBe("planned")
})

it("a mended line leaves quarantine, a line of another file with that name does not", async () => {
  const hive = await projectOf("beads")
  const path = sourceOf(hive, "beads")
  const whole = readFileSync(path, "utf8")
  const other = join(await tempProject(), basename(path))
  for (const file of [path, other]) {
    writeFileSync(file, `${whole}{broken\n`)
    await importFrom(hive, "beads", file)
  }
  const quarantine = quarantineFile(hive.home)
  expect(quarantine.count()).toBe(2)
  writeFileSync(path, whole)
  await importFrom(hive, "beads", path)
  expect(quarantine.count()).toBe(1)
  expect(readFileSync(hivePaths(hive.home).quarantine, "utf8")).toContain("{broken")
})
