import fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Store } from "../../../src/store/store.ts"
import { openStore, superseded } from "../../support/open-store.ts"
import {
  aCheckpoint,
  addTask,
  aMem,
  anAnchor,
  aPlan,
  aTask,
  by,
  countingSource,
  uuid,
} from "../../support/records.ts"
import { damageOf } from "./damages.ts"
import { randomFrom } from "./random.ts"
import { addTry, newRow, noteMessage, type Row } from "./table.ts"

/** Damages one file at a time, and opens the store. Every change of records must be reported, and no other. */
export async function damageFiles(from: number, count: number): Promise<Row> {
  const row = newRow("random flips, cuts, inserts and truncations of all files")
  const root = fs.mkdtempSync(join(tmpdir(), "hivemind-damage-"))
  try {
    const intact = join(root, "intact")
    fs.mkdirSync(intact)
    row.acknowledged = await fill(intact)
    const whole = await look(openStore(intact))
    const dir = join(root, "damaged")
    fs.cpSync(intact, dir, { recursive: true })
    const files = filesIn(join(dir, ".hivemind"))
    for (let n = from; n < from + count; n++) {
      const random = randomFrom(n)
      const file = files[Math.floor(random() * files.length)] ?? ""
      const path = join(dir, ".hivemind", file)
      const before = fs.readFileSync(path)
      let { what, bytes } = damageOf(before, random)
      while (isUnguarded(file, before, bytes)) ({ what, bytes } = damageOf(before, random))
      fs.writeFileSync(path, bytes)
      const one = { ...newRow(row.fault), tries: 1 }
      try {
        const written = n % WRITE_EVERY === 0 ? join(root, "written") : undefined
        await judge(dir, whole, one, { file, isOneByte: ONE_BYTE.test(what), written })
      } catch (error) {
        one.wrong.push(`threw ${error instanceof Error ? error.stack : error}`)
      }
      addTry(row, one, `${n}: ${what} in ${file}`)
      fs.writeFileSync(path, before)
    }
  } finally {
    fs.rmSync(root, { recursive: true, force: true })
  }
  return row
}

interface Look {
  graph: string[]
  archive: string[]
  rest: string[]
}

async function look(store: Store): Promise<Look> {
  const { metrics, ...graph } = store.read().state
  const log = await store.log()
  return {
    graph: Object.values(graph).flatMap((records) => [...records.values()].map((record) => textOf(record))),
    archive: ARCHIVED.map((n) => textOf(store.archive.get(uuid(n)) ?? null)),
    rest: [...log.map((entry) => textOf(entry)), JSON.stringify([...metrics.values()])],
  }
}

/** Sorts the fields, because a part and the log may have them in different orders. */
const textOf = (record: object | null): string => JSON.stringify(record, sorted)

function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

interface Damaged {
  file: string
  isOneByte: boolean
  written: string | undefined
}

async function judge(dir: string, whole: Look, row: Row, damaged: Damaged): Promise<void> {
  const store = openStore(dir)
  const seen = await look(store)
  const gone = idsIn(whole.graph).filter((id) => !idsIn(seen.graph).includes(id))
  if (damaged.isOneByte && gone.length > 1) row.wrong.push(`one byte hides ${gone.length} records`)
  const { problems } = store.health()
  for (const { file, reason } of problems) noteMessage(row, `${file}: ${reason}`)
  const change = difference(Object.values(whole).flat(), Object.values(seen).flat())
  if (change !== undefined) {
    row.toTell++
    // A torn last line may be a write in progress. It is reported once another line follows it.
    if ((await isTold(store)) || (await isToldAfterWrite(dir))) row.told++
    else row.wrong.push(`untold: ${change}`)
  }
  await store.close()
  const originals = problems.flatMap(({ level, raw }) => (level === "quarantined" ? (raw ?? []) : []))
  await goOn(dir, { ...damaged, originals }, { ...seen, archive: whole.archive }, row)
}

async function isTold(store: Store): Promise<boolean> {
  return store.health().problems.length > 0 || (await store.compareWithLog()).length > 0
}

async function isToldAfterWrite(dir: string): Promise<boolean> {
  return inCopy(dir, `${dir}-copy`, async (copy) => {
    const store = openStore(copy)
    try {
      await store.append(by, (tx) => {
        tx.add("mem", aMem(900))
        tx.count("ses_1", "turns")
      })
    } catch {
      return true // The damage has turned the format number into that of a newer version, which the error reports.
    }
    const told = (await isTold(store)) || (await isTold(openStore(copy)))
    await store.close()
    return told
  })
}

