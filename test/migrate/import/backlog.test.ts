import { readdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { placeOf } from "../../../src/graph/by-age.ts"
import { importFrom } from "../../../src/migrate/import/import.ts"
import { fileHive } from "../../support/file-hive.ts"
import { writeFiles } from "../../support/git-repo.ts"
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

it("imports every file of Backlog.md, and nothing else", async () => {
  const { hive, report } = await imported("backlog")
  const root = join(FIXTURES, "backlog/backlog")
  const all = readdirSync(root, { recursive: true, encoding: "utf8" })
  const files = all.filter((name) => /\.(md|yml)$/.test(name))
  expect(report.sources).toMatchObject({ total: files.length, taken: files.length })
  const tasks = files.filter((name) => /^(archive\/)?(tasks|drafts|completed)\//.test(name))
  const ids = tasks.map((name) => /^id: (.+)$/m.exec(readFileSync(join(root, name), "utf8"))?.[1])
  const idIn = (text: string) => /^(\S+) in Backlog\.md/m.exec(text)?.[1]
  expect(
    tasksOf(hive)
      .map(({ expected_output }) => idIn(expected_output))
      .sort(),
  ).toEqual(ids.sort())
  expect(plansOf(hive).map(({ title }) => title)).toEqual(["Harbour"])
  const phases = sortedTitles(hive.store.read().state.phase.values())
  expect(phases).toEqual(["First ferry", "Inbox", "Winter timetable"])
  // One milestone, two decisions, two documents, one note and one comment.
  expect(memsOf(hive).length).toBe(7)
})

it("keeps statuses, sub-tasks, dependencies and criteria; drafts are planned ahead, archived tasks are over", async () => {
  const { hive } = await imported("backlog")
  const { state } = hive.store.read()
  const table = taskNamed(hive, "Timetable as a table of sailings")
  expect(table).toMatchObject({ status: "active", created_at: "2026-11-16T07:01:00.000Z" })
  expect(state.phase.get(table.parent_phase_id)?.title).toBe("First ferry")
  for (const words of [
    "Every sailing with its ship, quay and time.\n\nTimes are local to the quay.",
    "Acceptance Criteria:\n- [x] #1 A sailing has exactly one quay\n- [ ] #2 Times survive",
    "Definition of Done:\n- [ ] #1 Reviewed by one other",
    "Implementation Plan:\n1. Read the printed table",
    "labels data, core; assigned to @ada",
  ])
    expect(table.expected_output).toContain(words)
  expect(table.expected_output).not.toContain("<!--")
  const about = memsOf(hive).filter(({ origin_task_id }) => origin_task_id === table.id)
  expect(about.map(({ content }) => content)).toEqual([
    "Took the quay times as they are printed.\n- twelve quays\n\nx",
    "Quay three has no number",
  ])
  const booking = taskNamed(hive, "Booking of a seat")
  expect(booking.status).toBe("blocked")
  expect(titlesOf(hive, booking.depends_on)).toEqual(["Timetable as a table of sailings"])
  const parts = tasksOf(hive).filter(({ parent_task_id }) => parent_task_id === booking.id)
  expect(parts.sort((a, b) => placeOf(a) - placeOf(b)).map(({ title }) => title)).toEqual([
    "Refusal of a full sailing (TASK-2.2)",
    "Seat map of a ship (TASK-2.1)",
  ])
  expect(state.phase.get(parts[0]?.parent_phase_id ?? "")?.title).toBe("First ferry")
  for (const [title, fields] of Object.entries({
    "Old fare rules": { status: "completed", evidence: "Removed with the old prices." },
    "A mistaken thought": { status: "invalidated", reason: "Archived in Backlog.md." },
    "Draft about dogs on board": { status: "planned", ahead: true },
  }))
    expect(taskNamed(hive, title)).toMatchObject(fields)
  expect(tasksOf(hive).find(({ title }) => title.startsWith("Find out why"))).toMatchObject({
    title:
      'Find out why the queue at quay three forgets people, a title that is longer than one line of a terminal: "quoted" and # marked (TASK-3)',
    status: "blocked",
    held_back: "Blocked in Backlog.md.",
  })
  const decisions = memsOf(hive).filter(({ kind }) => kind === "decision")
  expect(decisions.map(({ content, resolved }) => [content.split("\n")[0], resolved])).toEqual([
    ["Times are stored in UTC", true],
    ["Seats are numbered by deck", false],
  ])
})

async function importFiles(files: Record<string, string>, link?: string) {
  const hive = await fileHive()
  const root = join(hive.dir, "backlog")
  writeFiles(root, files)
  if (link !== undefined) symlinkSync(link, join(root, "tasks", "link.md"))
  return { hive, report: await importFrom(hive, "backlog", root) }
}

const page = (id: string, fields = "", body = "") =>
  `---\nid: ${id}\ntitle: Title of ${id}\n${fields}---\n\n${body}\n`

it("reads older files: names without quotes, no marks, milestones by name, dates day first", async () => {
  const done = "assignee: @ada\ncreated_date: 04-05-25\nmilestone: Spring\n"
  const waiting = "assignee: [@ada, @ben]\ndependencies: [task-1, task-9]\r\n"
  const body = "## Description\n\nFirst\n\n## Why\n\nSecond\n\n## Implementation Notes\n\nThird"
  const { hive, report } = await importFiles({
    "config.yml": 'project_name: "Old"\nstatuses: ["Backlog", "Cooking", "Served"]\n',
    "tasks/task-001 - a.md": page("task-001", `status: Served\n${done}`),
    "tasks/task-2 - b.md": page("task-2", `status: Cooking\n${waiting}`, body.replaceAll("\n", "\r\n")),
  })
  expect(report.sources).toMatchObject({ total: 3, taken: 3 })
  const first = { status: "completed", created_at: "2025-05-04T00:00:00.000Z" }
  expect(taskNamed(hive, "Title of task-001")).toMatchObject(first)
  const second = taskNamed(hive, "Title of task-2")
  expect(titlesOf(hive, second.depends_on)).toEqual(["Title of task-001"])
  expect(second.expected_output).toContain("First\n\nWhy:\nSecond")
  expect(second.expected_output).toContain("assigned to @ada, @ben")
  expect(second.expected_output).toContain("waits for task-9 (not linked: there is no such task)")
  expect(memsOf(hive).map(({ content }) => content)).toEqual(["Third"])
  expect(report.notes.map(({ note }) => note)).toEqual([
    'a task had no date: the date of the import is used; a dependency that was not imported as a task is only named in the text; the unknown status "Cooking" counts as planned',
  ])
  expect([...hive.store.read().state.phase.values()].map(({ title }) => title)).toContain("Spring")
})

it("quarantines broken files, follows no link out of the folder, and imports the rest", async () => {
  const bomb = `a: &a [1,1,1]\nb: &b [*a,*a,*a]\nc: &c [*b,*b,*b]\nd: &d [*c,*c,*c]\ne: [${"*d,".repeat(200)}*d]\n`
  const { hive, report } = await importFiles(
    {
      "config.yml": "a: [broken",
      "tasks/task-1 - a.md": page("task-1", "dependencies: [task-2]\n"),
      "tasks/task-2 - b.md": page("task-2", "dependencies: [task-1]\nparent_task_id: task-3\n"),
      "tasks/task-3 - c.md": page("task-3", "parent_task_id: task-2\n"),
      "tasks/no-front.md": "# Just text\n",
      "tasks/not-yaml.md": "---\nid: task-9\n  title: : [\n---\n",
      "tasks/bomb.md": `---\n${bomb}---\n`,
      "tasks/list.md": "---\n- a\n- b\n---\n",
      "tasks/no-id.md": "---\ntitle: x\n---\n",
      "tasks/picture.png": "x",
      "tasks/sub/task-4 - d.md": page("task-4"),
      "completed/task-1 - other.md": page("task-1", "status: Done\n", "Another one"),
      "archive/tasks/task-2 - b.md": page("task-2", "dependencies: [task-1]\nparent_task_id: task-3\n"),
      "docs/readme.md": "# Docs\n",
    },
    "/etc/hostname",
  )
  expect(report.sources).toEqual({ total: 15, taken: 4, already: 0, quarantined: 6, ignored: 5 })
  expect(report.quarantined.map(({ from, reason }) => `${from}: ${reason}`).sort()).toEqual([
    "config.yml: configuration that is not YAML",
    "tasks/bomb.md: front matter that is not YAML",
    "tasks/list.md: front matter that is not YAML",
    "tasks/no-front.md: no front matter",
    "tasks/no-id.md: a task without an id",
    "tasks/not-yaml.md: front matter that is not YAML",
  ])
  expect(report.ignored.map(({ reason }) => reason).sort()).toEqual([
    "a folder that Backlog.md does not read",
    "a symbolic link: it may lead elsewhere",
    "about the folder, not a record",
    "not a Markdown file",
    "the same task is in another folder too",
  ])
  const found = tasksOf(hive).map(({ title, status }) => `${title}: ${status}`)
  expect(found.sort()).toEqual([
    "Title of task-1: blocked",
    "Title of task-1: completed",
    "Title of task-2: planned",
    "Title of task-3: planned",
  ])
})
