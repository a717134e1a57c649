import type { Event } from "@opencode-ai/sdk"
import { describe, expect, it, vi } from "vitest"
import { eventHook } from "../../src/hosts/opencode/event.ts"
import { guarded } from "../../src/hosts/opencode/guard.ts"
import { messagesTransformHook } from "../../src/hosts/opencode/messages-transform.ts"
import { compactingHook, compactingSessions } from "../../src/turns/compacting.ts"
import { sessionParents } from "../../src/turns/session-parents.ts"
import { SESSION, sessionAtWork } from "../context/compaction/session-work.ts"
import { memoryHive } from "../support/hive.ts"

function hookOn(hive = memoryHive(), lastSummary: () => Promise<string> = async () => "") {
  const log = vi.fn()
  const compacting = compactingSessions()
  const hook = guarded(
    "session.compacting",
    log,
    compactingHook({ hive: async () => hive, compacting, lastSummary, log }),
  )
  return {
    log,
    compacting,
    async run(prompt?: string) {
      const output: { context: string[]; prompt?: string } = { context: [], ...(prompt ? { prompt } : {}) }
      await hook(SESSION, output)
      return output
    },
  }
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
    const { context, prompt } = await hookOn(work.hive).run()
    expect(prompt).toBeUndefined()
    expect(context).toHaveLength(1)
    expect(context[0]).toContain('<turn kind="decision">JWT</turn>')
    expect(work.session().turning_points).toHaveLength(1)
  })

  it("replaces it where there is one", async () => {
    const { hive } = await withReport()
    const { context, prompt } = await hookOn(hive, async () => "The last summary").run()
    expect(context).toEqual([])
    expect(prompt).toContain("- decision: JWT")
    expect(prompt).toContain("<last_summary>\nThe last summary")
  })

  it("leaves another plugin's prompt as it is", async () => {
    const { hive } = await withReport()
    const hook = hookOn(hive)
    expect(await hook.run("Theirs")).toEqual({ context: [], prompt: "Theirs" })
    expect(hook.compacting.take(SESSION)).toBe(true)
  })

  it("falls back to the host's prompt with context where the last summary cannot be had", async () => {
    const { hive } = await withReport()
    const hook = hookOn(hive, () => Promise.reject(new Error("gone")))
    const { context, prompt } = await hook.run()
    expect(prompt).toBeUndefined()
    expect(context[0]).toContain("Login")
    expect(hook.log).toHaveBeenCalledWith("error", expect.stringContaining("report"), expect.any(Error))
  })

  it("with a log that cannot be read it goes on without new turning points", async () => {
    const { hive } = await withReport()
    hive.store.log = () => {
      throw new Error("torn")
    }
    expect((await hookOn(hive).run()).prompt).toContain("JWT")
  })

  it("never throws, and the compaction's own request is left alone whatever happens", async () => {
    const broken = memoryHive()
    broken.store.read = () => {
      throw new Error("boom")
    }
    const hook = hookOn(broken)
    expect(await hook.run()).toEqual({ context: [] })
    expect(hook.compacting.take(SESSION)).toBe(true)
    expect(hook.compacting.take(SESSION)).toBe(false)
  })
})

it("a compaction that asked for nothing, or was stopped, leaves the next request as it would be", async () => {
  const { hive } = sessionAtWork()
  for (const type of ["session.compacted", "session.idle"]) {
    const { compacting, run } = hookOn(hive)
    await run()
    const inject = vi.fn(() => ({ parts: new Map(), removals: new Map() }))
    const transform = messagesTransformHook({
      hive: async () => hive,
      injector: { inject },
      takeCompacting: compacting.take,
      windowOf: () => undefined,
    })
    // With nothing to summarise the host asks with an empty list, which names no session.
    await transform([])
    const event = { type, properties: { sessionID: SESSION } } as unknown as Event
    const onEvent = eventHook({
      hive: async () => hive,
      log: vi.fn(),
      toast: async () => {},
      parents: sessionParents(async () => null),
      compacting,
      validate: async () => [],
      lastWords: async () => "",
      lastSummary: async () => "",
    })
    onEvent({ event })
    await transform([{ info: { id: "msg_1", sessionID: SESSION, role: "user" } as never, parts: [] }])
    expect(inject).toHaveBeenCalledTimes(1)
  }
})
