import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it, vi } from "vitest"
import { HiveError, openHive } from "../src/api.ts"
import { hivePaths } from "../src/store/files/layout.ts"
import { usageFile } from "../src/store/files/usage-file.ts"
import { GIT_ENV } from "./support/git-repo.ts"
import { addPlan, aTask, aUsage, uuid } from "./support/records.ts"
import { writeIn } from "./support/state-in.ts"
import { makeTeam } from "./support/team.ts"
import { tempProject } from "./support/temp-project.ts"

it("anchors: save, list, get, update, remove", async () => {
  const dir = await tempProject()
  await writeFile(join(dir, "db.ts"), "x")
  const hive = await openHive(dir)
  const saved = await hive.anchors.save({ key: "DB", value: "Postgres", related_to: ["db.ts"] })
  await hive.anchors.save({ key: "RULE", value: "No semicolons", priority: "critical" })
  const listed = hive.anchors.list().map(({ anchor, isStale }) => `${anchor.key} ${isStale}`)
  expect(listed).toEqual(["RULE false", "DB false"])
  await writeFile(join(dir, "db.ts"), "y, and longer")
  expect(hive.anchors.get("db")).toMatchObject({ anchor: { id: saved.id, value: "Postgres" }, isStale: true })
  const updated = await hive.anchors.update({ key: "DB", value: "MySQL" })
  expect(updated).toMatchObject({ id: saved.id, value: "MySQL" })
  expect(hive.anchors.get("DB").isStale).toBe(false)
  expect(await hive.anchors.remove("DB")).toMatchObject({ status: "removed" })
  expect(() => hive.anchors.get("DB")).toThrow(/no anchor "DB"/)
  await expect(hive.anchors.save({ key: "rule", value: "x" })).rejects.toMatchObject({ code: "duplicate" })
  await hive.close()
})

it("memory: recall, get, flag, with checked arguments", async () => {
  const hive = await openHive(await tempProject())
  const mem = { content: "Sessions are JWTs", kind: "decision" } as const
  const { id } = await hive.memory.save(mem)
  const found = { id, ...mem, score: expect.any(Number), why: "words: sessions, jwts" }
  expect(await hive.memory.recall("session jwt")).toMatchObject([found])
  expect(await hive.memory.recall("session", { kinds: ["fact"] })).toEqual([])
  expect(hive.memory.get(id.slice(0, 8))).toMatchObject({ id })
  const flagged = { status: "invalidated", reason: "too large" }
  expect(await hive.memory.flag(id, "too large")).toMatchObject(flagged)
  await expect(hive.memory.recall("")).rejects.toMatchObject({ code: "invalid_argument" })
  await expect(hive.memory.flag(id, "")).rejects.toMatchObject({ code: "invalid_argument" })
  await hive.close()
})

it("memory: recall also finds failed tasks with their reason", async () => {
  const dir = await tempProject()
  await writeIn(dir, (tx) => {
    addPlan(tx)
    tx.add("task", aTask(3, 1, 2, { title: "Move sessions to JWT" }))
  })
  await writeIn(dir, (tx) => tx.set("task", uuid(3), { status: "failed", reason: "no revocation" }))
  const hive = await openHive(dir)
  const mem = await hive.memory.save({ content: "Sessions live in Redis", kind: "decision" })
  const failed = {
    id: uuid(3),
    kind: "failed task",
    content: "Move sessions to JWT",
    reason: "no revocation",
  }
  expect(await hive.memory.recall("sessions in a jwt")).toMatchObject([
    { id: mem.id, kind: "decision", reason: null },
    { ...failed, why: "words: sessions, jwt" },
  ])
  expect(await hive.memory.recall("redis")).toMatchObject([{ id: mem.id }])
  expect(await hive.memory.recall("jwt", { kinds: ["decision"] })).toEqual([])
  await hive.close()
})

