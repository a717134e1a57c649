import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Entry } from "../../src/schemas/entry.ts"
import { entryLine } from "../../src/store/log/line.ts"
import { segmentPath } from "../../src/store/log/segments.ts"
import type { Store } from "../../src/store/store.ts"
import { defined } from "../support/defined.ts"
import { openStore as open, newStore as opened, superseded } from "../support/open-store.ts"
import { aMem, aPhase, aPlan, aTask, by, uuid } from "../support/records.ts"

describe("a fold that fails half-way", () => {
  it("never leaves a mem in neither place: first it is in the archive, then it leaves the hot set", async () => {
    const { project, paths } = await opened()
    const store = open(project, { leaving: superseded })
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    await store.write(by, (tx) => tx.set("mem", uuid(1), { status: "superseded" }))
    writeFileSync(paths.archive, "") // No file can be made below a file, as on a full disk.
    await expect(store.fold()).rejects.toThrow()
    expect(open(project).read().state.mem.has(uuid(1))).toBe(true)
    rmSync(paths.archive)
    await open(project, { leaving: superseded }).fold()
    await open(project, { leaving: superseded }).fold()
    const after = open(project)
    expect([after.read().state.mem.has(uuid(1)), after.archive.has(uuid(1))]).toEqual([false, true])
  })

  it("leaves the graph as it is, and the next one does all that this one did not", async () => {
    const { project, paths } = await opened()
    const foldAfterBytes = Number.POSITIVE_INFINITY
    const store = open(project, { foldAfterBytes })
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    rmSync(paths.parts, { recursive: true })
    writeFileSync(paths.parts, "")
    await expect(store.fold()).rejects.toMatchObject({ code: "not_writable" })
    await store.append(by, (tx) => tx.add("mem", aMem(2)))
    expect([...store.read().state.mem.keys()]).toEqual([uuid(1), uuid(2)])
    rmSync(paths.parts)
    await store.append(by, (tx) => tx.add("mem", aMem(3)))
    expect(await store.fold()).toMatchObject({ folded: true })
    const after = open(project)
    expect([...after.read().state.mem.keys()]).toEqual([1, 2, 3].map(uuid))
    expect(after.read().problems).toEqual([])
    expect(await after.compareWithLog()).toEqual([])
  })
})

describe("what comes from elsewhere", () => {
  it("of two entries that follow the same one, the one that does not count is kept with a word about it", async () => {
    const { project, paths, store } = await opened()
    const { entry } = await store.write(by, (tx) => tx.add("plan", aPlan(1)))
    for (const n of [2, 3]) {
      const rival: Entry = {
        ...defined(entry ?? undefined),
        id: uuid(1000 + n),
        seq: (entry?.seq ?? 0) + 1,
        ops: [{ op: "add", kind: "plan", record: aPlan(n) }],
      }
      appendFileSync(segmentPath(paths.log, 1), `\n${entryLine(rival, 1)}`)
    }
    for (const each of [store, open(project)]) {
      expect(each.read().problems).toMatchObject([
        { code: "overtaken", id: uuid(1003), raw: expect.stringContaining("Plan 3") },
      ])
    }
    await store.fold()
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    await store.fold()
    expect(readFileSync(paths.orphans, "utf8")).toContain("Plan 3")
    // Not in force after a fold either, and not in the log, which only tells of what counts.
    for (const each of [store, open(project)]) {
      expect([...each.read().state.plan.keys()]).toEqual([uuid(1), uuid(2)])
      expect((await each.log()).map(({ id }) => id)).not.toContain(uuid(1003))
      expect(await each.compareWithLog()).toEqual([])
    }
  })

  it("what is among the segments of the log and is none does not take the rest along, and is told", async () => {
    const { project, paths, store } = await opened()
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    await store.fold()
    mkdirSync(segmentPath(paths.log, 99))
    copyFileSync(segmentPath(paths.log, 1), segmentPath(paths.log, 98))
    writeFileSync(join(paths.log, `${"9".repeat(21)}.jsonl`), "")
    const again = open(project)
    expect(again.read().state.mem.has(uuid(1))).toBe(true)
    expect(again.read().problems).toMatchObject([
      { code: "stray_segment", file: "graph/log/000098.jsonl" },
      { code: "stray_segment", file: "graph/log/000099.jsonl" },
    ])
    expect(await again.log()).toHaveLength(1)
    await again.append(by, (tx) => tx.add("mem", aMem(2)))
    expect(await again.fold()).toMatchObject({ folded: true })
    expect([...open(project).read().state.mem.keys()]).toEqual([uuid(1), uuid(2)])
  })

  it("a segment that cannot be read is told in plain words by writes and folds, and the rest is still shown", async () => {
    const { project, paths, store } = await opened()
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    await store.fold()
    await store.close()
    mkdirSync(segmentPath(paths.log, 2))
    const again = open(project)
    expect(again.read().state.mem.has(uuid(1))).toBe(true)
    expect(again.read().problems).toMatchObject([{ code: "unreadable" }])
    await expect(again.append(by, (tx) => tx.add("mem", aMem(2)))).rejects.toMatchObject({
      name: "HiveError",
    })
    await expect(again.fold()).rejects.toMatchObject({ name: "HiveError" })
    rmdirSync(segmentPath(paths.log, 2))
    await again.append(by, (tx) => tx.add("mem", aMem(2)))
    expect(again.read().problems).toEqual([])
  })
})

