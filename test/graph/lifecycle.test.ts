import { describe, expect, it } from "vitest"
import * as lifecycle from "../../src/graph/lifecycle.ts"
import { anchor, artifact, mem } from "../../src/schemas/knowledge.ts"
import { phase, plan } from "../../src/schemas/plan.ts"
import { session } from "../../src/schemas/session.ts"
import { delegation, task } from "../../src/schemas/task.ts"

/** The statuses of a kind for which a predicate says yes. */
function yes<S extends string>(statuses: readonly S[], is: (record: { status: S }) => boolean): S[] {
  return statuses.filter((status) => is({ status }))
}

describe("a task", () => {
  const of = (is: Parameters<typeof yes<(typeof task.shape.status.options)[number]>>[1]) =>
    yes(task.shape.status.options, is)

  it("has each of its seven statuses in exactly one of: waiting, under way, done, given up", () => {
    expect(of(lifecycle.isWaitingTask)).toEqual(["planned", "blocked"])
    expect(of(lifecycle.isTaskUnderWay)).toEqual(["active", "review"])
    expect(of(lifecycle.isDoneTask)).toEqual(["completed"])
    expect(of(lifecycle.isGivenUpTask)).toEqual(["failed", "invalidated"])
  })

  it("is open or over, never both, never neither", () => {
    expect(of(lifecycle.isOpenTask)).toEqual(["planned", "blocked", "active", "review"])
    expect(of(lifecycle.isOverTask)).toEqual(["completed", "failed", "invalidated"])
  })

  it("can be started while it is open, and again after it failed", () => {
    expect(of(lifecycle.isStartableTask)).toEqual(["planned", "blocked", "active", "review", "failed"])
  })

  it("can be taken up on the user's words while it is open and not in review", () => {
    expect(of(lifecycle.canBeTakenUp)).toEqual(["planned", "blocked", "active"])
  })

  it("is blocked in one status only", () => {
    expect(of(lifecycle.isBlockedTask)).toEqual(["blocked"])
  })

  it("is held by its session only while it is active", () => {
    const held = of((record) => lifecycle.holderOf({ ...record, assigned_session_id: "one" }) === "one")
    expect(held).toEqual(["active"])
    expect(of((record) => lifecycle.isHeldByOther({ ...record, assigned_session_id: "one" }, "one"))).toEqual(
      [],
    )
    expect(of((record) => lifecycle.isHeldByOther({ ...record, assigned_session_id: "one" }, "two"))).toEqual(
      ["active"],
    )
    expect(of((record) => lifecycle.isHeldByOther({ ...record, assigned_session_id: null }, "two"))).toEqual(
      [],
    )
  })
})

describe("a plan", () => {
  const statuses = plan.shape.status.options

  it("is open or over, never both, never neither", () => {
    expect(yes(statuses, lifecycle.isOpenPlan)).toEqual(["draft", "active"])
    expect(yes(statuses, lifecycle.isOverPlan)).toEqual(["completed", "archived", "abandoned"])
  })

  it("that was archived is done, unless it was abandoned before", () => {
    const done = (reason: string | null) =>
      yes(statuses, ({ status }) => lifecycle.isDonePlan({ status, reason }))
    const givenUp = (reason: string | null) =>
      yes(statuses, ({ status }) => lifecycle.isGivenUpPlan({ status, reason }))
    expect(done(null)).toEqual(["completed", "archived"])
    expect(givenUp(null)).toEqual(["abandoned"])
    expect(done("no budget")).toEqual(["completed"])
    expect(givenUp("no budget")).toEqual(["archived", "abandoned"])
  })
})

describe("a mem", () => {
  const statuses = mem.shape.status.options
  type JudgedMem = Parameters<typeof lifecycle.isKnowledge>[0]
  const of = (is: (mem: JudgedMem) => boolean, kind: JudgedMem["kind"], resolved: boolean | null) =>
    yes(statuses, ({ status }) => is({ status, kind, resolved }))

  it("is in force while it is active, and retired once it is replaced or purged", () => {
    expect(yes(statuses, lifecycle.isMemInForce)).toEqual(["active"])
    expect(yes(statuses, lifecycle.isRetiredMem)).toEqual(["superseded", "purged"])
  })

  it("in force is knowledge, a warning or a question", () => {
    expect(of(lifecycle.isKnowledge, "fact", null)).toEqual(["active"])
    expect(of(lifecycle.isKnowledge, "false_path", null)).toEqual([])
    expect(of(lifecycle.isKnowledge, "decision", false)).toEqual([])
    expect(of(lifecycle.isOpenDecision, "decision", false)).toEqual(["active"])
    expect(of(lifecycle.isOpenDecision, "decision", true)).toEqual([])
    expect(of(lifecycle.isTakenDecision, "decision", true)).toEqual(["active"])
    expect(of(lifecycle.isTakenDecision, "decision", false)).toEqual([])
    expect(of(lifecycle.isTakenDecision, "fact", null)).toEqual([])
  })
})

describe("the other records", () => {
  it("have one meaning for each status", () => {
    expect(yes(phase.shape.status.options, lifecycle.isDonePhase)).toEqual(["completed"])
    expect(yes(anchor.shape.status.options, lifecycle.isAnchorKept)).toEqual(["active", "stale"])
    expect(yes(artifact.shape.status.options, lifecycle.isGoneDocument)).toEqual(["superseded", "abandoned"])
    expect(yes(delegation.shape.status.options, lifecycle.isRunning)).toEqual(["running"])
    expect(yes(delegation.shape.status.options, lifecycle.isOpenDelegation)).toEqual(["assigned", "running"])
    expect(yes(session.shape.status.options, lifecycle.isActiveSession)).toEqual(["active"])
    expect(yes(session.shape.status.options, lifecycle.isClosedSession)).not.toContain("active")
  })
})

it("says no of a record that is not there, and of an op that sets no status", () => {
  const { isKnowledge, isTakenDecision, holderOf, isHeldByOther, ...others } = lifecycle
  for (const is of Object.values(others)) {
    expect(is(undefined)).toBe(false)
    expect(is({} as never)).toBe(false)
  }
})
