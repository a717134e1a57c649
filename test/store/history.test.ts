import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { expect, it } from "vitest"
import { COUNTING, type Entry, readEntry } from "../../src/schemas/journal.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { replay } from "../../src/store/history.ts"
import { sumCounts, summedAlready } from "../../src/store/sum-counts.ts"
import { aPlan, by, countingSource, T0, uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

it("a clock that is set back over the end of a month changes neither the order of the log nor what it replays to", async () => {
  let ids = 100
  let now = Date.UTC(2026, 1, 11)
  const source = { now: () => now, newId: () => uuid(++ids) }
  const store = openFileStore(await tempProject(), { source })
  const write = (title: string) => store.write(by, (tx) => tx.set("plan", uuid(1), { title }))
  await store.write(by, (tx) => tx.add("plan", aPlan(1)))
  const titles = ["February", "back in January", "March", "back in February"]
  for (const [n, month] of [1, 0, 2, 1].entries()) {
    now = Date.UTC(2026, month, 12 + n)
    await write(titles[n] ?? "")
    await store.fold()
  }
  await store.fold() // The segment of a fold goes to the history with the next one.
  const told = store
    .log()
    .flatMap(({ ops }) => ops.flatMap((op) => (op.op === "set" && op.kind === "plan" ? [op.to.title] : [])))
  expect(told).toEqual(titles)
  expect(store.asOf(Date.UTC(2027, 0)).plan.get(uuid(1))?.title).toBe("back in February")
  expect(store.log("recent").length).toBeLessThan(store.log().length)
  await store.close()
})

it("a part of the log leaves out what the history has of others", async () => {
  const store = openFileStore(await tempProject(), { source: countingSource() })
  for (const session of ["ses_1", "ses_2", "ses_1", "ses_3", "ses_3"]) {
    await store.append({ ...by, session }, (tx) => tx.count(session, "calls"))
    await store.fold()
  }
  const { length: recent } = store.log("recent")
  const found = store
    .log({ since: "2026-02-01T00:00:00.000Z", naming: "ses_1" })
    .map(({ by: { session } }) => session)
  expect(found.slice(0, -recent)).toEqual(["ses_1", "ses_1"])
  expect(store.log({ since: "2026-03-01T00:00:00.000Z", naming: "ses_1" })).toHaveLength(recent)
  await store.close()
})

it("counts of single calls are summed up in the history, once, also when a crash leaves their segment behind", async () => {
  const project = await tempProject()
  const store = openFileStore(project, { source: countingSource() })
  const count = (session: string, by: number) =>
    store.append({ tool: COUNTING, session, agent: null }, (tx) => tx.count(session, "calls", by))
  for (let n = 0; n < 20; n++) await count("ses_1", 1)
  await count("ses_2", 5)
  await store.append({ tool: "compaction", session: "ses_1", agent: null }, (tx) =>
    tx.recordCompaction("ses_1"),
  )
  await store.fold()
  const { graph } = hivePaths(project)
  const segment = join(graph, readdirSync(graph).find((name) => /^journal\.\d+/.test(name)) ?? "")
  const sealed = readFileSync(segment)
  for (let n = 0; n < 3; n++) await count("ses_1", 1)
  await store.fold() // Moves the first segment; the second stays until the next one.
  const expected = { ses_1: { calls: 23 }, ses_2: { calls: 5 } }
  expect(countsIn(store.log())).toEqual(expected)
  expect(
    store
      .log()
      .map(({ by: { tool } }) => tool)
      .sort(),
  ).toEqual(["compaction", ...Array(5).fill(COUNTING)].sort())
  writeFileSync(segment, sealed) // As a kill between the history and the segment's end leaves it.
  const again = openFileStore(project, { source: countingSource() })
  expect(countsIn(again.log())).toEqual(expected)
  await again.append(by, (tx) => tx.count("ses_3", "calls"))
  await again.fold()
  await again.fold()
  expect(countsIn(again.log())).toEqual({ ...expected, ses_3: { calls: 1 } })
  expect(again.read().state.metrics.get("ses_1")?.counts).toEqual(expected.ses_1)
})

it("sums lead to the same counters as single counts, also where those were set in between", () => {
  const step = fc.record({
    kind: fc.constantFrom("count" as const, "register" as const, "other" as const, "set" as const),
    session: fc.constantFrom("ses_1", "ses_2"),
    by: fc.integer({ min: -5, max: 5 }),
  })
  const property = fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
    const entries = [
      entryOf(1, "first", { op: "count", session: "ses_1", name: "calls", by: 1 }),
      entryOf(2, "first", { op: "count", session: "ses_2", name: "calls", by: 1 }),
      ...steps.map(({ kind, session, by }, n) => {
        const register = { op: "register", session, name: "last", to: by === 0 ? null : by } as const
        if (kind === "count")
          return entryOf(n + 3, COUNTING, { op: "count", session, name: "calls", by }, session)
        if (kind === "register") return entryOf(n + 3, COUNTING, register, session)
        if (kind === "other") return entryOf(n + 3, "export", register, session)
        const to = { counts: { calls: by } }
        return entryOf(n + 3, "undo", { op: "set", kind: "metrics", id: session, to, was: {} })
      }),
    ]
    const summed = sumCounts(entries)
    expect(replay(summed.map(readEntry)).metrics).toEqual(replay(entries).metrics)
    // A crash has left the segment beside the history that has its sums.
    const isSummed = summedAlready(new Set(summed.map(({ id }) => id)))
    const left = entries.filter((entry) => !isSummed(entry)).map(({ by: { tool } }) => tool)
    expect(left).not.toContain(COUNTING)
  })
  fc.assert(property)
})

function entryOf(n: number, tool: string, op: Entry["ops"][number], session: string | null = null): Entry {
  return { id: uuid(n), at: new Date(T0 + n).toISOString(), by: { tool, session, agent: null }, ops: [op] }
}

function countsIn(log: Iterable<Entry>) {
  return Object.fromEntries(Array.from(replay(log).metrics.values(), ({ id, counts }) => [id, counts]))
}
