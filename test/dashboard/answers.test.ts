import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { COMMANDS } from "../../src/cli/commands.ts"
import { healthAnswer } from "../../src/dashboard/answers/health.ts"
import { memAnswer, memoryAnswer } from "../../src/dashboard/answers/memory.ts"
import { nowAnswer } from "../../src/dashboard/answers/now.ts"
import { taskAnswer } from "../../src/dashboard/answers/plans.ts"
import { timelineAnswer } from "../../src/dashboard/answers/timeline.ts"
import { pageJson } from "../../src/dashboard/page-files.ts"
import { notePressure } from "../../src/graph/pressure.ts"
import { headIdOf } from "../../src/graph/read-head.ts"
import { saveMem } from "../../src/knowledge/memory/save.ts"
import { drain, enqueue } from "../../src/queue/queue.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { INTENT_SHIFT } from "../../src/work/session/session.ts"
import { fileHive } from "../support/file-hive.ts"
import { memoryHive } from "../support/hive.ts"
import { aConflict, addPlan, aMem, aPhase, aPlan, aTask, by, uuid } from "../support/records.ts"
import { callTool } from "../tools/call-tool.ts"

it("each thread holds what belongs together: work in another plan is not put under the read-head's", async () => {
  const hive = memoryHive()
  await callTool(hive, "session", { action: "start", intent: "Write the helper docs" })
  await callTool(hive, "session", { action: "start", intent: "Mend the build" }, "ses_2")
  const [docs, unplanned] = [uuid(1), uuid(2)]
  await hive.store.write(by, (tx) => {
    tx.add("plan", aPlan(1, { title: "Helper docs" }))
    tx.add("phase", aPhase(3, 1, { title: "Write" }))
    tx.add("plan", aPlan(2, { title: "Unplanned work" }))
    tx.add("phase", aPhase(4, 2, { title: "Inbox", inbox: true }))
    tx.add("task", aTask(5, 2, 4, { status: "active", assigned_session_id: "ses_1" }))
    tx.add("task", aTask(6, 1, 3, { status: "active", assigned_session_id: "ses_2" }))
    for (const session of ["ses_1", "ses_2"])
      tx.set("trajectory", headIdOf(session), { active_plan_id: docs, active_phase_id: uuid(3) })
  })
  const { threads } = await nowAnswer(hive, 0)
  const shown = threads.map(({ session, plan, phase, tasks }) => [
    session?.id,
    plan?.id,
    phase,
    ...tasks.map(({ title }) => title),
  ])
  expect(shown).toHaveLength(3)
  expect(shown).toContainEqual(["ses_1", unplanned, null, "Task 5"])
  expect(shown).toContainEqual(["ses_2", docs, "Write", "Task 6"])
  expect(shown).toContainEqual(["ses_1", docs, "Write"])
})

it("the context gauge shows the session whose context window is fullest, not the newest one", async () => {
  const hive = memoryHive()
  for (const name of ["ses_1", "ses_2", "ses_new"])
    await callTool(hive, "session", { action: "start", intent: name }, name)
  await hive.store.write(by, (tx) => {
    const counts = { input: 0, cache_write: 0, output: 0, reasoning: 0 }
    notePressure(tx, "ses_1", { ...counts, cache_read: 72_000 }, 100_000)
    notePressure(tx, "ses_2", { ...counts, cache_read: 10_000 }, 100_000)
  })
  expect((await nowAnswer(hive, 0)).window).toMatchObject({ share: 0.72, session: "ses_1", name: "ses_1" })
})

