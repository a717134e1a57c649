import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { PROJECT_HEAD_ID } from "../../../src/graph/read-head.ts"
import { importFrom } from "../../../src/migrate/import/import.ts"
import { fileHive } from "../../support/file-hive.ts"
import {
  FIXTURES,
  imported,
  memsOf,
  plansOf,
  sortedTitles,
  taskNamed,
  tasksOf,
  titlesOf,
} from "./imported.ts"

interface Raw {
  id: number
  title: string
  subtasks?: Raw[]
}
const file: Record<string, { tasks: Raw[] }> = JSON.parse(
  readFileSync(join(FIXTURES, "task-master/.taskmaster/tasks/tasks.json"), "utf8"),
)

function namesOf(tasks: readonly Raw[], above = ""): { title: string; name: string }[] {
  return tasks.flatMap(({ id, title, subtasks = [] }) => [
    { title, name: `${above}${id}` },
    ...namesOf(subtasks, `${above}${id}.`),
  ])
}

it("imports every tag, task and subtask, and nothing else", async () => {
  const { hive, report } = await imported("task-master")
  const all = Object.values(file).flatMap(({ tasks }) => namesOf(tasks))
  expect(report.sources).toMatchObject({ total: all.length + 2, taken: all.length + 2 })
  expect(sortedTitles(tasksOf(hive))).toEqual(all.map(({ title, name }) => `${title} (task ${name})`).sort())
  expect(plansOf(hive).map(({ title, status }) => `${title}: ${status}`)).toEqual([
    "master: Tasks for master context: active",
    "winter: The winter timetable: active",
  ])
  expect(memsOf(hive)).toEqual([])
  const { state } = hive.store.read()
  const current = state.trajectory.get(PROJECT_HEAD_ID)?.active_plan_id ?? ""
  expect(state.plan.get(current)?.title).toMatch(/^master/)
})

it("keeps statuses, subtasks and dependencies; the test strategy stays text and is not run", async () => {
  const { hive } = await imported("task-master")
  for (const [title, status] of Object.entries({
    "Store the timetable": "completed",
    "Book a seat": "active",
    "Draw the seat map": "completed",
    "Hold a seat for ten minutes": "review",
    "Refuse a full sailing": "blocked",
    "Fares by fax": "invalidated",
  }))
    expect(taskNamed(hive, title).status).toBe(status)
  expect(taskNamed(hive, "Print tickets").held_back).toBe("Deferred in task-master.")
  const count = taskNamed(hive, "Count the seats sold")
  expect(titlesOf(hive, count.depends_on)).toEqual(["Hold a seat for ten minutes"])
  expect(titlesOf(hive, [count.parent_task_id ?? ""])).toEqual(["Refuse a full sailing"])
  expect(titlesOf(hive, taskNamed(hive, "Ice on the quays").depends_on)).toEqual(["Winter prices"])
  const stored = taskNamed(hive, "Store the timetable")
  expect(stored.verify).toBeNull()
  expect(stored.expected_output).toContain("How it is tested:\nCompare every row with the printed table.")
  expect(stored.expected_output).toContain("Details:\nTimes are local to the quay")
  const rank = (title: string) => taskNamed(hive, title).rank ?? 0
  expect(rank("Store the timetable")).toBeLessThan(rank("Book a seat"))
  expect(rank("Refuse a full sailing")).toBeGreaterThan(rank("Print tickets"))
})

async function importText(text: string) {
  const hive = await fileHive()
  const path = join(hive.dir, "tasks.json")
  writeFileSync(path, text)
  return { hive, report: await importFrom(hive, "task-master", path) }
}

it("quarantines broken tasks, and imports the rest", async () => {
  const tasks = [
    { id: 1, title: "One", status: "simmering", dependencies: [2], priority: "urgent?" },
    { id: 2, title: "Two", status: "pending", dependencies: [1] },
    { id: 2, title: "Two again", status: "pending" },
    { title: "No id" },
    ...["a text", null],
  ]
  const file = { master: { tasks }, empty: { tasks: [] }, broken: { tasks: 3 }, note: "hello" }
  const { hive, report } = await importText(JSON.stringify(file))
  expect(report.sources).toEqual({ total: 10, taken: 4, already: 0, quarantined: 5, ignored: 1 })
  expect(tasksOf(hive).map(({ title, status, depends_on }) => [title, status, depends_on.length])).toEqual([
    ["Two (task 2)", "planned", 0],
    ["One (task 1)", "blocked", 1],
    ["Two again (task 2#2)", "planned", 0],
  ])
  const notes = report.notes.map(({ note }) => note).join()
  expect(notes).toMatch(/circle.*unknown status "simmering".*both were imported/)
  for (const text of ["{ not json", "[]", '{"name":"harbour","version":"1.0.0"}'])
    await expect(importText(text)).rejects.toThrow("not a file of task-master")
})

it("keeps tasks of two projects with the same numbers apart", async () => {
  const hive = await fileHive()
  const one = JSON.stringify({ master: { tasks: [{ id: 1, title: "One", status: "pending" }] } })
  for (const name of ["a.json", "b.json"]) {
    writeFileSync(join(hive.dir, name), one)
    expect((await importFrom(hive, "task-master", join(hive.dir, name))).sources.taken).toBe(2)
  }
  expect(tasksOf(hive).length).toBe(2)
})
