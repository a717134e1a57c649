import { describe, expect, it } from "vitest"
import { quarantined } from "../../src/graph/problem.ts"
import { PROJECT_HEAD_ID } from "../../src/graph/read-head.ts"
import type { Hive } from "../../src/hive/hive.ts"
import type { Mem } from "../../src/schemas/knowledge.ts"
import { HiveError } from "../../src/shared/error.ts"
import { shortId } from "../../src/shared/ids.ts"
import { runToEnd } from "../../src/shared/slices.ts"
import { countTokens } from "../../src/shared/text/tokens.ts"
import type { ArchivedMems } from "../../src/store/store.ts"
import { inspectDeep } from "../../src/views/inspect/deep.ts"
import { inspectScan } from "../../src/views/inspect/scan.ts"
import { updateSession } from "../../src/work/focus/update.ts"
import { startSession } from "../../src/work/session/session.ts"
import { defined } from "../support/defined.ts"
import { graphOf } from "../support/graph.ts"
import { memoryHive } from "../support/hive.ts"
import {
  aCheckpoint,
  aDelegation,
  addTask,
  aMem,
  anAnchor,
  aPhase,
  aPlan,
  aTask,
  by,
  T0,
  uuid,
} from "../support/records.ts"
import { callTool } from "../tools/call-tool.ts"

const id = (n: number) => `${String(n).repeat(8).slice(0, 8)}-0000-4000-8000-000000000000`

const caller = { session: "ses_1", agent: "build", tool: "test" }

/** Plan 1, phases 2 and 3; in phase 2 tasks 4 and 5, below 4 tasks 6 and 7; mems 8 and 9 of task 4. */
async function project(): Promise<Hive> {
  const hive = memoryHive()
  const inPhase = { parent_plan_id: id(1), parent_phase_id: id(2) }
  await hive.store.write(by, (tx) => {
    tx.add("plan", aPlan(0, { id: id(1), title: "Auth" }))
    tx.add("phase", aPhase(0, 0, { id: id(2), parent_plan_id: id(1), title: "API", order: 1 }))
    tx.add("phase", aPhase(0, 0, { id: id(3), parent_plan_id: id(1), title: "Docs", order: 2 }))
    tx.add("task", aTask(0, 0, 0, { ...inPhase, id: id(4), title: "Login" }))
    tx.add("task", aTask(0, 0, 0, { ...inPhase, id: id(5), title: "Logout", depends_on: [id(4)] }))
    const part = { ...inPhase, parent_task_id: id(4), type: "sub" } as const
    tx.add("task", aTask(0, 0, 0, { ...part, id: id(6), title: "Hash" }))
    tx.add("task", aTask(0, 0, 0, { ...part, id: id(7), title: "Salt" }))
    tx.add("mem", aMem(0, { id: id(8), content: "Use argon2", origin_task_id: id(4) }))
    tx.add("mem", aMem(0, { id: id(9), content: "Use jose", origin_task_id: id(4), related_to: [id(8)] }))
    tx.add("anchor", anAnchor(1, { key: "DB", related_to: [id(4)] }))
    for (let n = 10; n < 40; n++) tx.add("checkpoint", aCheckpoint(n, 0, { task_id: id(4) }))
  })
  return hive
}

function archiveOf(mems: readonly Mem[]): ArchivedMems {
  const byId = new Map(mems.map((mem) => [mem.id, mem]))
  return {
    size: () => mems.length,
    has: (each) => byId.has(each),
    get: (each) => byId.get(each),
    lookups: () => ({ get: (each) => byId.get(each), close: () => {} }),
    startingWith: (prefix) => mems.filter((mem) => mem.id.startsWith(prefix)),
    naming: async (text) => mems.filter((mem) => JSON.stringify(mem).includes(text)),
    walk: (isKnown) => mems.filter(({ id }) => !isKnown(id)).values(),
  }
}