it("sync: shares the log and settles conflicts", async () => {
  for (const [name, value] of Object.entries(GIT_ENV)) vi.stubEnv(name, value)
  const team = makeTeam(await tempProject())
  const [anna, bert] = [await openHive(team.anna), await openHive(team.bert)]
  await anna.anchors.save({ key: "DB", value: "Postgres" })
  await bert.anchors.save({ key: "DB", value: "MySQL" })
  expect(await anna.sync()).toMatchObject({ push: "kept" })
  expect(await anna.sync({ first: true })).toMatchObject({ push: "pushed", sent: 1 })
  expect(await bert.sync()).toMatchObject({ brought: 1, conflicts: [{ rule: "anchor_key" }] })
  const [conflict] = bert.conflicts.list()
  const stands = bert.anchors.get("DB").anchor.value
  await bert.conflicts.settle(conflict?.id ?? "", "lost")
  expect(bert.anchors.get("DB").anchor.value).not.toBe(stands)
  await bert.sync()
  await anna.sync()
  expect(anna.anchors.get("DB").anchor.value).toBe(bert.anchors.get("DB").anchor.value)
  expect(anna.conflicts.list()).toEqual([])
  await expect(anna.sync({ remote: "nowhere" })).rejects.toMatchObject({ code: "not_found" })
  await Promise.all([anna.close(), bert.close()])
})

it("cost: returns the total cost, or the cost since a time", async () => {
  const dir = await tempProject()
  const hive = await openHive(dir)
  await hive.memory.save({ content: "Sessions are JWTs" })
  for (const [n, at] of ["2026-10-30T10:00:00.000Z", "2026-11-15T10:00:00.000Z"].entries())
    usageFile(hivePaths(dir)).add(aUsage(`msg_${n}`, { at }))
  expect(await hive.cost()).toMatchObject({ total: { answers: 2, input: 200, cost: 1 }, plans: [] })
  const late = await hive.cost({ since: new Date("2026-11-01") })
  expect(late).toMatchObject({ total: { answers: 1, output: 20 }, models: [{ id: "test/one" }] })
  await hive.close()
})

it("plans and tasks: create, start, complete, fail, list", async () => {
  const dir = await tempProject()
  const hive = await openHive(dir)
  const { plan, tasks } = await hive.plans.create({
    title: "Discounts",
    acceptance: ["a code lowers the total"],
    tasks: [
      { title: "Apply", expected_output: "apply.ts", verify: "test -s apply.ts" },
      { title: "Ask", expected_output: "ask.ts", depends_on: ["#0"] },
      { title: "Print", expected_output: "print.ts" },
    ],
  })
  const [apply, ask, print] = tasks.map(({ id }) => id)
  if (apply === undefined || ask === undefined || print === undefined) throw new Error("three tasks")
  expect(hive.plans.list({ status: "open" })).toMatchObject([
    { id: plan.id, title: "Discounts", tasks: { all: 3, done: 0 } },
  ])
  await hive.tasks.start(apply)
  await writeFile(join(dir, "apply.ts"), "x")
  // The program decides whether a check runs.
  await expect(hive.tasks.complete(apply, "apply.ts is there")).rejects.toThrow(/was not run/)
  const asked: string[] = []
  const { unblocked } = await hive.tasks.complete(apply, "apply.ts is there", {
    mayRun: (command) => asked.push(command) > 0,
  })
  expect(asked).toEqual(["test -s apply.ts"])
  expect(unblocked.map(({ id }) => id)).toEqual([ask])
  await hive.tasks.start(print)
  expect(await hive.tasks.fail(print, "no printer")).toMatchObject({ status: "failed", reason: "no printer" })
  const over = hive.tasks.list({ plan: plan.id, status: "over" }).map(({ title }) => title)
  expect(over.sort()).toEqual(["Apply", "Print"])
  expect(await hive.plans.status(plan.id.slice(0, 8))).toMatchObject({ id: plan.id, tasks: { done: 1 } })
  expect(await hive.tasks.get(apply)).toMatchObject({ record: { evidence: "apply.ts is there" } })
  expect(hive.sessions.list()).toMatchObject([{ host: "api", state: "open", plan: { title: "Discounts" } }])
  expect((await hive.pack()).xml).toContain("Discounts")
  await hive.close()
  // The session ended with the program.
  const later = await openHive(dir)
  expect(later.sessions.list()).toMatchObject([{ host: "api", state: "closed" }])
  const more = Array.from({ length: 60 }, (_, n) => ({
    title: `Step ${n}`,
    expected_output: "x",
    depends_on: n === 0 ? [] : [`#${n - 1}`],
  }))
  expect(await later.tasks.plan(plan.id, more)).toHaveLength(60)
  const { tasks: many } = await later.plans.create({ title: "Many", acceptance: ["all done"], tasks: more })
  expect(many.filter(({ status }) => status === "blocked")).toHaveLength(59)
  await later.close()
})

