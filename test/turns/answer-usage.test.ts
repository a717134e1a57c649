import { mkdirSync } from "node:fs"
import { expect, it } from "vitest"
import { pressureOf } from "../../src/graph/pressure.ts"
import { runToEnd } from "../../src/shared/slices.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { usageFile } from "../../src/store/files/usage-file.ts"
import { type CountedAnswer, usageRecorder } from "../../src/turns/answer-usage.ts"
import type { Step } from "../../src/turns/between-turns.ts"
import { bindSubagent } from "../../src/work/delegation/assign.ts"
import { updateSession } from "../../src/work/focus/update.ts"
import { memoryHive } from "../support/hive.ts"
import { tempProject } from "../support/temp-project.ts"
import { callTool } from "../tools/call-tool.ts"

const caller = { session: "ses_1", agent: "build", tool: "test" }

async function scene(before: CountedAnswer[] = []) {
  const paths = hivePaths(await tempProject())
  mkdirSync(paths.graph, { recursive: true })
  const hive = { ...memoryHive(), usage: usageFile(paths) }
  await updateSession(hive, caller, { level: "action", content: "Take payments" })
  const research = { check: async () => {}, started: async () => {}, closeLost: async () => {} }
  const counts = usageRecorder({ hive: async () => hive, lastAnswers: async () => before }, research)
  const run = async (steps: Step[]) => {
    for (const [, step] of steps) await step()
  }
  return { hive, counts, run, paths, counted: () => [...runToEnd(hive.usage.all()).values()] }
}

function answer(message: string, at: number, more: Partial<CountedAnswer> = {}): CountedAnswer {
  const tokens = { input: 85_000, cache_write: 0, cache_read: 0, output: 10, reasoning: 0 }
  const rest = { agent: "build", model: "a/b", window: 100_000, isSummary: false, tokens, cost: 0 }
  return { session: "ses_1", message, at, ...rest, ...more }
}

it("a stopped answer without counts, and a compaction's summary, which is counted, leave the pressure unchanged", async () => {
  const { hive, counts, run, counted } = await scene()
  const tokens = { input: 0, cache_write: 0, cache_read: 0, output: 0, reasoning: 0 }
  const summary = { tokens: { ...tokens, input: 90_000, output: 900 }, isSummary: true }
  await run(counts.ended(answer("msg_1", hive.source.now())))
  await run(counts.ended(answer("msg_stopped", hive.source.now(), { tokens })))
  await run(counts.ended(answer("msg_2", hive.source.now(), summary)))
  expect(pressureOf(hive.store.read().state, "ses_1")?.tokens).toBe(85_010)
  expect(counted().map(({ message }) => message)).toContain("msg_2")
})

it("the end of the turn records answers that were missed", async () => {
  const before = [answer("msg_1", 1e12)]
  const { hive, counts, run, counted } = await scene(before)
  await run(counts.turnEnded("ses_1"))
  const { add } = hive.usage
  hive.usage.add = () => {
    throw new Error("disk full")
  }
  await expect(run(counts.ended(answer("msg_2", 1e12)))).rejects.toThrow("disk full")
  hive.usage.add = add
  before.push(answer("msg_2", 1e12))
  await run(counts.turnEnded("ses_1"))
  expect(counted().map(({ message }) => message)).toEqual(["msg_1", "msg_2"])
})

it("a subagent's last words count for its task and delegation", async () => {
  const { hive, counts, run, counted } = await scene()
  const [task] = [...hive.store.read().state.task.values()]
  await callTool(hive, "delegate", { action: "assign", task_id: task?.id, to: "hive-executor" })
  const child = { session: "ses_child", agent: "hive-executor", tool: "test" }
  await bindSubagent(hive, child, { session: "ses_1", agent: "build" }, `Do ${task?.id}`)
  const [delegation] = [...hive.store.read().state.delegation.values()]
  await callTool(hive, "task", { action: "fail", reason: "no way" }, "ses_child", "hive-executor")
  await hive.store.write(caller, (tx) =>
    tx.set("delegation", delegation?.id ?? "", { status: "failed", reason: "stopped" }),
  )
  await run(counts.begun("ses_child", "msg_1"))
  await run(counts.ended(answer("msg_1", 1e14, { session: "ses_child" })))
  expect(counted()).toMatchObject([{ task: task?.id, delegation: delegation?.id, parent: "ses_1" }])
})

it("an answer that ends a task counts for that task", async () => {
  const { hive, counts, run, counted } = await scene()
  const [task] = [...hive.store.read().state.task.values()]
  const waiting = counts.begun("ses_1", "msg_1")
  await callTool(hive, "task", { action: "fail", reason: "that was enough" })
  await run(waiting)
  await run(counts.ended(answer("msg_1", 1e14)))
  expect(counted()).toMatchObject([{ task: task?.id }])
})
