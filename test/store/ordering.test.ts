import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Entry } from "../../src/schemas/journal.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { createLayout, hivePaths } from "../../src/store/files/layout.ts"
import { lockAge, takeLock } from "../../src/store/lock.ts"
import type { Store } from "../../src/store/store.ts"
import { aMem, aPlan, by, uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

describe("writers that meet", () => {
  it("two entries that follow the same one: only the first counts, whoever reads", async () => {
    const { project, paths, store } = await opened()
    const { entry } = await store.write(by, (tx) => tx.add("plan", aPlan(1)))
    const rivals = [2, 3].map((n) => ordered(n, entry?.id ?? null, n))
    for (const rival of rivals) appendFileSync(paths.journal, `\n${JSON.stringify(rival)}`)
    for (const each of [store, open(project)])
      expect([...each.read().state.plan.keys()]).toEqual([uuid(1), uuid(2)])
    expect(store.log()).toHaveLength(2)
    await store.fold()
    await store.fold()
    expect([...open(project).read().state.plan.keys()]).toEqual([uuid(1), uuid(2)])
    expect(open(project).log()).toHaveLength(2)
  })

  it("a writer that was overtaken writes again on the newer state", async () => {
    const { paths, store } = await opened()
    const { entry } = await store.write(by, (tx) => tx.add("plan", aPlan(1)))
    let rival: Entry | undefined = ordered(2, entry?.id ?? null, 2)
    const { result } = await store.write(by, (tx) => {
      // What a process does that took over a lapsed lock: its line lands between our look and our line.
      if (rival !== undefined) appendFileSync(paths.journal, `\n${JSON.stringify(rival)}`)
      rival = undefined
      tx.add("plan", aPlan(3))
      return [...tx.all("plan")].length
    })
    expect(result).toBe(3)
    expect(store.read().state.plan.size).toBe(3)
  })

  it("a damaged line does not take the entries after it along", async () => {
    const { paths, project, store } = await opened()
    for (const n of [1, 2, 3]) await store.write(by, (tx) => tx.add("plan", aPlan(n)))
    const lines = readFileSync(paths.journal, "utf8").split("\n")
    writeFileSync(paths.journal, lines.map((line, n) => (n === 2 ? line.replace("{", "[") : line)).join("\n"))
    expect([...open(project).read().state.plan.keys()]).toEqual([uuid(1), uuid(3)])
    expect(open(project).read().problems).toMatchObject([
      { level: "quarantined", file: "graph/journal.jsonl" },
    ])
  })

  it("a torn last line is waited for, and given up once something follows it", async () => {
    const { paths, store } = await opened()
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    const line = JSON.stringify({
      ...ordered(9, null, 9),
      ops: [{ op: "add", kind: "mem", record: aMem(2) }],
    })
    appendFileSync(paths.journal, `\n${line.slice(0, 50)}`)
    expect(store.read()).toMatchObject({ problems: [] })
    appendFileSync(paths.journal, line.slice(50))
    expect([...store.read().state.mem.keys()]).toEqual([uuid(1), uuid(2)])
    appendFileSync(paths.journal, '\n{"id":"torn')
    await store.append(by, (tx) => tx.add("mem", aMem(3)))
    expect([...store.read().state.mem.keys()]).toEqual([uuid(1), uuid(2), uuid(3)])
    expect(store.read().problems).toMatchObject([{ raw: '{"id":"torn' }])
  })
})

describe("a fold that others run into", () => {
  it("keeps what a slow writer appends to a journal that was sealed meanwhile", async () => {
    const { paths, project, store } = await opened()
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    await store.fold()
    const segment = readdirSync(paths.graph).find((name) => /^journal\.\d+/.test(name)) ?? ""
    appendFileSync(join(paths.graph, segment), `\n${JSON.stringify(late(2))}`)
    for (const each of [store, open(project)]) expect(each.read().state.mem.has(uuid(2))).toBe(true)
    await store.append(by, (tx) => tx.add("mem", aMem(3)))
    await store.fold()
    await store.append(by, (tx) => tx.add("mem", aMem(4)))
    await store.fold()
    expect([...open(project).read().state.mem.keys()].sort()).toEqual([1, 2, 3, 4].map(uuid))
    expect(open(project).read().state.metrics.get("ses_1")?.counts).toEqual({ turns: 1 })
  })

  it("applies nothing twice when it died right after sealing, or before it moved the segment to the history", async () => {
    const { paths, project, store } = await opened()
    await store.append(by, (tx) => tx.count("ses_1", "turns", 5))
    linkSync(paths.journal, join(paths.graph, "journal.000001.jsonl")) // Died between link and unlink.
    expect(open(project).read().state.metrics.get("ses_1")?.counts).toEqual({ turns: 5 })
    await open(project).fold()
    expect(open(project).read().state.metrics.get("ses_1")?.counts).toEqual({ turns: 5 })
    const segment = readdirSync(paths.graph).find((name) => /^journal\.\d+/.test(name)) ?? ""
    mkdirSync(paths.history, { recursive: true })
    writeFileSync(join(paths.history, "2026-11.jsonl"), readFileSync(join(paths.graph, segment)))
    await open(project).append(by, (tx) => tx.count("ses_1", "turns", 1))
    await open(project).fold()
    expect(open(project).read().state.metrics.get("ses_1")?.counts).toEqual({ turns: 6 })
    expect(
      open(project)
        .asOf(Date.now() + 1000)
        .metrics.get("ses_1")?.counts,
    ).toEqual({ turns: 6 })
  })
})

describe("the lock", () => {
  it("of a dead process is taken over at once", async () => {
    const { paths } = await opened()
    mkdirSync(paths.lock)
    const { ino, birthtimeMs } = statSync(paths.lock)
    // A lock that will not lapse by its age: only because its owner is dead can it be taken over.
    utimesSync(paths.lock, Date.now() / 1000 + 3600, Date.now() / 1000 + 3600)
    writeFileSync(
      paths.lockOwner,
      JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), lock: `${ino}:${birthtimeMs}` }),
    )
    const lock = await takeLock(paths, () => 0)
    expect(lock.isHeld()).toBe(true)
    await lock.release()
    expect(existsSync(paths.lock)).toBe(false)
  })

  it("that nobody says whose it is lapses by its age, and not before", async () => {
    const { paths } = await opened()
    mkdirSync(paths.lock)
    const { ino } = statSync(paths.lock)
    // By this clock the patience of whoever waits is over at the second look.
    const impatient = [0, 60_000]
    await expect(takeLock(paths, () => impatient.shift() ?? 60_000)).rejects.toMatchObject({ code: "locked" })
    expect(statSync(paths.lock).ino).toBe(ino)
    const longAgo = Date.now() / 1000 - 60
    utimesSync(paths.lock, longAgo, longAgo)
    const lock = await takeLock(paths, Date.now)
    expect(lock.isHeld()).toBe(true)
    expect(lockAge(paths, Date.now())).toBeLessThan(30_000)
    await lock.release()
    expect(existsSync(paths.lock)).toBe(false)
  })

  it("of a live process keeps ordered writes waiting, but no append", async () => {
    const { paths, store } = await opened()
    const lock = await takeLock(paths, Date.now)
    let isWritten = false
    const writing = store
      .write(by, (tx) => tx.add("plan", aPlan(1)))
      .then(() => {
        isWritten = true
      })
    const other = open(paths.root.replace(/\/\.hivemind$/, ""))
    await other.append(by, (tx) => tx.add("mem", aMem(1)))
    expect(isWritten).toBe(false)
    await lock.release()
    await writing
    expect([...store.read().state.plan.keys()]).toEqual([uuid(1)])
  })
})

