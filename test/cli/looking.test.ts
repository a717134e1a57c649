import { describe, expect, test } from "vitest"
import { hivePaths } from "../../src/store/files/layout.ts"
import { usageFile } from "../../src/store/files/usage-file.ts"
import { aCheckpoint, aMem, anAnchor, aPhase, aPlan, aTask, by, uuid } from "../support/records.ts"
import { ANSWER, fillProject, refuse, SESSION, withStore } from "./filled-project.ts"
import { cli, cliJson, shown, useSandbox } from "./harness.ts"

const box = useSandbox(async ({ project }) => {
  const filled = await fillProject(project)
  await withStore(project, (store) =>
    store.write(by, (tx) => {
      tx.add("plan", aPlan(100, { title: "Payments", acceptance: ["cards are taken"] }))
      tx.add("phase", aPhase(101, 100, { title: "Cards" }))
      for (let n = 110; n < 140; n++) tx.add("task", aTask(n, 100, 101, { title: `Card ${n}` }))
      tx.add("checkpoint", { ...aCheckpoint(150, 0, { files: ["src/login.ts"] }), task_id: filled.task })
      tx.add("anchor", anAnchor(21, { key: "database", value: "postgres", priority: "critical" }))
      const own = { origin_task_id: uuid(110), kind: "decision" } as const
      tx.add("mem", aMem(11, { content: "Cards need 3-D Secure", ...own }))
    }),
  )
  return filled
})
const text = (args: string) => shown(box, args)
const json = (args: string) => cliJson(box, args)
const usage = () => usageFile(hivePaths(box.project))

describe("every list command", () => {
  test.each(["plans", "tasks", "memory", "memory anchors", "sessions", "log refusals"])(
    "%s has items, total and more, is paged, and says so if it is empty",
    async (name) => {
      const all = await json(`${name} --limit 1000`)
      expect(all).toMatchObject({ status: "success", project: box.project, more: 0 })
      expect(all.items).toHaveLength(all.total)
      const first = await json(`${name} --limit 1`)
      expect(first).toMatchObject({ total: all.total, more: Math.max(0, all.total - 1) })
      expect(first.items).toEqual(all.items.slice(0, 1))
      expect((await json(`${name} --limit 1 --page 2`)).items).toEqual(all.items.slice(1, 2))
      const none = await shown(box, [...name.split(" "), "--find", "no such words"])
      expect(none).toMatch(/^No such \w+\.\n$|^Nothing was refused/)
      for (const wrong of ["--page 0", "--limit none"])
        expect((await cli(box, `${name} ${wrong}`)).code).toBe(2)
      const help = await text(`${name} --help`)
      for (const option of ["--limit", "--page", "--find", "--json"]) expect(help).toContain(option)
    },
  )

  test("shortened ids are unique, and other commands accept them", async () => {
    const { items } = await json("tasks --limit 100")
    const shorts = items.map(({ short }: { short: string }) => short)
    expect(new Set(shorts).size).toBe(items.length)
    // The records of this test begin alike; one with an id of its own needs eight characters.
    const own = items.find(({ id }: { id: string }) => id === box.task)
    expect(own.short).toBe(box.task.slice(0, 8))
    for (const { short, id, title } of items.slice(0, 3)) {
      expect((await json(`tasks ${short}`)).task).toMatchObject({ id, title })
      const record = await text(`log ${short}`)
      for (const part of [`task ${id.slice(0, 8)}`, title]) expect(record).toContain(part)
    }
  })
})

test("lists plans with their progress and sessions, also if two are active", async () => {
  expect((await json("plans")).items).toMatchObject([
    { title: "Login", sessions: [box.stamp], tasks: { all: 2, done: 0, under_way: 1 } },
    { title: "Payments", sessions: [], tasks: { all: 30, done: 0, under_way: 0 } },
  ])
  const stdout = await text("plans")
  for (const part of ["▶ Login", "0 of 2 tasks done, 1 under way"]) expect(stdout).toContain(part)
  expect(stdout).toMatch(/ {3}Payments\n/)
  expect((await json("plans --status over")).total).toBe(0)
  expect((await json("plans --find pay")).total).toBe(1)
})

test("shows a plan with its criteria, tree, files and mems; an unknown or ambiguous id is refused", async () => {
  const stdout = await text(`plans ${uuid(100)}`)
  for (const part of ["cards are taken", "Cards need 3-D Secure", "[ ] Card 110"])
    expect(stdout).toContain(part)
  for (const [args, words] of [
    ["plans ffffffff", "`hivemind plans` shows them"],
    ["tasks 00000000", "Use more of the id."],
    ["memory anchors none", "`hivemind memory anchors`"],
    ["memory ffffffff", "ffffffff"],
    ["log refusals ffffffff", "ffffffff"],
  ] as const)
    expect(await cli(box, args)).toMatchObject({ code: 1, stderr: expect.stringContaining(words) })
})

test("tasks by plan, status, session and words", async () => {
  expect((await json(`tasks --plan ${uuid(100)}`)).total).toBe(30)
  expect((await json("tasks --status active")).items).toMatchObject([
    { title: "Build login", held_by: box.stamp, plan: { title: "Login" }, phase: "Build" },
  ])
  expect((await json(`tasks --session ${box.stamp}`)).total).toBe(1)
  expect((await cliJson(box, ["tasks", "--find", "card 11"])).total).toBe(10)
})