/** Checks that writing and folding still work, and that no record and no quarantined text is lost. */
async function goOn(
  dir: string,
  { file, written, originals }: Damaged & { originals: readonly string[] },
  seen: Look,
  row: Row,
): Promise<void> {
  if (written === undefined) return
  await inCopy(dir, written, async (copy) => {
    // Makes the file old, so that the fold does not take it for one that a person is editing.
    fs.utimesSync(join(copy, ".hivemind", file), 1, 1)
    const store = openStore(copy)
    try {
      await store.append(by, (tx) => tx.add("mem", aMem(901)))
    } catch (error) {
      const isFormat = error instanceof Error && "code" in error && error.code === "newer_format"
      if (!isFormat) row.wrong.push(`afterwards: ${error instanceof Error ? error.stack : error}`)
      return
    }
    await store.fold()
    await store.write(by, (tx) => tx.add("plan", aPlan(902)))
    await store.fold()
    await store.close()
    const { graph, archive } = await look(openStore(copy))
    const after = new Set(graph)
    // One damage cannot hit both archive and log, so a mem that is missing at first is rebuilt.
    const unarchived = seen.archive.filter((mem) => !archive.includes(mem))
    if (unarchived.length > 0) row.lost.push(`archived, after a fold: ${unarchived[0]?.slice(0, 200)}`)
    const lost = seen.graph.filter((record) => !after.has(record) && !isMended(record, after))
    if (lost.length > 0) row.lost.push(`after a fold: ${lost[0]?.slice(0, 200)}`)
    const kept = textsIn(copy)
    const dropped = originals.filter((raw) => !kept.some((text) => text.includes(raw)))
    if (dropped.length > 0) row.lost.push(`the original text ${dropped[0]?.slice(0, 200)}`)
    if (![...after].some((record) => record.includes(uuid(901)))) row.lost.push("what was written afterwards")
  })
}

/** True if the record differs only by a broken link that was set to null, which the log has as a repair. */
function isMended(record: string, after: ReadonlySet<string>): boolean {
  const { id } = JSON.parse(record) as { id: string }
  return [...after].some((each) => each.includes(`"id":"${id}"`))
}

async function inCopy<T>(dir: string, copy: string, job: (copy: string) => Promise<T>): Promise<T> {
  fs.cpSync(dir, copy, { recursive: true })
  try {
    return await job(copy)
  } finally {
    fs.rmSync(copy, { recursive: true, force: true })
  }
}

/** Nothing detects whole lines that are missing from the open segment (see docs/storage.md). Sealed segments have checksums. */
function isUnguarded(file: string, before: Buffer, after: Buffer): boolean {
  if (after.equals(before)) return true
  if (file.startsWith("graph/log/") && before.includes('{"seal":')) return false
  const lines = before.toString("latin1").split("\n").filter(Boolean).values()
  for (const line of after.toString("latin1").split("\n").filter(Boolean)) {
    for (;;) {
      const { done, value } = lines.next()
      if (done) return false
      if (value === line) break
    }
  }
  return before.includes('"sum":"')
}

async function fill(dir: string): Promise<number> {
  const source = countingSource()
  const store = openStore(dir, { source, leaving: superseded })
  await store.write(by, (tx) => {
    addTask(tx)
    for (const n of [...ARCHIVED, 20, 21, 22]) tx.add("mem", aMem(n, { content: `Größe ${n} — 長い話 ✓` }))
    tx.add("anchor", anAnchor(30))
  })
  for (const [round, n] of ARCHIVED.entries()) {
    await store.write(by, (tx) => tx.set("mem", uuid(n), { status: "superseded" }))
    await store.append(by, (tx) => {
      tx.add("mem", aMem(40 + round, { related_to: [uuid(n)] }))
      tx.count("ses_1", "turns")
    })
    if (round % 2 === 0) await store.fold()
  }
  await store.write(by, (tx) => tx.add("task", aTask(4, 1, 2, { depends_on: [uuid(3)] })))
  await store.fold()
  await store.write(by, (tx) => tx.set("task", uuid(3), { status: "active" }))
  await store.append(by, (tx) => {
    tx.add("checkpoint", aCheckpoint(60, 3))
    tx.count("ses_1", "turns")
  })
  await store.write(by, (tx) => tx.set("plan", uuid(1), { title: "Another title" }))
  const { length } = await store.log()
  await store.close()
  return length
}

function filesIn(root: string): string[] {
  const names = fs.readdirSync(root, { recursive: true, encoding: "utf8" })
  return names
    .filter((name) => fs.statSync(join(root, name)).isFile() && fs.statSync(join(root, name)).size > 0)
    .sort()
}

function idsIn(records: readonly string[]): string[] {
  return records.map((record) => (JSON.parse(record) as { id: string }).id)
}

function textsIn(dir: string): string[] {
  const root = join(dir, ".hivemind")
  const texts = filesIn(root).map((name) => fs.readFileSync(join(root, name), "utf8"))
  const orphans = join(root, "graph", "orphans.json")
  if (!fs.existsSync(orphans)) return texts
  const quoted = JSON.parse(fs.readFileSync(orphans, "utf8")) as { orphans: { raw: string | null }[] }
  return [...texts, ...quoted.orphans.flatMap(({ raw }) => raw ?? [])]
}

function difference(one: readonly string[], other: readonly string[]): string | undefined {
  const gone = one.filter((each) => !other.includes(each))
  const come = other.filter((each) => !one.includes(each))
  if (gone.length + come.length === 0 && one.length === other.length) return undefined
  return `${gone[0]?.slice(0, 300)} became ${come[0]?.slice(0, 300)}`
}

const ARCHIVED = [10, 11, 12, 13, 14]
const ONE_BYTE = /^a (bit|byte|letter)\b/
const WRITE_EVERY = 8