describe("deep", () => {
  it("shows a task's path, siblings, children and links in both directions", async () => {
    const deep = await inspectDeep(await project(), null, "44444444")
    expect(deep).toMatchObject({
      kind: "task",
      id: "44444444",
      record: { title: "Login", status: "planned", expected_output: "it works" },
      path: ['11111111 plan "Auth" (active)', '22222222 phase "API" (active)'],
      siblings: ['55555555 task "Logout" (planned)'],
      children: ['66666666 task "Hash" (planned)', '77777777 task "Salt" (planned)'],
      linked_from: {
        "task.depends_on": ['55555555 task "Logout" (planned)'],
        "mem.origin_task_id": ['99999999 mem "Use jose" (active)', '88888888 mem "Use argon2" (active)'],
        "anchor.related_to": [expect.stringContaining('anchor "DB"')],
      },
    })
    expect(deep).not.toHaveProperty("links")
    expect(deep.record).not.toHaveProperty("parent_plan_id")
    expect(deep.record).not.toHaveProperty("depends_on")
  })

  it("lists the newest links and counts the others", async () => {
    const { linked_from } = await inspectDeep(await project(), null, id(4))
    const checkpoints = linked_from?.["checkpoint.task_id"] ?? []
    expect(checkpoints.at(-1)).toMatch(/^… \d+ more$/)
    expect(checkpoints.length + Number(/\d+/.exec(checkpoints.at(-1) ?? "")?.[0]) - 1).toBe(30)
  })

  it("without an id shows the record at the read-head, or an error without one", async () => {
    const hive = memoryHive()
    await expect(inspectDeep(hive, "ses_1", undefined)).rejects.toThrow(HiveError)
    for (const [level, title, kind] of [
      ["tactic", "API", "phase"],
      ["action", "Login", "task"],
    ] as const) {
      await updateSession(hive, caller, { level, content: title })
      expect(await inspectDeep(hive, "ses_1", undefined)).toMatchObject({ kind, record: { title } })
    }
  })

  it("finds a session by its stamp or host id", async () => {
    const hive = memoryHive()
    const { stamp } = await startSession(hive, caller, { intent: "Add login" })
    for (const name of [stamp, "ses_1"]) {
      expect(await inspectDeep(hive, null, name)).toMatchObject({
        kind: "session",
        record: { stamp, host_id: "ses_1", intent: "Add login", status: "active" },
        linked_from: { "trajectory.session_id": [expect.stringContaining(`read-head of session ${stamp}`)] },
      })
    }
  })

  it("finds an archived mem, by the start of its id too", async () => {
    const { store, ...rest } = await project()
    const away = aMem(0, { id: id(0).replace("00000000", "abcdef01"), content: "Once", supersedes: id(8) })
    const hive = { ...rest, store: { ...store, archive: archiveOf([away]) } }
    for (const name of ["abcdef01", away.id]) {
      expect(await inspectDeep(hive, null, name)).toMatchObject({
        kind: "mem",
        record: { content: "Once" },
        links: { supersedes: ['88888888 mem "Use argon2" (active)'] },
      })
    }
  })

  it("marks links to archived and missing records", async () => {
    const hive = await project()
    const { mem } = hive.store.read().state
    const away = defined(mem.get(id(8)))
    mem.delete(away.id)
    const related = async (archived: Mem[]) => {
      const withArchive = { ...hive.store, archive: archiveOf(archived) }
      return (await inspectDeep({ ...hive, store: withArchive }, null, "99999999")).links?.["related_to"]
    }
    expect(await related([])).toEqual(["88888888 mem (not there)"])
    expect(await related([away])).toEqual(["88888888 mem (archived)"])
  })

  it.each([
    ["what no id starts with", "deadbeef", 'No id starts with "deadbeef".'],
    [
      "an unknown id",
      "deadbeef-0000-4000-8000-000000000000",
      "Neither the graph nor the archive has this id.",
    ],
    ["a stamp of no session", "591231122025", "Only sessions are found by a stamp."],
  ])("refuses %s", async (_, given, why) => {
    const hive = await project()
    await expect(inspectDeep(hive, null, given)).rejects.toMatchObject({ code: "not_found", why })
  })

  it("stays within its token budget and shows stored text on one line", async () => {
    const hive = await project()
    const words = `${"many words and more ".repeat(40)}\nnext\u001b[2J`
    await hive.store.write(by, (tx) => {
      const title = words.slice(0, 400)
      tx.set("task", id(4), { title, expected_output: words, evidence: words, reason: words })
      for (let n = 100; n < 160; n++) {
        tx.add("task", aTask(n, 0, 0, { parent_plan_id: id(1), parent_phase_id: id(2), title }))
        tx.add("mem", aMem(n + 100, { content: words, related_to: [id(4)], origin_task_id: id(4) }))
        tx.add("anchor", anAnchor(n + 200, { value: words, related_to: [id(4)] }))
      }
    })
    const text = JSON.stringify(await inspectDeep(hive, null, id(4)))
    expect(countTokens(text)).toBeLessThanOrEqual(1300)
    expect(text).not.toMatch(/\\u001b|\\n/)
  })
})

const HOURS = 3600