it("changes: yields entries of another program, and entries after a given one", async () => {
  const dir = await tempProject()
  const [reader, writer] = [await openHive(dir), await openHive(dir)]
  await writer.memory.save({ content: "zero" })
  const [zero] = await writer.log()
  const end = new AbortController()
  const seen: string[] = []
  const following = (async () => {
    for await (const { ops } of reader.changes({ after: zero?.id ?? "", signal: end.signal }))
      seen.push(...ops.map((op) => (op.op === "add" && op.kind === "mem" ? op.record.content : op.op)))
  })()
  await writer.memory.save({ content: "one" })
  await expect.poll(() => seen).toEqual(["one"])
  const [, first] = await writer.log()
  await writer.memory.save({ content: "two" })
  await expect.poll(() => seen).toEqual(["one", "two"])
  end.abort()
  await following

  const later = reader.changes({ after: first?.id ?? "" })
  expect((await later.next()).value).toMatchObject({ ops: [{ record: { content: "two" } }] })
  await later.return()
  await Promise.all([reader.close(), writer.close()])
})

it("refuses wrong arguments of every call", async () => {
  const dir = await tempProject()
  const hive = await openHive(dir)
  const wrong: [name: string, ...given: unknown[]][] = [
    ["memory.save", { content: "" }],
    ["memory.list", "context"],
    ["memory.list", { limit: 0 }],
    ["memory.get", 7],
    ["plans.create", { title: "x" }],
    ["plans.list", { status: "nice" }],
    ["plans.status"],
    ["tasks.start", null],
    ["tasks.complete", "12345678"],
    ["tasks.fail", "12345678", ""],
    ["tasks.list", { limit: 1 }],
    ["anchors.save", { key: "x" }],
    ["anchors.get"],
    ["anchors.list", 5],
    ["conflicts.list", 5],
    ["tasks.plan", "12345678", []],
    ["tasks.complete", "12345678", "x", { mayRun: true }],
    ["sessions.list", { state: "busy" }],
    ["codemap.graph"],
    ["conflicts.settle", "x", "both"],
    ["pack", { asOf: "yesterday" }],
    ["sync", { remote: 1 }],
    ["cost", { since: "2026-11-01" }],
    ["log", { limit: -1 }],
    ["changes", { signal: true }],
    ["asOf", "2026-11-01"],
    ["undo", ""],
  ]
  for (const [name, ...given] of wrong) {
    const error: unknown = await callUntyped(hive, name, given).catch((thrown: unknown) => thrown)
    expect(error, name).toBeInstanceOf(HiveError)
    const what = expect.stringContaining(`${name} was not run`)
    expect(error, name).toMatchObject({ code: "invalid_argument", what })
  }
  await expect(hive.pack({ session: "nope" })).rejects.toMatchObject({ code: "not_found" })
  for (const options of [{ confg: {} }, { caller: { sesion: "x" } }, { caller: { agent: 7 } }, 5])
    await expect(callUntyped({ openHive }, "openHive", [dir, options])).rejects.toMatchObject({
      code: "invalid_argument",
      what: expect.stringContaining("openHive was not run"),
    })
  expect(hive.memory.list({ limit: 1 })).toEqual([])
  await hive.memory.save({ content: "one" })
  await hive.memory.save({ content: "two" })
  expect(hive.memory.list({ limit: 1 }).map(({ content }) => content)).toEqual(["two"])
  await hive.close()
})

async function callUntyped(hive: object, name: string, given: unknown[]): Promise<unknown> {
  let target: unknown = hive
  for (const part of name.split(".")) target = Reflect.get(Object(target), part)
  return (target as (...given: unknown[]) => unknown)(...given)
}
