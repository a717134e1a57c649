import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { compactionsOf, isCompaction } from "../../src/graph/metrics.ts"
import type { GraphState } from "../../src/graph/state.ts"
import { isAddOf } from "../../src/schemas/op.ts"
import { kinds } from "../../src/schemas/records.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import type { Store } from "../../src/store/store.ts"
import { FORMAT } from "../../src/store/upgrade/format.ts"
import { by } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

type Fields = Record<string, unknown>
interface Expected {
  records: Record<string, Record<string, Fields>>
  archived: Record<string, Fields>
  log: { entries: number; first: string; last: string; by_tool: Record<string, number> }
  all_problems: Fields[]
}

const fixture = fileURLToPath(new URL("../fixtures/hive-0.1/", import.meta.url))
/** What version 0.1 itself read from the folder when it had written it. */
const expected: Expected = JSON.parse(readFileSync(join(fixture, "expected.json"), "utf8"))

/** A copy of a folder that version 0.1 wrote while it was worked with. */
async function oldHive() {
  const project = await tempProject()
  cpSync(join(fixture, "hivemind"), join(project, ".hivemind"), { recursive: true })
  return { project, paths: hivePaths(project), open: () => openFileStore(project, { source: systemSource }) }
}

/** All records, but for what this test itself has counted. */
function plain(state: GraphState): Record<string, Record<string, Fields>> {
  const records = kinds.map(
    (kind) => [kind, [...state[kind].values()].filter(({ id }) => id !== OWN)] as const,
  )
  return Object.fromEntries(
    records.map(([kind, all]) => [
      kind,
      Object.fromEntries<Fields>(all.map((record) => [record.id, record])),
    ]),
  )
}

/** Without metrics, whose fields have moved, and without the kinds and fields that version 0.1 did not have. */
function asBefore(state: GraphState): Record<string, Record<string, Fields>> {
  const { metrics: _, conflict: __, ...records } = plain(state)
  return Object.fromEntries(
    Object.entries(records).map(([kind, ofKind]) => [kind, mapValues(ofKind, withoutNew)]),
  )
}

function withoutNew(record: Fields): Fields {
  return Object.fromEntries(Object.entries(record).filter(([field]) => !NEW.has(field)))
}

const NEW = new Set([
  "origin",
  "purpose",
  "did",
  "removed",
  "branch",
  "intent_about",
  "parent_mem_id",
  "run",
  "continues",
  "continued_in",
  "held_back",
  "rank",
])

function mapValues<T, U>(values: Record<string, T>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]))
}

function filesIn(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(dir, name)).isFile())
    .map((name) => `${name} ${readFileSync(join(dir, name), "utf8")}`)
    .sort()
}

const { metrics: oldMetrics = {}, ...oldRecords } = expected.records