describe("scan", () => {
  it("shows position, counts, open decisions and delegations", async () => {
    const hive = memoryHive()
    const { stamp } = await callTool(hive, "session", { action: "start", intent: "Add\nlogin" })
    const created = { action: "create", title: "Auth", acceptance: [], phases: ["API"] }
    const { entity_id: plan_id } = await callTool(hive, "plan", created)
    const tasks = [
      { title: "Login", expected_output: "x", phase: "API" },
      { title: "Store", expected_output: "x", phase: "API", decisions: ["Which database?"] },
    ]
    const planned = await callTool(hive, "plan", { action: "plan_tasks", plan_id, tasks })
    const task_id = planned.tasks[0].entity_id
    await callTool(hive, "task", { action: "start", task_id })
    await callTool(hive, "delegate", { action: "assign", task_id, to: "hive-executor" })
    const scan = runToEnd(inspectScan(hive, "ses_1"))
    expect(scan).toMatchObject({
      session: stamp,
      intent: "Add login",
      place: [
        expect.stringContaining('plan "Auth" (active)'),
        expect.stringContaining('phase "API" (active)'),
        expect.stringContaining('task "Login" (active)'),
      ],
      counts: { plans: 1, tasks: { active: 1, blocked: 1 }, mems: { hot: 1 }, anchors: 0, sessions: 1 },
      look: [],
      open_decisions: [expect.stringMatching(/^[0-9a-f]{8} Which database\?$/)],
      delegations: [expect.stringMatching(/^[0-9a-f]{8} to hive-executor \(assigned\): .*task "Login"/)],
    })
  })

  it("lists what needs attention, nearest first", () => {
    const g = graphOf()
    const plan = g.plan("Auth")
    const done = g.phase(plan, "Schema")
    const api = g.phase(plan, "API")
    const failed = g.task(done, "Migrate", { status: "failed" })
    const work = g.task(api, "Work", { status: "active", created_at: g.at(0.5) })
    g.task(api, "Waits", { status: "blocked", depends_on: [failed.id] })
    g.task(api, "Need not wait", { status: "invalidated", depends_on: [failed.id] })
    const quiet = g.task(api, "Left", { status: "active" })
    const alive = g.task(api, "Alive", { status: "review" })
    g.checkpoint(alive, { created_at: g.at(2) })
    const { store, ...rest } = memoryHive()
    const hive = { ...rest, store: { ...store, read: () => ({ ...store.read(), state: g.state }) } }
    hive.source.seconds = 3 * HOURS
    const head = g.head("x", plan, api, work)
    g.state.trajectory.set(PROJECT_HEAD_ID, { ...head, id: PROJECT_HEAD_ID })
    expect(runToEnd(inspectScan(hive, null)).look).toEqual([
      "2 h since the last step here (stale)",
      `${shortId(quiet.id)} "Left" is active, without activity for 3 h`,
      expect.stringMatching(/ "Waits" waits for \w{8}, which is failed$/),
      "1 finished branch can be pruned",
    ])
    g.anchor("DB", "Postgres", { status: "stale" })
    g.anchor("OS", "Linux", { status: "stale" })
    g.artifact("docs/plan.md", { status: "changed" })
    expect(runToEnd(inspectScan(hive, null)).look.slice(3)).toEqual([
      "stale anchors: DB, OS",
      "documents that have changed: docs/plan.md",
      "… 1 more",
    ])
  })

  it("lists stale knowledge and problems, up to its limits", async () => {
    const hive = memoryHive()
    const words = "and so on ".repeat(60)
    await hive.store.write(by, (tx) => {
      addTask(tx)
      for (let n = 100; n < 150; n++) {
        const known = { content: `Known ${words}`, stale_at: new Date(T0).toISOString() }
        tx.add("mem", aMem(n, { ...known, origin_task_id: uuid(3) }))
        tx.add("mem", aMem(n + 100, { content: `Open ${words}`, kind: "decision", resolved: false }))
        tx.add("delegation", aDelegation(n + 200, 3))
      }
    })
    const problem = quarantined("broken_file", "graph/parts/mems.0001.000001-abcd.json", "not valid JSON")
    const read = () => ({ ...hive.store.read(), problems: Array.from({ length: 30 }, () => problem) })
    hive.source.seconds = 5 * HOURS
    const scan = runToEnd(inspectScan({ ...hive, store: { ...hive.store, read } }, null))
    expect(scan.refresh[0]).toMatch(/^[0-9a-f]{8} mem "Known and so on .*…" stale for 5 h$/)
    expect(scan.problems[0]).toBe("quarantined: graph/parts/mems.0001.000001-abcd.json: not valid JSON")
    for (const list of [scan.refresh, scan.problems, scan.open_decisions, scan.delegations]) {
      expect(list).toHaveLength(6)
      expect(list.at(-1)).toMatch(/^… \d+ more$/)
    }
    expect(countTokens(JSON.stringify(scan))).toBeLessThanOrEqual(1200)
  })
})
