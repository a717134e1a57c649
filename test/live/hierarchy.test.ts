import { expect, it } from "vitest"
import { openBed } from "./bed/bed.ts"
import { calls, hive, replied, save } from "./bed/steps.ts"

it("the model sees the tree and its place in it, folds finished branches, and inspects records by short ids", async () => {
  await using bed = await openBed()
  const session = await bed.newSession("s")
  let tasks: { entity_id: string }[] = []
  const first = await bed.prompt(
    session,
    "Go",
    hive("session start", { intent: "Add login" }),
    hive("plan create", { title: "Auth", acceptance: [], phases: ["Schema", "API"] }),
    (request) =>
      hive("plan plan_tasks", {
        plan_id: replied(request).entity_id,
        tasks: [
          { title: "Migrate", expected_output: "a table", phase: "Schema" },
          { title: "Login", expected_output: "a route", phase: "API", depends_on: ["#0"] },
          { title: "Logout", expected_output: "a route", phase: "API", decisions: ["Which page?"] },
        ],
      }),
    (request) => {
      tasks = replied(request).tasks
      return hive("task start", { task_id: tasks[0]?.entity_id })
    },
    save("The table is there"),
    hive("task complete", { evidence: "it is there" }),
    hive("hierarchy status"),
    hive("hierarchy prune"),
    hive("hierarchy status"),
    hive("hierarchy prune"),
  )
  const [before, pruned, after, again] = first.replies.slice(-4)
  const login = tasks[1]?.entity_id.slice(0, 8) ?? "?"
  expect(before).toMatchObject({ status: "success", here: `${login} Login`, can_be_pruned: 1 })
  expect(
    before.tree.split("\n").map((line: string) => line.replaceAll(/ {2}[0-9a-f]{8} {2}\d{12}(-\d)?/g, "")),
  ).toEqual([
    "[>] Auth",
    "├── [x] Schema",
    "│   └── [x] Migrate",
    "└── [>] API",
    "    ├── [>] Login  ◀ here",
    "    └── [ ] Logout  blocked",
  ])
  expect(pruned).toMatchObject({ status: "success", count: 1, folded: [{ title: "Schema", tasks: 1 }] })
  expect(after.tree).toContain("├── [x] Schema: 1 task done: Migrate  ")
  expect(after).toMatchObject({ here: `${login} Login`, can_be_pruned: 0 })
  expect(again).toMatchObject({ status: "success", folded: [] })

  // Another turn, so that the ids are those the model has read.
  const deep = (id?: string) => hive("inspect deep", { id })
  const { replies } = await bed.prompt(
    session,
    "Look",
    calls(hive("inspect scan"), deep(), deep(tasks[0]?.entity_id.slice(0, 8))),
    (request) => deep(replied(request, -3).session),
  )
  const [scan, here, other, whole] = replies
  expect(scan).toMatchObject({
    intent: "Add login",
    place: [...PATH, expect.any(String)],
    counts: { tasks: { completed: 1, active: 1, blocked: 1 } },
    open_decisions: [expect.stringContaining("Which page?")],
    problems: [],
  })
  expect(here).toMatchObject({
    kind: "task",
    id: login,
    path: PATH,
    siblings: [expect.stringContaining('task "Logout" (blocked)')],
    links: { depends_on: [expect.stringContaining('task "Migrate" (completed)')] },
  })
  expect(other.linked_from["task.depends_on"]).toEqual([`${login} task "Login" (active)`])
  expect(whole).toMatchObject({ kind: "session", record: { stamp: scan.session, intent: "Add login" } })
  expect(JSON.stringify([before, after, scan, here, other])).not.toMatch(WHOLE_ID)
  expect(bed.printed()).toBe("")
})

const PATH = [expect.stringContaining('plan "Auth"'), expect.stringContaining('phase "API"')]
const WHOLE_ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/