describe("a folder of version 0.1", () => {
  it("is read without loss, and reading changes nothing in it", async () => {
    const { paths, open } = await oldHive()
    const before = filesIn(paths.root)
    const store = open()
    const { state } = store.read()
    expect(asBefore(state)).toEqual(oldRecords)
    expect(mapValues(archivedIn(store), withoutNew)).toEqual(expected.archived)
    const whatIsWrong = (problems: readonly Fields[]) =>
      problems.map(({ kind, id }) => `${kind} ${id}`).sort()
    expect(whatIsWrong(store.health().problems.map((problem) => ({ ...problem })))).toEqual(
      whatIsWrong(expected.all_problems),
    )
    expect(store.health().edited).toEqual([])
    const log = await store.log()
    expect(log[0]?.id).toBe(expected.log.first)
    // Entries that only counted, as hooks made many, are no longer part of the log.
    for (const [tool, count] of Object.entries(expected.log.by_tool).filter(
      ([name]) => name.startsWith("hivemind") && !/inspect|cycle/.test(name),
    ))
      expect(log.filter((entry) => entry.by.tool === tool)).toHaveLength(count)
    await store.close()
    expect(filesIn(paths.root)).toEqual(before)
  })

  it("has in fields what version 0.1 had in a title, a shelf or a number", async () => {
    const { open } = await oldHive()
    const store = open()
    const { state } = store.read()
    const mems = [...state.mem.values(), ...Object.values(archivedIn(store))]
    const origins = new Set(mems.map(({ origin }) => origin))
    expect([...origins].sort()).toEqual(["anchor", "commit", "export", "finished_task", "saved"])
    expect(mems.every(({ origin, confidence }) => (origin === "saved") === (confidence === 1))).toBe(true)
    const titles = (purpose: string) =>
      [...state.task.values()].filter((task) => task.purpose === purpose).map(({ title }) => title)
    expect(titles("research")).toEqual([
      "Find out: Which port does it use?",
      "Find out: How long may a cookie live?",
    ])
    expect(titles("report")).toEqual([
      "Find out: what must be kept at compaction 2",
      "Find out: what must be kept at compaction 3",
    ])
    // An agent's own question made it, and its session works on it.
    expect([...state.plan.values()].find(({ title }) => title === "Research")?.purpose).toBe("work")
    expect([...state.checkpoint.values()].flatMap(({ did }) => did).sort()).toEqual([
      "commit",
      "commit",
      "verify",
    ])
  })

  it("has its metrics as counters, registers and compactions", async () => {
    const { open } = await oldHive()
    const store = open()
    const { state } = store.read()
    expect([...state.metrics.keys()]).toEqual(Object.keys(oldMetrics))
    for (const [session, { counts }] of Object.entries(oldMetrics)) {
      const { counts: counters = {}, registers = {} } = state.metrics.get(session) ?? {}
      for (const [name, value] of Object.entries(counts as Record<string, number>)) {
        if (/^(calls |failures of |tool_failures$|cancels$|commands$|outside_edits$)/.test(name))
          expect(counters[name]).toBe(value)
        if (/^(exports|syntheses|most_cancels|calls_.*_minute|words_at_call)$/.test(name))
          expect([registers[name], counters[name]]).toEqual([value, undefined])
        if (name.endsWith("_in_row")) {
          const row = name === "failures_in_row" ? "tool_failures" : name.replace("_in_row", "")
          expect((counters[row] ?? 0) - Number(registers[`${row} before row`])).toBe(value)
        }
      }
    }
    const [compacted, busy] = ["ses_e20d8cd36ffe932IlS10ViO4gn", "ses_e20d6e42affe6Y9cRCcrl7Fd9G"]
    expect(compactionsOf(state, compacted)).toBe(2)
    expect(
      (await store.log()).filter(({ ops }) => ops.some((op) => isCompaction(op, compacted))),
    ).toHaveLength(2)
    expect(state.metrics.get(busy)?.registers).toMatchObject({
      "acknowledged repeats": "medium",
      "warned failures": 1794745381000,
      minute_began: 1794745497000,
    })
  })

  it("is upgraded by the first write, once; what is read stays the same, also after folds", async () => {
    const { paths, open } = await oldHive()
    const before = plain(open().read().state)
    const log = await open().log()
    await withStore(open, write)
    expect(JSON.parse(readFileSync(paths.manifest, "utf8"))).toEqual({ format: FORMAT })
    // What was there is kept, out of the way.
    expect(readFileSync(join(paths.graph, "v1", "tasks.json"))).toEqual(
      readFileSync(join(fixture, "hivemind", "graph", "tasks.json")),
    )
    for (let writes = 1; writes < 4; writes++) {
      await withStore(open, async (store) => {
        expect(plain(store.read().state)).toEqual(before)
        expect(mapValues(archivedIn(store), withoutNew)).toEqual(expected.archived)
        expect(store.health()).toMatchObject({ format: FORMAT, edited: [] })
        expect((await store.log()).map(({ id }) => id)).toEqual(log.map(({ id }) => id))
        await write(store)
        await store.fold()
      })
    }
    expect(plain(open().read().state)).toEqual(before)
  })

  it("is upgraded only once where a crash came in between, and where two processes are the first", async () => {
    const { paths, open } = await oldHive()
    const before = plain(open().read().state)
    // As after a crash: the format is written down first, and the upgrade has not come to its end.
    writeFileSync(paths.manifest, `{"format":${FORMAT}}`)
    await Promise.all([withStore(open, write), withStore(open, write)])
    expect(plain(open().read().state)).toEqual(before)
    expect(readdirSync(paths.graph).filter((name) => name.startsWith("manifest."))).toHaveLength(1)
  })

  it("has a past: each moment before the upgrade as it was, and entries that can be undone", async () => {
    const [{ open }, untouched] = [await oldHive(), await oldHive()]
    const before = plain(open().read().state)
    const written = await open().log()
    await withStore(open, async (store) => {
      await write(store)
      const { checkpoint, ...past } = plain(
        await store.asOf(Math.max(...written.map(({ at }) => Date.parse(at)))),
      )
      // The log has the record that is in quarantine, too.
      const { [QUARANTINED]: _, ...checkpoints } = checkpoint ?? {}
      expect({ ...past, checkpoint: checkpoints, metrics: before["metrics"] }).toEqual(before)
      const then = Date.parse(written[100]?.at ?? "")
      expect(plain(await store.asOf(then))).toEqual(plain(await untouched.open().asOf(then)))
      const saved = written.findLast(({ ops }) => ops.length === 1 && ops[0] && isAddOf(ops[0], "mem"))
      const [op] = saved?.ops ?? []
      await store.undo(saved?.id ?? "", by)
      expect(op && isAddOf(op, "mem") && store.read().state.mem.has(op.record.id)).toBe(false)
    })
  })
})

/** Writes something that belongs to none of the fixture's records. */
function write(store: Store): Promise<unknown> {
  return store.append(by, (tx) => tx.count(OWN, "writes"))
}

async function withStore(open: () => Store, use: (store: Store) => Promise<unknown>): Promise<void> {
  const store = open()
  await use(store)
  await store.close()
}

function archivedIn(store: Store): Record<string, Fields> {
  return Object.fromEntries(store.archive.startingWith("", 1000).map((mem) => [mem.id, mem]))
}

const QUARANTINED = "0badbeef-0000-4000-8000-000000000001"
const OWN = "ses_of_this_test"
