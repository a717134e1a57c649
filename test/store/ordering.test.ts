import fs, { appendFileSync, existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import type { Entry } from "../../src/schemas/entry.ts"
import { thisProcess } from "../../src/shared/process-identity.ts"
import type { HivePaths } from "../../src/store/files/layout.ts"
import { lockAge, STALE_AFTER_MS, takeLockAt } from "../../src/store/lock.ts"
import { entryLine, sealLine } from "../../src/store/log/line.ts"
import { commitManifest, newestManifest, removeManifest } from "../../src/store/snapshot/manifest.ts"
import { openStore as open, newStore as opened } from "../support/open-store.ts"
import { aMem, anEntry, aPlan, by, uuid } from "../support/records.ts"

describe("writers that meet", () => {
  it("a writer that was overtaken writes again on the newer state", async () => {
    const { segment, store } = await opened()
    await store.write(by, (tx) => tx.add("plan", aPlan(1)))
    const ops = [{ op: "add" as const, kind: "plan" as const, record: aPlan(2) }]
    let rival: Entry | undefined = { ...anEntry(1002, ops), seq: 2 }
    const { result } = await store.write(by, (tx) => {
      // Another process has taken over the stale lock: its line is written between this process's read and write.
      if (rival !== undefined) appendFileSync(segment, `\n${entryLine(rival, 1)}`)
      rival = undefined
      tx.add("plan", aPlan(3))
      tx.count("ses_1", "writes")
      return [...tx.all("plan")].length
    })
    expect(result).toBe(3)
    expect(store.read().state.plan.size).toBe(3)
    expect(store.read().state.metrics.get("ses_1")?.counts).toEqual({ writes: 1 })
  })

  it("a line that lands behind the end of its segment is written again, into the next one", async () => {
    const { segment, store, project } = await opened()
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    let lines = 0
    // An entry is converted to JSON twice: for the check of its length, and for the append.
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

  it("waits for an incomplete last line, until another line follows it", async () => {
    const { segment, store } = await opened()
    await store.append(by, (tx) => tx.add("mem", aMem(1)))
    const line = entryLine(anEntry(2), 1)
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

it("a fold is ignored if another one came first, however late it continues", async () => {
  const { paths, project, store } = await opened()
  await store.append(by, (tx) => tx.add("mem", aMem(1)))
  await store.fold()
  const first = readFileSync(join(paths.graph, "manifest.000001.json"), "utf8")
  const { manifest } = newestManifest(paths.graph)
  // A process sealed segment 1 and then slept. Its parts have the records of that time.
  expect(await commitManifest(paths.graph, { ...manifest, parts: [] })).toBe("taken")
  expect(readFileSync(join(paths.graph, "manifest.000001.json"), "utf8")).toBe(first)
  for (const n of [2, 3]) {
    await store.append(by, (tx) => tx.add("mem", aMem(n)))
    await store.fold()
  }
  // Later the manifest's number is free again, but no longer the highest.
  removeManifest(paths.graph, manifest.number)
  expect(await commitManifest(paths.graph, { ...manifest, parts: [] })).toBe("overtaken")
  for (const each of [store, open(project)])
    expect([...each.read().state.mem.keys()]).toEqual([1, 2, 3].map(uuid))
  await open(project).append(by, (tx) => tx.add("mem", aMem(4)))
  await open(project).fold()
  expect([...open(project).read().state.mem.keys()]).toEqual([1, 2, 3, 4].map(uuid))
})

describe("the lock", () => {
  const owner = (pid: number, host = thisProcess.host) => JSON.stringify({ pid, host, token: "other" })
  it.each([
    ["of a dead process is taken over at once, whatever its date", owner(2 ** 22 + 1), true, 3600],
    ["of this process that could not be removed is taken over at once", owner(process.pid), true, 0],
    ["without an owner is taken over once nobody has kept it alive for a while", "", false, 0],
    ["of another machine is taken over once nobody has kept it alive for a while", owner(1, "x"), false, 0],
    ["dated in the future is taken over once nobody has kept it alive for a while", "", false, 3600],
  ])("%s", async (_, text, isAtOnce, secondsAhead) => {
    const { paths } = await opened()
    writeFileSync(paths.lock, text)
    const date = Date.now() / 1000 + secondsAhead
    utimesSync(paths.lock, date, date)
    const { lock, waitedMs } = await takenOnFakeClock(paths)
    if (isAtOnce) expect(waitedMs).toBe(0)
    else expect(waitedMs).toBeGreaterThan(STALE_AFTER_MS)
    lock.release()
    expect(existsSync(paths.lock)).toBe(false)
  })

  it("that its owner renews is waited for longer than one that is not renewed", async () => {
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
    rmSync(paths.lock) // Another process has taken the stale lock.
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

function useFakeClock(): void {
  vi.useFakeTimers({ toFake: ["Date", "performance", "setTimeout", "setInterval", "clearInterval"] })
  onTestFinished(() => void vi.useRealTimers())
}

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
