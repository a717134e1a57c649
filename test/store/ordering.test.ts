import fs, { appendFileSync, existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import type { Entry } from "../../src/schemas/entry.ts"
import { thisProcess } from "../../src/shared/process-identity.ts"
import { createLayout, type HivePaths, hivePaths } from "../../src/store/files/layout.ts"
import { lockAge, STALE_AFTER_MS, takeLockAt } from "../../src/store/lock.ts"
import { entryLine, sealLine } from "../../src/store/log/line.ts"
import { segmentPath } from "../../src/store/log/segments.ts"
import { commitManifest, newestManifest, removeManifest } from "../../src/store/snapshot/manifest.ts"
import { fullDiskFor } from "../support/full-disk.ts"
import { openStore as open, newStore as opened } from "../support/open-store.ts"
import { aMem, aPlan, by, uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

describe("writers that meet", () => {
  it("a writer that was overtaken writes again on the newer state", async () => {
    const { segment, store } = await opened()
    await store.write(by, (tx) => tx.add("plan", aPlan(1)))
    let rival: Entry | undefined = ordered(2, 2, 2)
    const { result } = await store.write(by, (tx) => {
      // What a process does that took over a lapsed lock: its line lands between our look and our line.
      if (rival !== undefined) appendLine(segment, rival)
      rival = undefined
      tx.add("plan", aPlan(3))
      tx.count("ses_1", "writes")
      return [...tx.all("plan")].length
    })
    expect(result).toBe(3)
    expect(store.read().state.plan.size).toBe(3)
    expect(store.read().state.metrics.get("ses_1")?.counts).toEqual({ writes: 1 })
  })

  it("a writer that wakes up after others have gone on changes nothing of theirs", async () => {
    const { segment, store, project } = await opened()
    await store.write(by, (tx) => tx.add("plan", aPlan(1)))
    for (const title of ["B", "C"]) await store.write(by, (tx) => tx.set("plan", uuid(1), { title }))
    await store.fold()
    await store.write(by, (tx) => tx.set("plan", uuid(1), { title: "D" }))
    const to = { title: "Of long ago" }
    const asleep = ordered(2, 2, 2, [{ op: "set", kind: "plan", id: uuid(1), to, was: { title: "Plan 1" } }])
    // Into the segment that it knew, and into the one of now.
    for (const path of [segment, segment.replace("000001", "000002")]) appendLine(path, asleep)
    for (const each of [store, open(project)]) {
      expect(each.read().state.plan.get(uuid(1))?.title).toBe("D")
      expect(await each.log()).toHaveLength(4)
    }
  })

  it("a line that lands behind the end of its segment is written again, into the next one", async () => {
    const { segment, store, project } = await opened()
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    let lines = 0
    // The text of an entry is made twice: when its length is checked, and right before it is appended.
    const slow = Object.defineProperty({ ...by }, "toJSON", {
      value: () => {
        if (++lines === 2) appendFileSync(segment, `\n${sealLine(1)}`)
        return by
      },
    })
    await store.append(slow, (tx) => tx.add("mem", aMem(2)))
    expect(readFileSync(segment, "utf8")).toContain(uuid(2))
    for (const each of [store, open(project)]) {
      expect([...each.read().state.mem.keys()]).toEqual([uuid(1), uuid(2)])
      expect(await each.log()).toHaveLength(2)
      expect(each.read().problems).toEqual([])
    }
  })

  it("a torn last line is waited for, and given up once something follows it", async () => {
    const { segment, store } = await opened()
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    const line = entryLine(appended(9, [{ op: "add", kind: "mem", record: aMem(2) }]), 1)
    appendFileSync(segment, `\n${line.slice(0, 50)}`)
    expect(store.read()).toMatchObject({ problems: [] })
    appendFileSync(segment, line.slice(50))
    expect([...store.read().state.mem.keys()]).toEqual([uuid(1), uuid(2)])
    appendFileSync(segment, '\n{"id":"torn')
    await store.append(by, (tx) => tx.add("mem", aMem(3)))
    expect([...store.read().state.mem.keys()]).toEqual([uuid(1), uuid(2), uuid(3)])
    expect(store.read().problems).toMatchObject([{ raw: '{"id":"torn' }])
  })
})

it("text that another program appends to the log's last line does not void the entry there", async () => {
  const { segment, project, store } = await opened()
  await store.append(by, (tx) => tx.add("mem", aMem(1)))
  appendFileSync(segment, "junk\n")
  await store.append(by, (tx) => tx.add("mem", aMem(2)))
  expect([...open(project).read().state.mem.keys()]).toEqual([uuid(1), uuid(2)])
})

describe("a fold that others run into", () => {
  it("applies nothing twice and loses nothing when it died right after it ended the segment", async () => {
    const { paths, segment, project, store } = await opened()
    await store.append(by, (tx) => {
      tx.add("mem", aMem(1))
      tx.count("ses_1", "turns", 5)
    })
    appendFileSync(segment, `\n${sealLine(1)}`)
    appendFileSync(join(paths.state, "counts.000001.jsonl"), `\n${sealLine(1)}`)
    const told = () => {
      const { state, problems } = open(project).read()
      return [[...state.mem.keys()], state.metrics.get("ses_1")?.counts, problems]
    }
    expect(told()).toEqual([[uuid(1)], { turns: 5 }, []])
    await open(project).append(by, (tx) => {
      tx.add("mem", aMem(2))
      tx.count("ses_1", "turns")
    })
    expect(told()).toEqual([[uuid(1), uuid(2)], { turns: 6 }, []])
    await open(project).fold()
    expect(told()).toEqual([[uuid(1), uuid(2)], { turns: 6 }, []])
    expect((await open(project).asOf(Date.now() + 1000)).mem.size).toBe(2)
  })

  it("counts for nothing where another one came first, however late it wakes up", async () => {
    const { paths, project, store } = await opened()
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    await store.fold()
    const first = readFileSync(join(paths.graph, "manifest.000001.json"), "utf8")
    const { manifest } = newestManifest(paths.graph)
    // It had sealed segment 1 and slept since; its parts hold what was there then.
    expect(await commitManifest(paths.graph, { ...manifest, parts: [] })).toBe("taken")
    expect(readFileSync(join(paths.graph, "manifest.000001.json"), "utf8")).toBe(first)
    for (const n of [2, 3]) {
      await store.append(by, (tx) => tx.add("mem", aMem(n)))
      await store.fold()
    }
    // Later its number is free again, and no longer the highest.
    removeManifest(paths.graph, manifest.number)
    expect(await commitManifest(paths.graph, { ...manifest, parts: [] })).toBe("overtaken")
    for (const each of [store, open(project)])
      expect([...each.read().state.mem.keys()]).toEqual([1, 2, 3].map(uuid))
    await open(project).append(by, (tx) => tx.add("mem", aMem(4)))
    await open(project).fold()
    expect([...open(project).read().state.mem.keys()]).toEqual([1, 2, 3, 4].map(uuid))
  })
})

describe("the lock", () => {
  it("of a dead process is taken over at once", async () => {
    const { paths } = await opened()
    writeFileSync(paths.lock, JSON.stringify({ pid: 2 ** 22 + 1, host: thisProcess.host, token: "dead" }))
    // Dated in the future: it is not by its age that it is taken over.
    utimesSync(paths.lock, Date.now() / 1000 + 3600, Date.now() / 1000 + 3600)
    const { lock, waitedMs } = await takenOnFakeClock(paths)
    expect(waitedMs).toBe(0)
    lock.release()
    expect(existsSync(paths.lock)).toBe(false)
  })

  it("of this process that could not be removed is taken over at once", async () => {
    const { paths } = await opened()
    writeFileSync(paths.lock, JSON.stringify({ pid: process.pid, host: thisProcess.host, token: "over" }))
    const { lock, waitedMs } = await takenOnFakeClock(paths)
    expect(waitedMs).toBe(0)
    lock.release()
  })

  const leftovers: [string, (lock: string) => void][] = [
    ["a file without an owner", (lock) => writeFileSync(lock, "")],
    [
      "one of another machine",
      (lock) => writeFileSync(lock, JSON.stringify({ pid: 1, host: "x", token: "x" })),
    ],
    ["one dated in the future", (lock) => dated(lock, Date.now() / 1000 + 3600)],
    ["one dated long ago", (lock) => dated(lock, 1)],
  ]
  it.each(leftovers)(
    "that was left behind, %s, is taken over when it was not kept alive for a while, as seen by the waiting process",
    async (_, leave) => {
      const { paths } = await opened()
      leave(paths.lock)
      const { lock, waitedMs } = await takenOnFakeClock(paths)
      expect(waitedMs).toBeGreaterThan(STALE_AFTER_MS)
      lock.release()
      expect(existsSync(paths.lock)).toBe(false)
    },
  )

  it("that its owner keeps alive is waited for, longer than one that is not kept alive", async () => {
    const { paths } = await opened()
    useFakeClock()
    const holder = await takeLockAt(paths.lock)
    let isTaken = false
    const taking = takeLockAt(paths.lock).then((lock) => {
      isTaken = true
      return lock
    })
    await vi.advanceTimersByTimeAsync(5 * STALE_AFTER_MS)
    expect(isTaken).toBe(false)
    holder.release()
    await vi.advanceTimersByTimeAsync(1000)
    const lock = await taking
    lock.release()
    expect(lockAge(paths, Date.now())).toBeUndefined()
  })

  it("that another process takes just before a dead one's is taken away stays with that process", async () => {
    const { paths } = await opened()
    const owner = { pid: 2 ** 22 + 1, host: thisProcess.host, token: "dead" }
    writeFileSync(paths.lock, JSON.stringify(owner))
    const faster = JSON.stringify({ pid: 1, host: "elsewhere", token: "faster" })
    const { renameSync } = fs
    const spy = vi.spyOn(fs, "renameSync").mockImplementationOnce((from, to) => {
      rmSync(paths.lock)
      writeFileSync(paths.lock, faster)
      renameSync(from, to)
    })
    onTestFinished(() => spy.mockRestore())
    const taking = takeLockAt(paths.lock)
    expect(spy).toHaveBeenCalledOnce()
    expect(readFileSync(paths.lock, "utf8")).toBe(faster)
    rmSync(paths.lock)
    const lock = await taking
    lock.release()
  })

  it("is released by its owner alone", async () => {
    const { paths } = await opened()
    const first = await takeLockAt(paths.lock)
    rmSync(paths.lock) // Taken away, as from one that slept too long.
    const second = await takeLockAt(paths.lock)
    first.release()
    expect(existsSync(paths.lock)).toBe(true)
    second.release()
    expect(existsSync(paths.lock)).toBe(false)
  })

  it("of a live process keeps ordered writes waiting, but no append, not even of the same process", async () => {
    const { paths, project, store } = await opened()
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    const lock = await takeLockAt(paths.lock)
    let isWritten = false
    const writing = store
      .write(by, (tx) => tx.add("plan", aPlan(1)))
      .then(() => {
        isWritten = true
      })
    const other = open(project)
    await other.append(by, (tx) => tx.add("mem", aMem(2)))
    await store.append(by, (tx) => tx.add("mem", aMem(3)))
    expect(isWritten).toBe(false)
    lock.release()
    await writing
    expect([...store.read().state.plan.keys()]).toEqual([uuid(1)])
    expect(store.read().state.mem.size).toBe(3)
  })
})

describe("trouble with the disk", () => {
  it("a full disk is a clear error, and what was there stays", async () => {
    const project = await tempProject()
    await createLayout(project)
    fullDiskFor(segmentPath(hivePaths(project).log, 1))
    const error = await open(project)
      .append(by, (tx) => tx.add("mem", aMem(1)))
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: "disk_full",
      use_instead: expect.stringContaining("Free some space"),
    })
  })

  it("a newer format is read, never written", async () => {
    const { paths, project, store } = await opened()
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    writeFileSync(paths.manifest, '{"format":99}')
    const later = open(project)
    expect(later.read().state.mem.size).toBe(1)
    for (const writing of [
      // A running process, too: the upgrade may have come since.
      store.append(by, (tx) => tx.add("mem", aMem(2))),
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

function useFakeClock(): void {
  vi.useFakeTimers({ toFake: ["Date", "performance", "setTimeout", "setInterval", "clearInterval"] })
  onTestFinished(() => void vi.useRealTimers())
}

/** Takes the lock; returns how long that took on a fake clock. */
async function takenOnFakeClock(paths: HivePaths) {
  useFakeClock()
  const started = performance.now()
  let isSettled = false
  const taking = takeLockAt(paths.lock).finally(() => {
    isSettled = true
  })
  await vi.advanceTimersByTimeAsync(0)
  while (!isSettled) await vi.advanceTimersByTimeAsync(10)
  return { lock: await taking, waitedMs: performance.now() - started }
}

function appended(n: number, ops: Entry["ops"]): Entry {
  return { id: uuid(1000 + n), at: new Date(0).toISOString(), by, writer: "other", clock: n, ops }
}

function ordered(n: number, seq: number, plan: number, ops?: Entry["ops"]): Entry {
  return { ...appended(n, ops ?? [{ op: "add", kind: "plan", record: aPlan(plan) }]), seq }
}

function appendLine(path: string, entry: Entry): void {
  appendFileSync(path, `\n${entryLine(entry, Number(basename(path, ".jsonl")))}`)
}

function dated(path: string, seconds: number): void {
  writeFileSync(path, "")
  utimesSync(path, seconds, seconds)
}
