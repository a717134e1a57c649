import type { Event } from "@opencode-ai/sdk"
import { describe, expect, it, vi } from "vitest"
import { injectInto } from "../../../src/hosts/opencode/messages.ts"
import { beforeCompaction } from "../../../src/turns/compaction.ts"
import { SESSION, sessionAtWork } from "../../context/compaction/session-work.ts"
import { memoryHive } from "../../support/hive.ts"
import { readerOn } from "./event-reader.ts"

function stepOn(hive = memoryHive(), lastSummary: () => Promise<string> = async () => "") {
  const log = vi.fn()
  const step = beforeCompaction({ hive: async () => hive, lastSummary, log })
  return { log, run: (isPromptTaken = false) => step(SESSION, isPromptTaken) }
}

async function withReport() {
  const work = sessionAtWork()
  await work.plan("Login")
  await work.mem("JWT", { kind: "decision" })
  await work.compact()
  return work
}

describe("before a compaction", () => {
  it("adds to the host's prompt where there is no report, and notes the turning points", async () => {
    const work = sessionAtWork()
    await work.plan("Login")
    await work.mem("JWT", { kind: "decision" })
    expect(await stepOn(work.hive).run()).toEqual({
      context: expect.stringMatching(/<turn kind="decision" id="\w+">JWT<\/turn>/),
    })
    expect(work.session().turning_points).toHaveLength(1)
  })

  it("leaves another plugin's prompt as it is", async () => {
    const { hive } = await withReport()
    expect(await stepOn(hive).run(true)).toBeUndefined()
  })

  it("falls back to the host's prompt with context where the last summary cannot be had", async () => {
    const { hive } = await withReport()
    const step = stepOn(hive, () => Promise.reject(new Error("gone")))
    expect(await step.run()).toEqual({ context: expect.stringContaining("Login") })
    expect(step.log).toHaveBeenCalledWith("error", expect.stringContaining("report"), expect.any(Error))
  })
})

it("a compaction with nothing to summarise, or a stopped one, does not change the next request", async () => {
  const { hive } = sessionAtWork()
  for (const type of ["session.compacted", "session.idle"]) {
    const compacting = new Set([SESSION])
    const inject = vi.fn(async () => ({ parts: new Map(), removals: new Map() }))
    const transform = injectInto({ inject }, compacting, () => undefined)
    // With nothing to summarise the host asks with an empty list, which names no session.
    await transform([])
    readerOn({ hive: async () => hive }, compacting)({ type, properties: { sessionID: SESSION } } as Event)
    await transform([{ info: { id: "msg_1", sessionID: SESSION, role: "user" } as never, parts: [] }])
    expect(inject).toHaveBeenCalledTimes(1)
  }
})
