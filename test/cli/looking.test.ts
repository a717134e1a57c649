import { beforeEach, describe, expect, test } from "vitest"
import { hivePaths } from "../../src/store/files/layout.ts"
import { refusalFile } from "../../src/store/files/log-file.ts"
import { usageFile } from "../../src/store/files/usage-file.ts"
import { aCheckpoint, aMem, anAnchor, aPhase, aPlan, aTask, by, uuid } from "../support/records.ts"
import { type Filled, fillProject, SESSION, withStore } from "./filled-project.ts"
import { cli, useSandbox } from "./harness.ts"

const box = useSandbox()
let filled: Filled
beforeEach(async () => {
  filled = await fillProject(box.project)
  await withStore(box.project, (store) =>
    store.write(by, (tx) => {
      tx.add("plan", aPlan(100, { title: "Payments", acceptance: ["cards are taken"] }))
      tx.add("phase", aPhase(101, 100, { title: "Cards" }))
      for (let n = 110; n < 140; n++) tx.add("task", aTask(n, 100, 101, { title: `Card ${n}` }))
      tx.add("checkpoint", { ...aCheckpoint(150, 0, { files: ["src/login.ts"] }), task_id: filled.task })
      tx.add("anchor", anAnchor(21, { key: "database", value: "postgres", priority: "critical" }))
      tx.add(
        "mem",
        aMem(11, { content: "Cards need 3-D Secure", origin_task_id: uuid(110), kind: "decision" }),
      )
    }),
  )
})

