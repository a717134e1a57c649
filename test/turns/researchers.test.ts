import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { researchers } from "../../src/turns/researchers.ts"
import { bindSubagent, recallDelegation } from "../../src/work/delegation/assign.ts"
import { failResearch, RESEARCHER, research } from "../../src/work/delegation/research.ts"
import { memoryHive } from "../support/hive.ts"

const caller = { session: "ses_1", agent: "build", tool: "test" }
const MINUTE = 60_000

beforeEach(() => void vi.useFakeTimers({ now: Date.parse("2026-11-15T10:00:00Z") }))
afterEach(() => void vi.useRealTimers())

async function scene(endSession: (session: string) => Promise<void>) {
  const made = memoryHive()
  const watched: { start: (started: { delegation: string; session: string }) => void } = { start: () => {} }
  const hive = {
    ...made,
    source: { ...made.source, now: () => Date.now() },
    startSession: async () => "ses_r1",
    endSession,
    onResearch: (started: { delegation: string; session: string }) => watched.start(started),
  }
  const log = vi.fn()
  const watch = researchers({ hive: async () => hive, log })
  watched.start = (started) => void watch.started(started)
  await research(hive, caller, { question: "What is A?" })
  const ends = () =>
    [...hive.store.read().state.delegation.values()].map(({ status, reason }) => `${status} ${reason}`)
  const tasks = () => [...hive.store.read().state.task.values()].map(({ status }) => status)
  const begin = () =>
    bindSubagent(hive, { session: "ses_r1", agent: RESEARCHER, tool: "test" }, caller, "Question: What is A?")
  return { hive, watch, ends, tasks, begin, log }
}

it("stops one that never answers when its time is over", async () => {
  for (const begins of [false, true]) {
    const ended: string[] = []
    const { ends, tasks, begin } = await scene(async (session) => void ended.push(session))
    if (begins) await begin()
    await vi.advanceTimersByTimeAsync(14 * MINUTE)
    expect(ends()).toEqual([begins ? "running null" : "assigned null"])
    expect(ended).toEqual([])
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(ends()).toEqual(["failed stopped: the researcher was at work for 15 minutes"])
    expect(tasks()).toEqual(["failed"])
    expect(ended).toEqual(["ses_r1"])
  }
})

it("stops a researcher at once if it answers after its delegation has ended", async () => {
  let tries = 0
  const { watch, begin } = await scene(async () => {
    if (++tries === 1) throw new Error("OpenCode refused: 500")
  })
  await begin()
  await vi.advanceTimersByTimeAsync(15 * MINUTE)
  expect(tries).toBe(1)
  await watch.check("ses_r1")
  expect(tries).toBe(2)
})

it("stops a failed or recalled one within its turn; later messages are a user's", async () => {
  for (const end of ["failed", "recalled"] as const)
    for (const isOver of [false, true]) {
      const ended: string[] = []
      const { hive, watch, begin } = await scene(async (session) => void ended.push(session))
      const [id = ""] = [...hive.store.read().state.delegation.keys()]
      await begin()
      await watch.check("ses_r1")
      if (end === "failed") await failResearch(hive, caller, id, "the researcher could not be started")
      else await recallDelegation(hive, caller, id, "not needed")
      if (isOver) watch.turnEnded("ses_r1")
      await watch.check("ses_r1")
      await vi.advanceTimersByTimeAsync(20 * MINUTE)
      expect(ended).toEqual(isOver ? [] : ["ses_r1"])
    }
})
