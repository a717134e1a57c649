import { appendFileSync, mkdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs"
import { expect, it } from "vitest"
import type { Op } from "../../src/schemas/op.ts"
import { runToEnd } from "../../src/shared/slices.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import { hivePaths } from "../../src/store/files/layout.ts"
import { entryLine } from "../../src/store/log/line.ts"
import { segmentPath } from "../../src/store/log/segments.ts"
import type { LogPart } from "../../src/store/store.ts"
import { emptyView, followLog, placeChanges } from "../../src/store/view.ts"
import { newStore, openStore } from "../support/open-store.ts"
import { aMem, anEntry, aPlan, by, countingSource, T0, uuid } from "../support/records.ts"
import { tempProject } from "../support/temp-project.ts"

it("an entry whose file is deleted during the write is in the new file", async () => {
  const { project, store, segment: path } = await newStore()
  await store.append(by, (tx) => tx.add("mem", aMem(1)))
  const whole = readFileSync(path)
  const saving = store.append(by, (tx) => tx.add("mem", aMem(2)))
  unlinkSync(path)
  writeFileSync(path, whole)
  await saving
  for (const each of [store, openStore(project)])
    expect([...each.read().state.mem.keys()]).toEqual([uuid(1), uuid(2)])
  expect(store.read().problems).toEqual([])
  await store.close()
})

it("reports entries that were read before and are missing from the log now", async () => {
  const { store, segment: path } = await newStore()
  await store.append(by, (tx) => tx.add("mem", aMem(1)))
  const before = readFileSync(path)
  await store.append(by, (tx) => tx.add("mem", aMem(2)))
  writeFileSync(path, before)
  expect([...store.read().state.mem.keys()]).toEqual([uuid(1)])
  expect(store.read().problems).toMatchObject([
    { code: "lost_entries", file: "graph/log/000001.jsonl", reason: expect.stringContaining("1 entry") },
  ])
  await store.close()
})

it("three paused looks at the log, taken up in any order, pass over no line that comes meanwhile", async () => {
  for (const order of [
    [0, 1, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ]) {
    const paths = hivePaths(await tempProject())
    mkdirSync(paths.log, { recursive: true })
    const view = emptyView()
    let written = 0
    const write = (count: number) => {
      const lines = Array.from({ length: count }, () => `\n${memLine(++written)}`)
      appendFileSync(segmentPath(paths.log, 1), lines.join(""))
    }
    // Longer than one chunk, so that all three readers pause within the first reading.
    write(1000)
    const looks = [0, 1, 2].map(() => followLog(view, paths))
    for (const look of looks) expect(look.next().done).toBe(false)
    for (let n = 0; n < 6; n++) {
      for (const which of order) {
        write(1)
        looks[which]?.next()
      }
    }
    for (const look of looks) runToEnd(look)
    write(1)
    runToEnd(followLog(view, paths))
    expect([...view.state.mem.keys()]).toEqual(Array.from({ length: written }, (_, n) => uuid(n + 1)))
    expect(view.problems).toEqual([])
  }
})

it("a record that goes and comes back within a segment has a place in a part, also where a fold looked in between", async () => {
  const paths = hivePaths(await tempProject())
  mkdirSync(paths.log, { recursive: true })
  const view = emptyView()
  const plan = aPlan(1)
  const ops: Op[] = [
    { op: "add", kind: "plan", record: plan },
    { op: "drop", kind: "plan", id: plan.id, was: plan },
    { op: "add", kind: "plan", record: plan },
  ]
  for (const [n, op] of ops.entries()) {
    appendFileSync(segmentPath(paths.log, 1), `\n${line(n + 1, op)}`)
    runToEnd(followLog(view, paths))
    runToEnd(placeChanges(view))
    expect(view.parts.find("plan", plan.id) !== undefined).toBe(view.state.plan.has(plan.id))
  }
})

function memLine(n: number): string {
  return line(n, { op: "add", kind: "mem", record: aMem(n, { content: "Words. ".repeat((n % 50) + 1) }) })
}

const line = (n: number, op: Op): string => entryLine(anEntry(n, [op]), 1)

it("a part of the log has what names a text, and segments from before its time are not even read", async () => {
  const project = await tempProject()
  const source = countingSource()
  const store = openFileStore(project, { source })
  const sessions = ["ses_1", "ses_2", "ses_1", "ses_3", "ses_3"]
  const ids: string[] = []
  for (const [n, session] of sessions.entries()) {
    source.seconds = n * 3600
    const { entry } = await store.append({ ...by, session }, (tx) => tx.add("mem", aMem(n)))
    ids.push(entry?.id ?? "")
    await store.fold()
  }
  const found = async (part: LogPart) => (await store.log(part)).map(({ id }) => id)
  expect(await found({ naming: "ses_1" })).toEqual([ids[0], ids[2]])
  expect(await found({ naming: "ses_1", limit: 1 })).toEqual([ids[2]])
  const hours = (count: number) => new Date(T0 + count * 3_600_000).toISOString()
  expect(await found({ naming: "ses_1", since: hours(1) })).toEqual([ids[2]])
  expect(await found({ since: hours(3) })).toEqual([ids[3], ids[4]])
  // If `log` tried to read this segment, it would fail.
  rmSync(segmentPath(hivePaths(project).log, 1))
  mkdirSync(segmentPath(hivePaths(project).log, 1))
  expect(await found({ naming: "ses_3", since: hours(2.5) })).toEqual([ids[3], ids[4]])
  await expect(found({ naming: "ses_3" })).rejects.toThrow()
  await store.close()
})