describe("trouble with the disk", () => {
  it.skipIf(!existsSync("/dev/full"))("a full disk is a clear error, and what was there stays", async () => {
    const project = await tempProject()
    await createLayout(project)
    symlinkSync("/dev/full", hivePaths(project).journal)
    const error = await open(project)
      .append(by, (tx) => tx.add("mem", aMem(1)))
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: "disk_full",
      use_instead: expect.stringContaining("Free some space"),
    })
  })

  it("a file in place of the folder is a clear error on writing, and nothing on reading", async () => {
    const project = await tempProject()
    writeFileSync(join(project, ".hivemind"), "not a folder")
    expect(open(project).read().state.mem.size).toBe(0)
    await expect(open(project).append(by, (tx) => tx.add("mem", aMem(1)))).rejects.toMatchObject({
      code: "not_writable",
    })
    expect(readFileSync(join(project, ".hivemind"), "utf8")).toBe("not a folder")
  })

  it("a newer format is read, never written", async () => {
    const { paths, project, store } = await opened()
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    writeFileSync(paths.manifest, '{"format":99}')
    const later = open(project)
    expect(later.read().state.mem.size).toBe(1)
    for (const writing of [
      later.append(by, (tx) => tx.add("mem", aMem(2))),
      later.write(by, (tx) => tx.add("plan", aPlan(3))),
      later.fold(),
    ]) {
      await expect(writing).rejects.toMatchObject({ code: "newer_format" })
    }
    expect(readFileSync(paths.manifest, "utf8")).toBe('{"format":99}')
  })

  it("temporary files that a crash left behind are swept, young ones are not", async () => {
    const { paths, project } = await opened()
    const old = join(paths.graph, "mems.json.hivemind-tmp-1-1")
    const young = join(paths.graph, "mems.json.hivemind-tmp-1-2")
    const backup = join(paths.graph, "mems.json.20260211")
    for (const path of [old, young, backup]) writeFileSync(path, "half")
    for (const path of [old, backup]) utimesSync(path, 1, 1)
    await open(project).append(by, (tx) => tx.add("mem", aMem(1)))
    expect([old, young, backup].map((path) => existsSync(path))).toEqual([false, true, true])
  })
})