describe("counters", () => {
  async function counted() {
    const { project, paths, store } = await opened()
    await store.append(by, (tx) => tx.count("ses_1", "turns", 5))
    await store.fold()
    await store.append(by, (tx) => tx.count("ses_1", "turns", 1))
    await store.fold()
    await store.append(by, (tx) => tx.count("ses_1", "turns", 1))
    return { project, path: join(paths.state, "brain.000002.json") }
  }
  const turns = (project: string) => open(project).read().state.metrics.get("ses_1")?.counts["turns"]

  it("are right when their file is damaged, or gone", async () => {
    const { project, path } = await counted()
    writeFileSync(path, readFileSync(path, "utf8").replace('"turns":6', '"turns":60'))
    expect(turns(project)).toBe(7)
    rmSync(path)
    expect(turns(project)).toBe(7)
    await open(project).fold()
    await open(project).append(by, (tx) => tx.count("ses_1", "turns", 1))
    await open(project).fold()
    expect(turns(project)).toBe(8)
  })

  it("refuse what no reader would accept, and lose nothing beside it", async () => {
    const { store } = await opened()
    for (const [name, value] of [
      ["", 1],
      ["x", Number.NaN],
      ["constructor", 1],
      ["__proto__", 1],
    ] as const) {
      const append = store.append(by, (tx) => {
        tx.add("mem", aMem(1))
        tx.count("ses_1", name, value)
      })
      await expect(append).rejects.toMatchObject({ code: "invalid_record" })
    }
    const tool = "x".repeat(101)
    await expect(store.write({ ...by, tool }, (tx) => tx.add("plan", aPlan(1)))).rejects.toMatchObject({
      code: "invalid_record",
    })
    expect(await store.log()).toEqual([])
  })

  it("that cannot be read or written take neither the graph nor a save along", async () => {
    const { project, paths } = await opened()
    const errors: unknown[] = []
    const onBackgroundError = (error: unknown) => errors.push(error)
    const store = open(project, { onBackgroundError })
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    rmSync(paths.state, { recursive: true })
    writeFileSync(paths.state, "a file in its place")
    await store.append(by, (tx) => {
      tx.add("mem", aMem(2))
      tx.count("ses_1", "turns")
    })
    for (const each of [store, open(project)])
      expect([...each.read().state.mem.keys()]).toEqual([uuid(1), uuid(2)])
    expect(errors).toHaveLength(1)
    await expect(store.append(by, (tx) => tx.count("ses_1", "turns"))).rejects.toThrow()
  })
})

describe("undo", () => {
  it("of two who undo the same entry at once, one is told", async () => {
    const { project } = await opened()
    const [a, b] = [open(project), open(project)]
    const { entry } = await a.append(by, (tx) => tx.add("mem", aMem(1)))
    const results = await Promise.allSettled([a.undo(entry?.id ?? "", by), b.undo(entry?.id ?? "", by)])
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
    expect(open(project).read().state.mem.size).toBe(0)
  })

  it("undoes a change that was written with spaces around it, and one of thousands", async () => {
    const { store } = await opened()
    await store.write(by, (tx) => tx.add("plan", aPlan(1)))
    const { entry } = await store.write(by, (tx) => tx.set("plan", uuid(1), { title: "  Spaced  " }))
    await store.undo(entry?.id ?? "", by)
    expect(store.read().state.plan.get(uuid(1))?.title).toBe("Plan 1")
    const many = await store.append(by, (tx) => {
      for (let n = 0; n < 3000; n++) tx.add("mem", aMem(100 + n))
    })
    await store.undo(many.entry?.id ?? "", by)
    expect(store.read().state.mem.size).toBe(0)
    await store.close()
  })
})

describe("rules that reach beyond one record", () => {
  const refused: [string, string, Parameters<Store["write"]>[1]][] = [
    [
      "a gate on itself",
      "cycle",
      (tx) => tx.set("task", uuid(3), { temporal_gate: { after_task_id: uuid(3), reason: "r" } }),
    ],
    [
      "a gate against a dependency",
      "cycle",
      (tx) => {
        tx.add("task", aTask(4, 1, 2, { depends_on: [uuid(3)] }))
        tx.set("task", uuid(3), { temporal_gate: { after_task_id: uuid(4), reason: "r" } })
      },
    ],
    [
      "a phase that leaves its tasks",
      "orphan",
      (tx) => {
        tx.add("plan", aPlan(8))
        tx.set("phase", uuid(2), { parent_plan_id: uuid(8) })
      },
    ],
    [
      "a parent task of another plan",
      "orphan",
      (tx) => {
        tx.add("plan", aPlan(8))
        tx.add("phase", aPhase(9, 8))
        tx.add("task", aTask(10, 8, 9, { parent_task_id: uuid(3), type: "sub" }))
      },
    ],
  ]
  for (const [what, code, build] of refused) {
    it(`refuses ${what}`, async () => {
      const { store } = await opened()
      await store.write(by, (tx) => {
        tx.add("plan", aPlan(1))
        tx.add("phase", aPhase(2, 1))
        tx.add("task", aTask(3, 1, 2))
      })
      await expect(store.write(by, build)).rejects.toMatchObject({ code })
    })
  }
})
