import { describe, expect, it } from "vitest"
import { recordFinder } from "../../../src/context/turning-points/status.ts"
import {
  dropOutdatedTurningPoints,
  recordTurningPoints,
  selectTurningPoints,
} from "../../../src/context/turning-points/turning-points.ts"
import { lookupIn } from "../../../src/graph/obstacles.ts"
import type { TurningPoint } from "../../../src/schemas/session.ts"
import { updateSession } from "../../../src/work/focus/update.ts"
import { abandonPlan, archivePlan } from "../../../src/work/plan/end.ts"
import { ensureSession, shiftHead, startSession } from "../../../src/work/session/session.ts"
import { completeTask, failTask } from "../../../src/work/task/finish.ts"
import { startTask } from "../../../src/work/task/start.ts"
import { leaveEvidence } from "../../support/evidence.ts"
import { anAnchor, by, T0, uuid } from "../../support/records.ts"
import { anyCommand } from "../../tools/call-tool.ts"
import { caller, SESSION, sessionAtWork } from "../compaction/session-work.ts"

type Work = ReturnType<typeof sessionAtWork>

const cases: Record<string, { does: (work: Work) => Promise<unknown>; finds: string[] }> = {
  "a decision that was saved": {
    does: (work) => work.mem("JWT, not sessions", { kind: "decision" }),
    finds: ["decision: JWT, not sessions"],
  },
  "an open decision that was taken": {
    async does(work) {
      const plan = await work.plan("Login")
      const open = await work.mem("Which database?", { kind: "decision" })
      await work.set("mem", open.id, { resolved: false })
      await work.task(plan, "Build it")
      await work.mem("Postgres", { kind: "decision", supersedes: open.id })
    },
    finds: ["decision: Postgres"],
  },
  "a decision that is still open is none": {
    async does(work) {
      const open = await work.mem("Which database?", { kind: "decision" })
      await work.set("mem", open.id, { resolved: false })
    },
    finds: [],
  },
  "a decision anchor, in its newest wording": {
    async does(work) {
      const anchor = anAnchor(900, { key: "DB", value: "MySQL", type: "decision" })
      await work.hive.store.write({ ...by, session: SESSION }, (tx) => tx.add("anchor", anchor))
      await work.set("anchor", anchor.id, { value: "Postgres 16" })
      const other = anAnchor(901, { key: "PORT", value: "80", type: "context" })
      await work.hive.store.write({ ...by, session: SESSION }, (tx) => tx.add("anchor", other))
      await work.set("anchor", other.id, { value: "8080" })
    },
    finds: ["decision: DB: Postgres 16"],
  },
  "another plan": {
    async does(work) {
      await work.plan("Login")
      await work.plan("Checkout")
    },
    finds: ["direction: to the plan: Checkout"],
  },
  "another phase, not the first one": {
    async does(work) {
      await work.plan("Login", ["API", "UI"])
      await updateSession(work.hive, caller, { level: "tactic", content: "API" })
      await updateSession(work.hive, caller, { level: "tactic", content: "UI" })
    },
    finds: ["direction: to the phase: UI"],
  },
  "a new intent, but not the first one": {
    async does(work) {
      await startSession(work.hive, caller, { intent: "Add a login page" })
      await startSession(work.hive, caller, { intent: "Fix the build first" })
    },
    finds: ["direction: new goal: Fix the build first"],
  },
  "the user's words that move the read-head": {
    async does(work) {
      const plan = await work.plan("Shop", ["Front"])
      const task = await work.task(plan, "Fix the checkout", "Front")
      await shiftHead(work.hive, caller, task.id)
    },
    finds: ["direction: as the user asked, to: Fix the checkout"],
  },
  "a false path, saved as one or found out later": {
    async does(work) {
      await work.mem("Sign with passport", { kind: "false_path" })
      const mem = await work.mem("Tokens in localStorage")
      await work.set("mem", mem.id, { kind: "false_path", reason: "security refused it" })
    },
    finds: ["abandoned: Sign with passport", "abandoned: Tokens in localStorage: security refused it"],
  },
  "a task that failed, unless it was taken up again": {
    async does(work) {
      const plan = await work.plan("Login")
      const [lost, saved] = [await work.task(plan, "Use passport"), await work.task(plan, "Use jose")]
      await failTask(work.hive, caller, lost.id, "breaks the edge runtime")
      await failTask(work.hive, caller, saved.id, "no time")
      await startTask(work.hive, caller, saved.id)
    },
    finds: ["abandoned: Use passport: breaks the edge runtime"],
  },
  "a plan that was given up speaks for its tasks": {
    async does(work) {
      const plan = await work.plan("Own auth server")
      const task = await work.task(plan, "Set it up")
      await abandonPlan(work.hive, caller, plan.id, "too much work")
      await work.set("task", task.id, { status: "invalidated", reason: "its plan was abandoned" })
      await archivePlan(work.hive, caller, plan.id)
    },
    finds: ["abandoned: the plan Own auth server: too much work"],
  },
  "what was finished, the plan last": {
    async does(work) {
      const plan = await work.plan("Login", ["API"])
      const task = await work.task(plan, "Build POST /login", "API")
      await startTask(work.hive, caller, task.id)
      await leaveEvidence(work.hive)
      await completeTask(work.hive, caller, task.id, "tests pass", anyCommand)
      await archivePlan(work.hive, caller, plan.id)
    },
    finds: [
      "milestone: done: Build POST /login",
      "milestone: phase done: API",
      "milestone: plan done: Login",
    ],
  },
  "what another session did is none": {
    does: (work) =>
      startSession(work.hive, { ...caller, session: "ses_other" }, { intent: "Other things" }).then(() =>
        work.hive.store.write({ ...by, session: "ses_other" }, (tx) =>
          tx.add("anchor", anAnchor(900, { type: "decision" })),
        ),
      ),
    finds: [],
  },
  "what a subagent decided is": {
    does: (work) =>
      work.hive.store.write({ ...by, session: "ses_child" }, (tx) => {
        const child = { ...caller, session: "ses_child" }
        ensureSession(tx, child, T0, null, SESSION)
        tx.add("anchor", anAnchor(900, { key: "LIB", value: "jose", type: "decision" }))
      }),
    finds: ["decision: LIB: jose"],
  },
}