it("names the decisions that wait for a person and what they keep, and what a task waits for", async () => {
  const hive = memoryHive()
  await callTool(hive, "session", { action: "start", intent: "Tokens" })
  await hive.store.write(by, (tx) => {
    addPlan(tx)
    tx.add("mem", aMem(7, { content: "RS256 or HS256?", kind: "decision", resolved: false }))
    tx.add("mem", aMem(8, { content: "Tabs", kind: "decision", resolved: true }))
    tx.add("task", aTask(5, 1, 2, { title: "Sign", status: "blocked", decisions: [uuid(7)] }))
  })
  const { decisions, sessions } = await nowAnswer(hive, 0)
  const sign = uuid(5)
  expect(decisions).toMatchObject([{ content: "RS256 or HS256?", keeps: [{ id: sign, title: "Sign" }] }])
  expect((await taskAnswer(hive, sign)).obstacles).toMatchObject([
    { isDecision: true, on: { kind: "mem", id: decisions[0]?.id } },
  ])
  // No message has moved the session, so there is nothing to take back.
  expect(sessions).toMatchObject([{ hasShifted: false }])
  await hive.store.write(by, (tx) =>
    tx.set("trajectory", headIdOf("ses_1"), { intent_shift_at: "2026-01-01T00:00:00.000Z" }),
  )
  expect((await nowAnswer(hive, 0)).sessions).toMatchObject([{ hasShifted: true }])
})

it("lists mems by status, and names archived ones", async () => {
  const hive = await fileHive()
  writeFileSync(join(hive.dir, "port.txt"), "81")
  await hive.store.write(by, (tx) => {
    tx.add("mem", aMem(101, { content: "Port 80" }))
    tx.add("mem", aMem(104, { content: "Which port?", kind: "decision", resolved: false }))
    tx.add("mem", aMem(105, { content: "Tabs", evidence: [`port.txt@${"a".repeat(16)}`] }))
    tx.add("mem", aMem(106, { content: "It is fast" }))
  })
  await hive.store.write(by, (tx) => tx.set("mem", uuid(106), { status: "invalidated", reason: "it is not" }))
  const caller = { tool: "test", session: null, agent: null }
  const second = await saveMem(hive, caller, { content: "Port 8080", supersedes: uuid(101) })
  const third = await saveMem(hive, caller, { content: "Port 443", supersedes: second.id })
  const list = async (status: string, q = "") =>
    (await memoryAnswer(hive, { q, kind: "", shelf: "", status, page: 1 })).items
      .map(({ content }) => content)
      .sort()
  expect(await list("")).toEqual(["Port 443", "Tabs", "Which port?"])
  expect(await list("superseded")).toEqual(["Port 80", "Port 8080"])
  expect(await list("open")).toEqual(["Which port?"])
  expect(await list("open", "port")).toEqual(["Which port?"])
  expect(await list("changed")).toEqual(["Tabs"])
  expect(await list("invalidated")).toEqual(["It is fast"])
  // Both are in the archive: what superseded what can still be read.
  const links = async (id: string) =>
    (await memAnswer(hive, id)).links.map(({ field, title }) => `${field} ${title}`)
  expect(await links(third.id)).toEqual(['supersedes "Port 8080"'])
  expect(await links(uuid(101))).toEqual(['mem.supersedes "Port 8080"'])
})

it("shows the same health as the command line: sync, broken copies, conflicts and refusals", async () => {
  const hive = await fileHive()
  await hive.store.write(by, (tx) => {
    tx.add("plan", aPlan(1))
    tx.add(
      "conflict",
      aConflict(2, { status: "noted", rule: "same_field", kind: "plan", record_id: uuid(1) }),
    )
  })
  const copy = join(hivePaths(hive.home).parts, "mem-0001.jsonl.broken-150314112026")
  writeFileSync(copy, "{")
  await enqueue(hive, "dashboard", { do: "unblock_task", task: uuid(9) })
  await drain(hive)
  const health = await healthAnswer(hive)
  expect(health).toMatchObject({
    sync: null,
    setAside: [expect.stringContaining("broken-150314112026")],
    conflicts: [],
    settled: [{ happened: "changed by two clones" }],
    asked: [{ isWaiting: false, text: `Unblock task: ${uuid(9)}`, refusal: { what: expect.any(String) } }],
  })
})

