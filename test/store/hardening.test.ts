import fs from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Entry } from "../../src/schemas/entry.ts"
import { entryLine } from "../../src/store/log/line.ts"
import { segmentPath } from "../../src/store/log/segments.ts"
import { defined } from "../support/defined.ts"
import { openStore as open, newStore as opened } from "../support/open-store.ts"
import { aMem, aPlan, by, uuid } from "../support/records.ts"

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
      fs.appendFileSync(segmentPath(paths.log, 1), `\n${entryLine(rival, 1)}`)
    }
    for (const each of [store, open(project)]) {
      expect(each.read().problems).toMatchObject([
        { code: "overtaken", id: uuid(1003), raw: expect.stringContaining("Plan 3") },
      ])
    }
    await store.fold()
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    await store.fold()
    expect(fs.readFileSync(paths.orphans, "utf8")).toContain("Plan 3")
    // The entry has no effect after a fold either, and `log` does not return it.
    for (const each of [store, open(project)]) {
      expect([...each.read().state.plan.keys()]).toEqual([uuid(1), uuid(2)])
      expect((await each.log()).map(({ id }) => id)).not.toContain(uuid(1003))
      expect(await each.compareWithLog()).toEqual([])
    }
  })

  it("a foreign file among the segments does not affect them, and is reported", async () => {
    const { project, paths, store } = await opened()
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    await store.fold()
    fs.mkdirSync(segmentPath(paths.log, 99))
    fs.copyFileSync(segmentPath(paths.log, 1), segmentPath(paths.log, 98))
    fs.writeFileSync(join(paths.log, `${"9".repeat(21)}.jsonl`), "")
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
    fs.mkdirSync(segmentPath(paths.log, 2))
    const again = open(project)
    expect(again.read().state.mem.has(uuid(1))).toBe(true)
    expect(again.read().problems).toMatchObject([{ code: "unreadable" }])
    await expect(again.append(by, (tx) => tx.add("mem", aMem(2)))).rejects.toMatchObject({
      name: "HiveError",
    })
    await expect(again.fold()).rejects.toMatchObject({ name: "HiveError" })
    fs.rmdirSync(segmentPath(paths.log, 2))
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
    fs.writeFileSync(path, fs.readFileSync(path, "utf8").replace('"turns":6', '"turns":60'))
    expect(turns(project)).toBe(7)
    fs.rmSync(path)
    expect(turns(project)).toBe(7)
    await open(project).fold()
    await open(project).append(by, (tx) => tx.count("ses_1", "turns", 1))
    await open(project).fold()
    expect(turns(project)).toBe(8)
  })

  it("refuse an invalid count, and lose no other", async () => {
    const { store } = await opened()
    for (const [name, value] of [
      ["", 1],
      ["x", Number.NaN],
      // Two writers could not count down at once.
      ["turns", 0],
      ["turns", -1],
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
    fs.rmSync(paths.state, { recursive: true })
    fs.writeFileSync(paths.state, "a file in its place")
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
  it("if two processes undo the same entry at once, the second gets an error", async () => {
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