describe("turning points of a session", () => {
  for (const [name, { does, finds }] of Object.entries(cases)) {
    it(name, async () => {
      const work = sessionAtWork()
      await work.hive.store.write(by, (tx) => ensureSession(tx, caller, T0, null))
      await does(work)
      await recordTurningPoints(work.hive, caller)
      const told = work.session().turning_points.map(({ kind, text }) => `${kind}: ${text}`)
      expect(told.sort()).toEqual(finds.sort())
    })
  }
})

describe("which turning points are kept", () => {
  it("the most telling twelve, oldest first; many decisions do not push out all the rest", async () => {
    const work = sessionAtWork()
    const plan = await work.plan("Login", ["API"])
    const task = await work.task(plan, "Build it", "API")
    await startTask(work.hive, caller, task.id)
    await leaveEvidence(work.hive)
    await completeTask(work.hive, caller, task.id, "done", anyCommand)
    await work.mem("Passport", { kind: "false_path" })
    for (let n = 1; n <= 20; n++) await work.mem(`Decision ${n}`, { kind: "decision" })
    await recordTurningPoints(work.hive, caller)
    const points = work.session().turning_points
    expect(points).toHaveLength(12)
    expect(points.map(({ at }) => at)).toEqual(points.map(({ at }) => at).sort())
    const texts = points.map(({ text }) => text)
    expect(texts).toContain("Decision 20")
    expect(texts).not.toContain("Decision 1")
    expect(texts).toContain("phase done: API")
    expect(texts).toContain("Passport")
  })

  it("a point whose record is gone or contradicts it drops out; one without a record stays", () => {
    const work = sessionAtWork()
    const find = recordFinder(lookupIn(work.state()), new Map())
    const at = new Date(T0).toISOString()
    const point = (text: string, about: string | null): TurningPoint => ({
      at,
      kind: "decision",
      text,
      about,
    })
    const kept = selectTurningPoints([point("gone", uuid(77)), point("untied", null)], find, 12)
    expect(kept.map(({ text }) => text)).toEqual(["untied"])
  })

  it("at a turn's end outdated points go, and nothing is written if all are confirmed", async () => {
    const work = sessionAtWork()
    await work.plan("Login")
    const old = await work.mem("JWT", { kind: "decision" })
    await work.mem("Passport", { kind: "false_path" })
    await work.compact()
    const before = (await work.hive.store.log()).length
    await dropOutdatedTurningPoints(work.hive, caller)
    expect(await work.hive.store.log()).toHaveLength(before)
    await work.mem("Sessions, not JWT", { kind: "decision", supersedes: old.id })
    await dropOutdatedTurningPoints(work.hive, caller)
    expect(work.session().turning_points.map(({ text }) => text)).toEqual(["Passport"])
    await dropOutdatedTurningPoints(work.hive, { ...caller, session: "ses_unknown" })
  })
})