it("removes hidden characters and changes of the text direction, and keeps plain text", () => {
  const plain = { title: "Über 日本 👩‍🚀 naïve “x”\n\tline", path: "C:\\users" }
  expect(JSON.parse(pageJson(plain))).toEqual(plain)
  expect(
    pageJson({ title: "Safe \u202Egnp.exe", tags: ["\u202Eevil", "a\u0000\u001b[2Jb", "c\u200bd"] }),
  ).toBe('{"title":"Safe gnp.exe","tags":["evil","a[2Jb","cd"]}')
})

it("the timeline has sentences without bookkeeping; a stamp that two clones used finds both sessions", async () => {
  const hive = memoryHive()
  const write = (tool: string, session: string | null, change: Parameters<typeof hive.store.write>[1]) =>
    hive.store.write({ tool, session, agent: null }, change)
  await callTool(hive, "session", { action: "start", intent: "Sign in" })
  await callTool(hive, "session", { action: "start", intent: "Sign out" }, "ses_2")
  const stamp = "030716112026"
  await write("test", null, (tx) => {
    for (const { id } of [...tx.all("session")]) tx.set("session", id, { stamp })
    tx.add("plan", aPlan(1, { title: "Door" }))
    tx.add("phase", aPhase(2, 1))
    tx.add("task", aTask(3, 1, 2, { title: "Lock" }))
    tx.add("task", aTask(4, 1, 2, { title: "Bell" }))
  })
  await write("hivemind_task.start", "ses_1", (tx) => tx.set("task", uuid(3), { status: "active" }))
  await write("hivemind_task.fail", "ses_1", (tx) =>
    tx.set("task", uuid(3), { status: "failed", reason: "no key" }),
  )
  await write("hivemind_memory", "ses_2", (tx) =>
    tx.add("mem", aMem(5, { kind: "decision", resolved: true, content: "Use brass" })),
  )
  await write("queue", null, (tx) => tx.set("task", uuid(4), { rank: 2 }))
  await write("turn end", "ses_1", (tx) =>
    tx.set("trajectory", headIdOf("ses_1"), { active_plan_id: uuid(1) }),
  )
  await write(INTENT_SHIFT, "ses_1", (tx) => {
    tx.add("task", aTask(6, 1, 2, { title: "Paint" }))
    tx.set("trajectory", headIdOf("ses_1"), { active_task_ids: [uuid(6)] })
  })
  const told = async (more: object = {}) =>
    (await timelineAnswer(hive, { session: "", record: "", find: "", kind: "", page: 1, ...more })).items.map(
      ({ kind, text }) => `${kind}: ${text}`,
    )
  const story = await told()
  for (const line of [
    "failure: Gave up “Lock”: no key",
    "task: Started “Lock”",
    "decision: Decided: Use brass",
    "plan: Moved “Bell” in its plan",
    "plan: Made the plan “Door”, and 2 more",
    "session: The user's words changed the course to “Paint”",
    "session: A session began: Sign in",
  ])
    expect(story).toContain(line)
  expect(story.join()).not.toContain("small")
  expect(story.join("\n")).not.toMatch(/→|none/)
  expect((await told({ kind: "all" })).some((line) => line.startsWith("small"))).toBe(true)
  expect(await told({ kind: "decision" })).toEqual(["decision: Decided: Use brass"])
  const both = await told({ session: stamp })
  expect(both).toContain("failure: Gave up “Lock”: no key")
  expect(both).toContain("decision: Decided: Use brass")
  expect(await told({ session: "ses_2" })).not.toContain("failure: Gave up “Lock”: no key")
})

it("the page names only existing commands", () => {
  const folder = fileURLToPath(new URL("../../src/dashboard/page", import.meta.url))
  const named = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .flatMap((name) => [...readFileSync(join(folder, name), "utf8").matchAll(/hivemind ([a-z]+)/g)])
    .map(([, command]) => command)
  expect(named.length).toBeGreaterThan(3)
  const known = COMMANDS.map(({ name }) => name)
  for (const command of named) expect(known).toContain(command)
})