test("a task in full: checkpoints, files, mems, refusals and cost", async () => {
  const others = { ...REFUSED, task: uuid(110), what: "another task's" }
  await refuse(box.project, { ...REFUSED, task: box.task }, others)
  usage().add({ ...ANSWER, task: box.task, plan: uuid(100) })
  expect((await json(`tasks ${box.task}`)).task).toMatchObject({
    files: ["src/login.ts"],
    did: [{ files: ["src/login.ts"] }],
    mems: [{ content: "Use jose" }],
    refusals: [{ what: REFUSED.what }],
    spent: { answers: 1, fresh: 1200 },
  })
  const stdout = await text(`tasks ${box.task}`)
  for (const part of ["src/login.ts", "Use jose", REFUSED.what, "1,200 fresh input tokens"])
    expect(stdout).toContain(part)
  expect(stdout).not.toContain("another task's")
})

test("memory by kind, task and words; an id alone shows one in full", async () => {
  const cards = { content: "Cards need 3-D Secure" }
  expect((await json("memory --kind decision")).items).toMatchObject([cards])
  expect((await json(`memory --task ${box.task}`)).items).toMatchObject([{ content: "Use jose" }])
  expect((await json(`memory ${uuid(11)}`)).mem).toMatchObject(cards)
  expect(await text(`memory ${uuid(11)}`)).toContain("decision")
})

test("anchors, the most important first; one by its key or id", async () => {
  const { items } = await json("memory anchors")
  expect(items[0]).toMatchObject({ key: "database", priority: "critical" })
  expect((await json("memory anchors --priority critical")).total).toBe(1)
  expect(await text("memory anchors DATABASE")).toContain("postgres")
  expect((await json(`memory anchors ${uuid(21)}`)).anchor).toMatchObject({ key: "database" })
})

test("sessions with host, task in hand and state; one in full", async () => {
  expect((await json("sessions")).items).toMatchObject([
    {
      ...{ stamp: box.stamp, host_id: SESSION, host: "opencode", state: "open" },
      ...{ tasks: [{ title: "Build login" }], plan: { title: "Login" } },
    },
  ])
  const line = /open\s+Add a login page, last active \d+ s ago\n.*OpenCode.*Build login/
  expect(await text("sessions")).toMatch(line)
  expect((await json("sessions --state closed")).total).toBe(0)
  for (const name of [box.stamp, SESSION])
    expect((await json(`sessions ${name}`)).session.did).toMatchObject({ stamp: box.stamp })
})

test("lists a session that has no record, and accepts its id", async () => {
  usage().add({ ...ANSWER, session: "ses_asked" })
  usage().add({ ...ANSWER, session: "ses_sub", parent: "ses_asked", message: "msg_2" })
  await refuse(box.project, { ...REFUSED, session: "ses_kept" })
  expect(await json("sessions --state unrecorded")).toMatchObject({
    total: 2,
    items: [
      { host_id: "ses_kept", state: "unrecorded", agent: "build" },
      { host_id: "ses_asked", state: "unrecorded" },
    ],
  })
  expect((await json("sessions")).total).toBe(3)
  expect((await json("sessions --subagents")).total).toBe(4)
  expect(await text("sessions")).toMatch(/ses_asked +unrecorded no record of its own, /)
  const { session } = await json("sessions ses_asked")
  expect(session).toMatchObject({ did: null, spent: { cost: 0.5 } })
  expect(await text("sessions ses_kept")).toContain("bash was not run")
  expect(await text("status --session ses_asked")).toContain("ses_asked (without a record")
  expect(await text("context --session ses_asked")).toContain("Nothing has been sent to a model yet.")
  expect(await text("tasks --session ses_asked")).toContain("No such task.")
  expect(await json("context pack --session ses_asked")).toMatchObject({ session: "ses_asked" })
  const replay = await cli(box, "context replay 1 --session ses_asked")
  expect(replay.stderr).not.toContain("There is no session")
})

test("cost by plan, task and session, in tokens and money", async () => {
  expect(await text("cost")).toContain("No tokens were counted yet")
  const tasks = await withStore(box.project, async (store) => store.read().state.task)
  usage().add({ ...ANSWER, task: box.task, plan: tasks.get(box.task)?.parent_plan_id ?? null })
  usage().add({ ...ANSWER, message: "msg_2" })
  const stdout = await text("cost")
  expect(stdout).toMatch(/all 2 answers\s+2,400\s+60,000\s+800\s+\$0\.5000/)
  expect(stdout).toMatch(/Login\s+1,200\s+30,000\s+400\s+\$0\.2500\n\s+Build login\s+1,200/)
  expect(stdout).toMatch(/without a task\s+1,200/)
  expect(stdout).toMatch(/Add a login page\s+2,400/)
  expect((await json("cost --since 2026-11-16")).total.answers).toBe(0)
})

test("cost by task, with ids, paged", async () => {
  usage().add({ ...ANSWER, task: box.task, plan: uuid(100) })
  usage().add({ ...ANSWER, message: "msg_2", task: uuid(110), plan: uuid(100), cost: 2 })
  const { items, total, more } = await json("cost --by task --limit 1")
  expect({ total, more }).toEqual({ total: 2, more: 1 })
  expect(items).toMatchObject([{ id: uuid(110), title: "Card 110", spent: { cost: 2 } }])
  expect((await json(`tasks ${items[0].short}`)).task.title).toBe("Card 110")
  expect(await text("cost --by model")).toContain("test/one")
  expect(await text("cost --since 2999-01-01")).toBe("There were no answers in that time.\n")
})

const REFUSED = {
  ...{ at: "2999-01-01T10:00:00.000Z", session: SESSION, agent: "build", tool: "bash", code: "destructive" },
  what: "bash was not run: deletes src/new.ts, in no commit.",
  why: "What it does cannot be undone.",
  use_instead: "Commit it first.",
  ...{ evidence: "rm -rf src", files: ["src"], command: "rm -rf src" },
}
