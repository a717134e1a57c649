import { rmSync } from "node:fs"
import { expect, it } from "vitest"
import { runToEnd } from "../../src/shared/slices.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { usageFile } from "../../src/store/files/usage-file.ts"
import { type Bed, openBed } from "./bed/bed.ts"
import { call, hive, say } from "./bed/steps.ts"

const FIELDS = ["input", "cache_write", "cache_read", "output", "reasoning"] as const
const NOTHING = { answers: 0, input: 0, cache_write: 0, cache_read: 0, output: 0, reasoning: 0 }

/** The host's own count, over a session and its subagents. */
async function hostCount(bed: Bed, session: { id: string }) {
  const sum = { ...NOTHING }
  const { data: children = [] } = await bed.client.session.children({ path: { id: session.id } })
  for (const each of [session, ...children])
    for (const { info } of await bed.messages(each)) {
      if (info.role !== "assistant") continue
      const { input, output, reasoning, cache } = info.tokens
      const own = { input, output, reasoning, cache_read: cache.read, cache_write: cache.write }
      sum.answers++
      for (const field of FIELDS) sum[field] += own[field]
    }
  return sum
}

function ledgerCount(bed: Bed) {
  const all = [...runToEnd(usageFile(hivePaths(bed.project)).all()).values()]
  const sum = { ...NOTHING, answers: all.length }
  for (const each of all) for (const field of FIELDS) sum[field] += each[field]
  return { sum, all }
}

const usage = (input: number, output: number, cached = 0) => ({ usage: { input, output, cached } })

it("the ledger equals the host's own counts, subagents included, each answer with its task", async () => {
  await using bed = await openBed({ hive: true, limit: { context: 100_000, output: 1000 } })
  const session = await bed.newSession("cost")
  bed.model.script(
    { agent: "general" },
    call("read", { filePath: "opencode.json" }, usage(400, 3)),
    say("looked", usage(500, 7, 100)),
  )
  const subagent = { description: "look", prompt: "Look at it", subagent_type: "general" }
  await bed.prompt(
    session,
    "Go",
    hive("session update", { level: "action", content: "Count it" }, usage(1000, 11)),
    call("task", subagent, usage(2000, 12, 900)),
    say("done so far", usage(2500, 10, 1900)),
  )
  // Answers are counted from the host's events, which may arrive after the turn.
  await expect.poll(() => ledgerCount(bed).sum.answers).toBe(5)
  const { replies } = await bed.prompt(
    session,
    "How much was it?",
    hive("task status", {}, usage(2600, 10, 1900)),
    hive("task fail", { reason: "that was enough" }, usage(2700, 10, 1900)),
    say("done", usage(30_000, 13, 1900)),
  )
  await expect.poll(() => ledgerCount(bed).sum.answers).toBe(8)
  expect(ledgerCount(bed).sum).toEqual(await hostCount(bed, session))
  const { all } = ledgerCount(bed)
  const [task] = all.flatMap((each) => each.task ?? [])
  const own = all.filter((each) => each.session === session.id)
  // A step that begins or ends a task belongs to that task; later ones to none.
  expect(own.map((each) => each.task)).toEqual([task, task, task, task, task, null])
  expect(all.filter(({ parent }) => parent === session.id)).toHaveLength(2)
  expect(replies[0].spent).toEqual({ fresh: 3500, cached: 2900, output: 43 })
  expect(bed.cli("status")).toContain("window 30 % full (30,013 of 100,000 tokens)")
})

it("answers that a killed process did not count are counted with the session's next turn", async () => {
  await using bed = await openBed({ hive: true })
  const session = await bed.newSession("cost")
  await bed.prompt(session, "Go", hive("memory list", {}, usage(1000, 11)), say("done", usage(1200, 5)))
  await expect.poll(() => ledgerCount(bed).sum.answers).toBe(2)
  await bed.kill()
  rmSync(hivePaths(bed.project).usage, { recursive: true })
  await bed.restart()
  await bed.prompt(session, "And again", say("again", usage(1300, 6)))
  await expect.poll(() => ledgerCount(bed).sum.answers).toBe(3)
  expect(ledgerCount(bed).sum).toEqual(await hostCount(bed, session))
})
