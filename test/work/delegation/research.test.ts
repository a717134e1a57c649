import { spawnSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { expect, it, onTestFinished } from "vitest"
import type { Hive } from "../../../src/hive/hive.ts"
import type { Usage } from "../../../src/schemas/usage.ts"
import { identityText, thisProcess } from "../../../src/shared/process-identity.ts"
import { openFileStore } from "../../../src/store/file-store.ts"
import { hivePaths } from "../../../src/store/files/layout.ts"
import { usageFile } from "../../../src/store/files/usage-file.ts"
import { bindSubagent } from "../../../src/work/delegation/assign.ts"
import { closeLostResearch, RESEARCHER, research } from "../../../src/work/delegation/research.ts"
import { fileHive } from "../../support/file-hive.ts"
import { memoryHive } from "../../support/hive.ts"
import { aUsage } from "../../support/records.ts"
import { tempProject } from "../../support/temp-project.ts"

const caller = { session: "ses_1", agent: "build", tool: "test" }
const HOST = "host_process"
const over = { ...thisProcess, pid: spawnSync(process.execPath, ["--version"]).pid, token: "x" }

function scene(more: Pick<Partial<Hive>, "usage"> = {}) {
  let count = 0
  const hive = {
    ...memoryHive(),
    ...more,
    startSession: async () => `ses_r${++count}`,
    sessionState: async () => "idle" as const,
  }
  const ask = (letter: string) => research(hive, caller, { question: `What is ${letter}?` })
  const begin = (child: string, letter: string) => {
    const researcher = { session: child, agent: RESEARCHER, tool: "test" }
    return bindSubagent(hive, researcher, caller, `Question: What is ${letter}?`)
  }
  const ends = () => [...hive.store.read().state.delegation.values()].map(({ status }) => status)
  const note = (session: string, host: string) =>
    hive.store.append(caller, (tx) => tx.register(session, HOST, host))
  return { hive, ask, begin, ends, note }
}

it("a researcher whose start fails is stopped, or reported for a later try if the host refuses to stop it", async () => {
  for (const refuses of [false, true]) {
    const { hive, ends } = scene()
    const ended: string[] = []
    const told: string[] = []
    const append = hive.store.append.bind(hive.store)
    hive.store.append = (author, build) => {
      if (told.length > 0) throw new Error("disk full")
      return append(author, build)
    }
    const watched = {
      ...hive,
      endSession: async (session: string) => {
        ended.push(`${session} ${ends()}`)
        if (refuses) throw new Error("OpenCode refused: 500")
      },
      onResearch: ({ session }: { session: string }) => void told.push(session),
    }
    await expect(research(watched, caller, { question: "What is A?" })).rejects.toThrow("disk full")
    // The delegation has failed before the host is asked to end the session.
    expect(ended).toEqual(["ses_r1 failed"])
    await expect.poll(() => told).toEqual(refuses ? ["ses_r1", "ses_r1"] : ["ses_r1"])
  }
})

it("a researcher of another container is not judged by its pid; when its time is over, the next one starts", async () => {
  const { hive, ask, begin, ends, note } = scene()
  await ask("A")
  await begin("ses_r1", "A")
  await note("ses_r1", identityText({ ...over, host: "elsewhere" }))
  expect(await closeLostResearch(hive, caller)).toBe(0)
  hive.source.seconds += 21 * 60
  hive.config = { ...hive.config, research: { ...hive.config.research, at_once: 1 } }
  await ask("B")
  expect(ends()).toEqual(["failed", "assigned"])
})

it("the daily token limit counts only researchers of the last 24 hours", async () => {
  const paths = hivePaths(await tempProject())
  mkdirSync(paths.graph, { recursive: true })
  const { hive, ask } = scene({ usage: usageFile(paths) })
  const { delegation } = await ask("A")
  const took = (message: string, hoursAgo: number, more: Partial<Usage> = {}) => {
    const at = new Date(hive.source.now() - hoursAgo * 3_600_000).toISOString()
    const counts = { input: 1_500_000, cache_write: 0, cache_read: 9e9, output: 0, reasoning: 0 }
    hive.usage.add(aUsage(message, { session: "ses_r1", delegation: delegation.id, at, ...counts, ...more }))
  }
  took("msg_1", 26)
  took("msg_2", 1, { delegation: null })
  took("msg_3", 1)
  await ask("B")
  took("msg_4", 2)
  await expect(ask("C")).rejects.toMatchObject({ why: expect.stringContaining("3000000 tokens") })
})

it("two processes that start researchers at the same moment keep the limit", async () => {
  const first = await fileHive()
  const other = { ...first, store: openFileStore(first.dir, { source: first.source }) }
  onTestFinished(() => other.store.close())
  let count = 0
  const hives = [first, other].map((hive) => ({
    ...hive,
    config: { ...hive.config, research: { ...hive.config.research, at_once: 1 } },
    startSession: async () => `ses_r${++count}`,
  }))
  const asked = await Promise.allSettled(
    hives.map((hive, n) => research(hive, { ...caller, session: `ses_${n}` }, { question: `What is ${n}?` })),
  )
  expect(asked.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
  expect(count).toBe(1)
  await first.store.ready()
  const { delegation, task } = first.store.read().state
  for (const kind of [delegation, task])
    expect([...kind.values()].filter(({ status }) => status !== "failed")).toHaveLength(1)
})