describe("the hot set", () => {
  it("lets mems leave at a fold; they are in the archive, in the log, and can be linked to", async () => {
    const project = await tempProject()
    const leaving = openFileStore(project, {
      source: systemSource,
      leaving: (state) => [...state.mem.values()].filter((mem) => mem.status === "superseded"),
    })
    await leaving.write(by, (tx) => {
      tx.add("mem", aMem(1))
      tx.add("mem", aMem(2, { supersedes: uuid(1) }))
    })
    await leaving.write(by, (tx) => tx.set("mem", uuid(1), { status: "superseded" }))
    await leaving.fold()
    expect([...leaving.read().state.mem.keys()]).toEqual([uuid(2)])
    expect(open(project).archived().get(uuid(1))?.status).toBe("superseded")
    expect(open(project).read().problems).toEqual([])
    expect(leaving.log().at(-1)?.by.tool).toBe("archive")
    await leaving.append(by, (tx) => tx.add("mem", aMem(3, { related_to: [uuid(1)] })))
    await leaving.fold()
    expect(
      [
        ...open(project)
          .asOf(Date.now() + 1000)
          .mem.keys(),
      ].sort(),
    ).toEqual([uuid(2), uuid(3)])
  })
})

async function opened() {
  const project = await tempProject()
  await createLayout(project)
  return { project, paths: hivePaths(project), store: open(project) }
}

function open(project: string): Store {
  return openFileStore(project, { source: systemSource })
}

function ordered(n: number, after: string | null, plan: number): Entry {
  const ops: Entry["ops"] = [{ op: "add", kind: "plan", record: aPlan(plan) }]
  return { id: uuid(1000 + n), at: new Date(0).toISOString(), by, after, ops }
}

function late(n: number): Entry {
  const ops: Entry["ops"] = [
    { op: "add", kind: "mem", record: aMem(n) },
    { op: "count", session: "ses_1", name: "turns", by: 1 },
  ]
  return { id: uuid(2000 + n), at: new Date(0).toISOString(), by, ops }
}

it("a line that comes a whole fold late counts, in every file, though the fold was killed before it moved the segment", async () => {
  const { project, paths, store } = await opened()
  await store.append(by, (tx) => tx.add("mem", aMem(1)))
  await store.fold()
  const name = readdirSync(paths.graph).find((each) => /^journal\.\d+/.test(each)) ?? ""
  const segment = readFileSync(join(paths.graph, name), "utf8")
  await store.append(by, (tx) => tx.add("mem", aMem(2)))
  await store.fold()
  // The killed fold has written its snapshots, and perhaps the history; the segment is still there, and the line is in.
  const ops: Entry["ops"] = [
    { op: "add", kind: "mem", record: { ...aMem(3) } },
    { op: "count", session: "ses_1", name: "writes", by: 1 },
  ]
  const slow: Entry = { id: uuid(3000), at: new Date(0).toISOString(), by, ops }
  writeFileSync(join(paths.graph, name), `${segment}\n${JSON.stringify(slow)}`)
  const told = () => {
    const { state } = open(project).read()
    return [state.mem.size, state.metrics.get("ses_1")?.counts["writes"], open(project).log().length]
  }
  expect(told()).toEqual([3, 1, 3])
  await store.append(by, (tx) => tx.add("mem", aMem(4)))
  await store.fold()
  await store.fold()
  expect(told()).toEqual([4, 1, 4])
})