const text = async (...args: string[]) => {
  const { code, stdout, stderr } = await cli(box, args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return stdout
}
const json = async (...args: string[]) => JSON.parse(await text(...args, "--json"))

describe("every list", () => {
  test.each(["plans", "tasks", "memory", "memory anchors", "sessions", "log refusals"])(
    "%s has items, total and more, is paged, and says so where there is nothing",
    async (name) => {
      const all = await json(...name.split(" "), "--limit", "1000")
      expect(all).toMatchObject({ status: "success", project: box.project, more: 0 })
      expect(all.items).toHaveLength(all.total)
      const first = await json(...name.split(" "), "--limit", "1")
      expect(first).toMatchObject({ total: all.total, more: Math.max(0, all.total - 1) })
      expect(first.items).toEqual(all.items.slice(0, 1))
      expect((await json(...name.split(" "), "--limit", "1", "--page", "2")).items).toEqual(
        all.items.slice(1, 2),
      )
      expect(await text(...name.split(" "), "--find", "no such words")).toMatch(
        /^No such \w+\.\n$|^Nothing was refused/,
      )
      expect((await cli(box, [...name.split(" "), "--page", "0"])).code).toBe(2)
      const help = await text(...name.split(" "), "--help")
      for (const option of ["--limit", "--page", "--find", "--json"]) expect(help).toContain(option)
    },
  )

  test("ids are as short as they can be and still name one record, and other commands take them", async () => {
    const { items } = await json("tasks", "--limit", "100")
    const shorts = items.map(({ short }: { short: string }) => short)
    expect(new Set(shorts).size).toBe(items.length)
    // The records of this test begin alike; one with an id of its own needs eight characters.
    const own = items.find(({ id }: { id: string }) => id === filled.task)
    expect(own.short).toBe(filled.task.slice(0, 8))
    for (const { short, id, title } of items.slice(0, 3)) {
      expect((await json("tasks", short)).task).toMatchObject({ id, title })
      const shown = await text("log", short)
      expect(shown).toContain(`task ${id.slice(0, 8)}`)
      expect(shown).toContain(title)
    }
  })
})

describe("plans", () => {
  test("all of them, with progress and who is at them, also where two are active", async () => {
    const { items } = await json("plans")
    expect(items).toMatchObject([
      { title: "Login", sessions: [filled.stamp], tasks: { all: 2, done: 0, under_way: 1 } },
      { title: "Payments", sessions: [], tasks: { all: 30, done: 0, under_way: 0 } },
    ])
    const stdout = await text("plans")
    expect(stdout).toContain("▶ Login")
    expect(stdout).toContain(`0 of 2 tasks done, 1 under way`)
    expect(stdout).toMatch(/ {3}Payments\n/)
    expect((await json("plans", "--status", "over")).total).toBe(0)
    expect((await json("plans", "--find", "pay")).total).toBe(1)
  })

  test("one in full: what is accepted, its tree, files and mems", async () => {
    const stdout = await text("plans", uuid(100))
    expect(stdout).toContain("cards are taken")
    expect(stdout).toContain("Cards need 3-D Secure")
    expect(stdout).toContain("[ ] Card 110")
    expect(await cli(box, ["plans", "ffffffff"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("`hivemind plans` shows them"),
    })
    const { stderr } = await cli(box, ["tasks", "00000000"])
    expect(stderr).toContain("Use more of the id.")
  })
})

describe("tasks", () => {
  test("by plan, status, session and words", async () => {
    expect((await json("tasks", "--plan", uuid(100))).total).toBe(30)
    expect((await json("tasks", "--status", "active")).items).toMatchObject([
      { title: "Build login", held_by: filled.stamp, plan: { title: "Login" }, phase: "Build" },
    ])
    expect((await json("tasks", "--session", filled.stamp)).total).toBe(1)
    expect((await json("tasks", "--find", "card 11")).total).toBe(10)
  })

  test("one in full: checkpoints, files, mems, refusals and cost", async () => {
    const file = refusalFile(hivePaths(box.project))
    file.add({ ...REFUSED, task: filled.task })
    file.add({ ...REFUSED, task: uuid(110), what: "another task's" })
    await file.idle()
    usageFile(hivePaths(box.project)).add({ ...ANSWER, task: filled.task })
    const { task } = await json("tasks", filled.task)
    expect(task).toMatchObject({
      files: ["src/login.ts"],
      did: [{ files: ["src/login.ts"] }],
      mems: [{ content: "Use jose" }],
      refusals: [{ what: REFUSED.what }],
      spent: { answers: 1, fresh: 1200 },
    })
    const stdout = await text("tasks", filled.task)
    for (const part of ["src/login.ts", "Use jose", REFUSED.what, "1,200 fresh input tokens"])
      expect(stdout).toContain(part)
    expect(stdout).not.toContain("another task's")
  })
})

test("memory by kind, task and words; an id alone shows one in full", async () => {
  expect((await json("memory", "--kind", "decision")).items).toMatchObject([
    { content: "Cards need 3-D Secure" },
  ])
  expect((await json("memory", "--task", filled.task)).items).toMatchObject([{ content: "Use jose" }])
  expect((await json("memory", uuid(11))).mem).toMatchObject({ content: "Cards need 3-D Secure" })
  expect(await text("memory", uuid(11))).toContain("decision")
})

test("anchors, the most important first; one by its key or id", async () => {
  const { items } = await json("memory", "anchors")
  expect(items[0]).toMatchObject({ key: "database", priority: "critical" })
  expect((await json("memory", "anchors", "--priority", "critical")).total).toBe(1)
  expect(await text("memory", "anchors", "DATABASE")).toContain("postgres")
  expect((await json("memory", "anchors", uuid(21))).anchor).toMatchObject({ key: "database" })
  expect(await cli(box, ["memory", "anchors", "none"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("database"),
  })
})

test("sessions with host, task in hand and state; one in full", async () => {
  const { items } = await json("sessions")
  expect(items).toMatchObject([
    {
      stamp: filled.stamp,
      host_id: SESSION,
      host: "opencode",
      state: "open",
      tasks: [{ title: "Build login" }],
      plan: { title: "Login" },
    },
  ])
  expect(await text("sessions")).toMatch(
    /open\s+Add a login page, last active \d+ s ago\n.*OpenCode.*Build login/,
  )
  expect((await json("sessions", "--state", "closed")).total).toBe(0)
  for (const name of [filled.stamp, SESSION])
    expect((await json("sessions", name)).session.did).toMatchObject({ stamp: filled.stamp })
})

test("a session without a record of its own is listed as that, and its id is taken", async () => {
  const usage = usageFile(hivePaths(box.project))
  usage.add({ ...ANSWER, session: "ses_asked", plan: null })
  usage.add({ ...ANSWER, session: "ses_sub", parent: "ses_asked", message: "msg_2", plan: null })
  const file = refusalFile(hivePaths(box.project))
  file.add({ ...REFUSED, session: "ses_kept" })
  await file.idle()
  const { items, total } = await json("sessions", "--state", "unrecorded")
  expect(total).toBe(2)
  expect(items).toMatchObject([
    { host_id: "ses_kept", state: "unrecorded", agent: "build" },
    { host_id: "ses_asked", state: "unrecorded" },
  ])
  expect((await json("sessions")).total).toBe(3)
  expect((await json("sessions", "--subagents")).total).toBe(4)
  expect(await text("sessions")).toMatch(/ses_asked +unrecorded no record of its own, /)
  expect(await json("sessions", "ses_asked")).toMatchObject({ session: { did: null, spent: { cost: 0.5 } } })
  expect(await text("sessions", "ses_kept")).toContain("bash was not run")
  expect(await text("status", "--session", "ses_asked")).toContain("ses_asked (without a record")
  expect(await text("context", "--session", "ses_asked")).toContain("Nothing has been injected yet.")
  expect(await text("tasks", "--session", "ses_asked")).toContain("No such task.")
  expect(await json("context", "pack", "--session", "ses_asked")).toMatchObject({ session: "ses_asked" })
  expect((await cli(box, ["context", "replay", "1", "--session", "ses_asked"])).stderr).not.toContain(
    "There is no session",
  )
  expect((await cli(box, ["status", "--session", "ses_nobody"])).code).toBe(1)
})

test("refusals have ids, and one is shown by it", async () => {
  const file = refusalFile(hivePaths(box.project))
  file.add(REFUSED)
  await file.idle()
  const { items } = await json("log", "refusals", "--code", "destructive")
  expect(await text("log", "refusals", items[0].short)).toContain("run it yourself")
  expect((await json("log", "refusals", "--session", filled.stamp)).total).toBe(1)
  expect((await cli(box, ["log", "refusals", "ffffffff"])).code).toBe(1)
})

test("cost by task, with ids, paged", async () => {
  const usage = usageFile(hivePaths(box.project))
  usage.add({ ...ANSWER, task: filled.task })
  usage.add({ ...ANSWER, message: "msg_2", task: uuid(110), plan: uuid(100), cost: 2 })
  const { items, total, more } = await json("cost", "--by", "task", "--limit", "1")
  expect({ total, more }).toEqual({ total: 2, more: 1 })
  expect(items).toMatchObject([{ id: uuid(110), title: "Card 110", spent: { cost: 2 } }])
  expect((await json("tasks", items[0].short)).task.title).toBe("Card 110")
  expect(await text("cost", "--by", "model")).toContain("test/one")
  expect(await text("cost", "--since", "2999-01-01")).toBe("Nothing was answered in that time.\n")
})

test("--help has the commands in groups", async () => {
  const stdout = await text("--help")
  const at = (words: string) => stdout.indexOf(words)
  const shown = [
    "\nSet up:",
    "  init ",
    "\nSee:",
    "  plans ",
    "\nRemember:",
    "  memory ",
    "\nShare:",
    "  sync ",
  ]
  expect(shown.map(at)).toEqual(shown.map(at).toSorted((a, b) => a - b))
  expect(at("\nSet up:")).toBeGreaterThan(0)
  for (const hidden of ["  queue ", "  export ", "  refusals "]) expect(stdout).not.toContain(hidden)
})

const REFUSED = {
  at: "2999-01-01T10:00:00.000Z",
  session: SESSION,
  agent: "build",
  tool: "bash",
  code: "destructive",
  what: "bash was not run: deletes src/new.ts, in no commit.",
  why: "What it does cannot be undone.",
  use_instead: "Commit it first.",
  evidence: "rm -rf src",
  files: ["src"],
  command: "rm -rf src",
}
const ANSWER = {
  at: "2026-11-15T10:00:00.000Z",
  message: "msg_1",
  session: SESSION,
  parent: null,
  agent: "build",
  model: "test/one",
  task: null,
  plan: uuid(100),
  delegation: null,
  ...{ input: 1200, cache_write: 0, cache_read: 30_000, output: 400, reasoning: 0, cost: 0.25 },
}
