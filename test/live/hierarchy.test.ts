import { expect, it } from "vitest"
import { openBed } from "./bed/bed.ts"
import type { ModelRequest } from "./bed/model-request.ts"
import { refusalIn } from "./bed/refusal-in.ts"
import { call, calls, say } from "./bed/steps.ts"

/** The reply of the newest tool call that a request carries. */
const replied = (request: ModelRequest) => JSON.parse(request.toolOutputs.at(-1) ?? "{}")

it("the model sees the tree and where it stands, folds what is finished, and looks closer by short ids", async () => {
  await using bed = await openBed()
  const session = await bed.newSession("s")
  let tasks: { entity_id: string }[] = []
  bed.model.script(
    call("hivemind_session", { action: "start", intent: "Add login" }),
    call("hivemind_plan", {
      action: "create",
      title: "Auth",
      acceptance: ["it works"],
      phases: ["Schema", "API"],
    }),
    (request) =>
      call("hivemind_plan", {
        action: "plan_tasks",
        plan_id: replied(request).entity_id,
        tasks: [
          { title: "Migrate", expected_output: "a table", phase: "Schema" },
          { title: "Login", expected_output: "a route", phase: "API", depends_on: ["#0"] },
          {
            title: "Logout",
            expected_output: "a route",
            phase: "API",
            decisions: ["Which page comes next?"],
          },
        ],
      }),
    (request) => {
      tasks = replied(request).tasks
      return call("hivemind_task", { action: "start", task_id: tasks[0]?.entity_id })
    },
    call("hivemind_memory", { action: "save", content: "The table is there" }),
    call("hivemind_task", { action: "complete", evidence: "it is there" }),
    call("hivemind_hierarchy", { action: "status" }),
    call("hivemind_hierarchy", { action: "prune" }),
    call("hivemind_hierarchy", { action: "status" }),
    call("hivemind_hierarchy", { action: "prune" }),
    say("Folded."),
  )
  const first = await bed.prompt(session, "Go")
  const [before, pruned, after, again] = first.toolCalls
    .slice(-4)
    .map(({ output }) => JSON.parse(output ?? "{}"))
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
  expect(again).toMatchObject({
    status: "success",
    folded: [],
    note: expect.stringContaining("Nothing to fold"),
  })

  // Another turn, so that the ids are those the model has read.
  bed.model.script(
    calls(
      call("hivemind_inspect", { action: "scan" }),
      call("hivemind_inspect", { action: "deep" }),
      call("hivemind_inspect", { action: "deep", id: tasks[0]?.entity_id.slice(0, 8) }),
      call("hivemind_inspect", { action: "drift" }),
      call("hivemind_inspect", { action: "deep", id: "deadbeef" }),
      call("hivemind_inspect", { action: "deep", stamp: "301411022026" }),
      call("hivemind_hierarchy", { action: "rebuild" }),
    ),
    (request) =>
      call("hivemind_inspect", {
        action: "deep",
        id: JSON.parse(request.toolOutputs.at(-7) ?? "{}").session,
      }),
    say("Seen."),
  )
  const second = await bed.prompt(session, "Look")
  const [scan, here, other, drift, nobody, wrong, unknown, whole] = second.toolCalls.map(
    ({ output, error }) => (error === undefined ? JSON.parse(output ?? "{}") : refusalIn(error)),
  )
  expect(scan).toMatchObject({
    intent: "Add login",
    place: [
      expect.stringContaining('plan "Auth"'),
      expect.stringContaining('phase "API"'),
      expect.any(String),
    ],
    counts: { tasks: { completed: 1, active: 1, blocked: 1 } },
    open_decisions: [expect.stringContaining("Which page comes next?")],
    problems: [],
  })
  expect(here).toMatchObject({
    kind: "task",
    id: login,
    path: [expect.stringContaining('plan "Auth"'), expect.stringContaining('phase "API"')],
    siblings: [expect.stringContaining('task "Logout" (blocked)')],
    links: { depends_on: [expect.stringContaining('task "Migrate" (completed)')] },
  })
  expect(other.linked_from["task.depends_on"]).toEqual([`${login} task "Login" (active)`])
  expect(drift).toMatchObject({ status: "success", drift: { score: expect.any(Number) } })
  expect(nobody).toMatchObject({ status: "error", code: "not_found" })
  for (const reply of [wrong, unknown])
    expect(reply).toMatchObject({ status: "error", code: "invalid_argument" })
  expect(whole).toMatchObject({ kind: "session", record: { stamp: scan.session, intent: "Add login" } })
  expect(JSON.stringify([before, after, scan, here, other])).not.toMatch(WHOLE_ID)
  expect(bed.printed()).toBe("")
})

it("an executor is spared the tree, and can look closer", async () => {
  await using bed = await openBed()
  const { requests } = await bed.prompt(await bed.newSession("s"), "Hi", { agent: "hive-executor" })
  expect(requests[0]?.tools).toContain("hivemind_inspect")
  expect(requests[0]?.tools).not.toContain("hivemind_hierarchy")
})

const WHOLE_ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/
