import { readdirSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { countsOf } from "../../src/graph/counters.ts"
import { applyOp, emptyState } from "../../src/graph/state.ts"
import type { Hive } from "../../src/hive/hive.ts"
import { defaultConfig } from "../../src/schemas/config.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { createLayout } from "../../src/store/layout.ts"
import { activeSignals } from "../../src/watch/active-signals.ts"
import type { Happening } from "../../src/watch/observe.ts"
import { tally } from "../../src/watch/tally.ts"
import { acknowledgedCounter } from "../../src/watch/warnings.ts"
import { aCall } from "../support/detect.ts"
import { memoryHive } from "../support/hive.ts"
import { T0, uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

const caller = { session: "ses_1", agent: "build", tool: "test" }
const failing = aCall({ tool: "bash", use: "run", ok: false })
const counts = (hive: Hive, session = "ses_1") => countsOf(hive.store.read().state, session)

describe("counting", () => {
  it("is one entry per happening, and none where nothing changes", async () => {
    const hive = memoryHive()
    await tally(hive, caller, aCall())
    expect(hive.store.log()).toHaveLength(1)
    await tally(hive, caller, { what: "good turn" })
    await tally(hive, caller, { what: "user message", taskId: null })
    expect(hive.store.log()).toHaveLength(1)
  })

  it("keeps calls apart that end at the same moment", async () => {
    const hive = fileHive(await setUpProject())
    for (const _ of [1, 2, 3]) await tally(hive, caller, failing)
    const together = [aCall(), aCall({ args: { n: 1 } }), aCall({ args: { n: 2 } }), failing, failing]
    await Promise.all(together.map((each) => tally(hive, caller, each)))
    expect(counts(hive)).toMatchObject({ failures_in_row: 2, "calls read": 3, tool_failures: 5 })
    await hive.store.close()
  })

  it("puts right what two processes have reset at the same moment", async () => {
    const hive = memoryHive()
    for (const _ of [1, 2, 3]) await tally(hive, caller, failing)
    for (const _ of ["one", "other"])
      await hive.store.append(caller, (tx) => tx.count("ses_1", "failures_in_row", -3))
    expect(counts(hive)["failures_in_row"]).toBe(-3)
    await tally(hive, caller, failing)
    expect(counts(hive)["failures_in_row"]).toBe(1)
  })

  it("goes on after a write that failed", async () => {
    const hive = memoryHive()
    const append = hive.store.append
    hive.store.append = async () => {
      throw new Error("disk full")
    }
    await expect(tally(hive, caller, failing)).rejects.toThrow("disk full")
    hive.store.append = append
    await tally(hive, caller, failing)
    expect(counts(hive)["failures_in_row"]).toBe(1)
  })

  it("puts nothing into a project that does not use HiveMind yet", async () => {
    const project = await tempProject()
    const hive = fileHive(project)
    expect(await tally(hive, caller, failing)).toEqual([])
    expect(readdirSync(project)).toEqual([])
    await hive.store.close()
  })

  it("survives a restart, and keeps sessions apart", async () => {
    const project = await setUpProject()
    const before = fileHive(project)
    for (const _ of [1, 2, 3, 4]) await tally(before, caller, failing)
    await tally(before, { ...caller, session: "ses_2" }, aCall())
    const left = counts(before)
    await before.store.fold()
    await before.store.close()
    const after = fileHive(project)
    expect(counts(after)).toEqual(left)
    expect(counts(after, "ses_2")["tool_failures"]).toBeUndefined()
    await tally(after, caller, failing)
    expect(counts(after)["failures_in_row"]).toBe(5)
    await after.store.close()
  })

  it("comes to the same signals in whatever order the entries are read", async () => {
    const hive = memoryHive()
    for (const each of HAPPENINGS) await tally(hive, caller, each)
    const ops = hive.store.log().flatMap((entry) => entry.ops)
    const signalsOf = (state: ReturnType<typeof emptyState>) =>
      activeSignals({
        state,
        session: "ses_1",
        counts: countsOf(state, "ses_1"),
        now: T0 + 60_000,
        detection: ALL_ON,
      })
    const expected = signalsOf(hive.store.read().state)
    expect(expected.length).toBeGreaterThan(4)
    fc.assert(
      fc.property(fc.shuffledSubarray(ops, { minLength: ops.length }), (shuffled) => {
        const state = emptyState()
        for (const op of shuffled) applyOp(state, op)
        expect(signalsOf(state)).toEqual(expected)
      }),
      { numRuns: 50, seed: 7 },
    )
  })

  it("needs a bounded number of names, whatever is called", async () => {
    const hive = memoryHive({ detection: ALL_ON })
    const strange = Array.from({ length: 300 }, (_, n) =>
      aCall({
        tool: `mcp_${n}`,
        use: "other",
        ok: n % 2 === 0,
        args: { prompt: `Retry ${n}, stuck in circles` },
      }),
    )
    for (const each of [...HAPPENINGS, ...strange]) await tally(hive, caller, each, () => undefined)
    expect(Object.keys(counts(hive)).length).toBeLessThan(60)
  })
})

describe("what cannot wait", () => {
  it("is returned once, and remembered", async () => {
    const hive = memoryHive()
    const said = []
    for (let n = 0; n < 12; n++) said.push(await tally(hive, caller, failing, () => undefined))
    // Six failures in a row are twice the threshold; the same call eight times in a row is that too.
    expect(said.map((warnings) => warnings.map(({ id }) => id))).toEqual([
      [],
      [],
      [],
      [],
      [],
      ["failures"],
      [],
      ["repeats"],
      [],
      [],
      [],
      [],
    ])
    expect(counts(hive)).toMatchObject({ "told failures": expect.any(Number) })
  })

  it("is not said where there is no place for it, nor with governance off", async () => {
    const off = memoryHive({ governance: "off" })
    const hive = memoryHive()
    for (let n = 0; n < 12; n++) {
      expect(await tally(off, caller, failing, () => undefined)).toEqual([])
      expect(await tally(hive, caller, failing)).toEqual([])
    }
    expect(counts(off)["failures_in_row"]).toBe(12)
  })
})

it("what was acknowledged is forgotten when the pattern ends", async () => {
  const hive = memoryHive()
  const known = acknowledgedCounter("failures")
  for (const _ of [1, 2, 3]) await tally(hive, caller, failing)
  await hive.store.append(caller, (tx) => tx.count("ses_1", known, 2))
  await tally(hive, caller, failing)
  expect(counts(hive)[known]).toBe(2)
  await tally(hive, caller, aCall())
  expect(counts(hive)[known]).toBe(0)
})

const ALL_ON = Object.fromEntries(
  Object.keys(defaultConfig.detection).map((name) => [name, 1]),
) as typeof defaultConfig.detection

const HAPPENINGS: Happening[] = [
  { what: "user message", taskId: uuid(1) },
  ...Array.from({ length: 8 }, (_, n) => aCall({ args: { n } })),
  aCall({ tool: "write", use: "write", task: null }),
  aCall({ tool: "bash", use: "run", args: { description: "Retry" } }),
  { what: "cancelled turn" },
  { what: "cancelled turn" },
  failing,
  aCall(),
  failing,
  failing,
]

function fileHive(dir: string): Hive {
  return { ...memoryHive(), dir, source: systemSource, store: openFileStore(dir, { source: systemSource }) }
}

async function setUpProject(): Promise<string> {
  const project = await tempProject()
  await createLayout(project)
  return project
}
