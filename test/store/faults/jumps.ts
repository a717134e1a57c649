import { rmSync } from "node:fs"
import { join } from "node:path"
import { type Lab, Refused, type StoreProcess } from "./lab.ts"
import { type Acknowledged, openLedger } from "./ledger.ts"
import { randomFrom } from "./random.ts"
import { seedFolder } from "./seed.ts"
import { addTry, newRow, noteMessage, type Row } from "./table.ts"

/** Writes while the clocks of one process, or of several, jump between the writes. */
export async function jumpClocks(lab: Lab, writes: number): Promise<Row[]> {
  const rows: Row[] = []
  for (const count of [1, 3]) {
    const row = newRow(`clock an hour back or a year ahead between writes, ${count} of ${count} processes`)
    const processes = await Promise.all(Array.from({ length: count }, () => lab.start()))
    const dir = lab.folder()
    const ledger = openLedger()
    const random = randomFrom(count)
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
    for (const each of processes) await each.run({ do: "open", dir })
    for (; row.tries < writes; row.tries++) {
      const process = pick(processes)
      const run = <T = Acknowledged>(command: string, more: object = {}) =>
        process.run<T>({ do: command, dir, ...more })
      await run("clock", { shift: pick([-HOUR_MS, YEAR_MS, 0]) })
      const written = await run(pick(["append", "bump", "plan"]))
      ledger.note(written)
      await run("clock", { shift: pick([-HOUR_MS, YEAR_MS, 0]) })
      if (written.what === "plan") ledger.note(await run("undo", written))
      if (written.what === "mem" && random() < 0.3) ledger.note(await run("supersede", { id: written.id }))
      if (random() < 0.1) await run("fold")
    }
    await ledger.check(row, dir, processes, await lab.start())
    row.acknowledged = ledger.size()
    rows.push(row)
  }
  return rows
}

/** Deletes the hive, or its graph, while two processes have it open; then both write. */
export async function deleteHive(lab: Lab, rounds: number): Promise<Row[]> {
  const [one, other, fresh] = await Promise.all([lab.start(), lab.start(), lab.start()])
  const seed = await seedFolder(lab, fresh)
  const rows: Row[] = []
  for (const folder of [".hivemind", ".hivemind/graph"]) {
    const row = newRow(`${folder} deleted while two processes run`)
    for (let round = 0; round < rounds; round++)
      for (const command of ["append", "bump", "plan", "fold", "undo", "supersede", "log", "compare"])
        await deleteBefore(command, { lab, row, folder, from: seed.dir, processes: [one, other], fresh })
    rows.push(row)
  }
  return rows
}

interface Deleting {
  lab: Lab
  row: Row
  folder: string
  from: string
  processes: readonly [StoreProcess, StoreProcess]
  fresh: StoreProcess
}

async function deleteBefore(command: string, { lab, row, folder, from, processes, fresh }: Deleting) {
  const dir = lab.folder(from)
  const one = { ...newRow(row.fault), tries: 1 }
  const ledger = openLedger()
  const [first] = processes
  for (const each of processes) await each.run({ do: "open", dir })
  const before = await first.run<Acknowledged>({ do: "append", dir })
  rmSync(join(dir, folder), { recursive: true })
  try {
    const named = WRITES.includes(command) ? {} : before
    const result = await first.run<Acknowledged>({ ...named, do: command, dir })
    if (WRITES.includes(command)) ledger.note(result)
  } catch (error) {
    one.toTell++
    if (error instanceof Refused && error.told.name === "HiveError") one.told++
    noteMessage(one, String(error))
  }
  for (const each of processes) {
    for (const next of WRITES) ledger.note(await each.run<Acknowledged>({ do: next, dir }))
    await each.run({ do: "fold", dir })
  }
  await ledger.check(one, dir, processes, fresh, ["lost_entries"])
  one.acknowledged = ledger.size()
  addTry(row, one, `before ${command}`)
  for (const each of processes) await each.run({ do: "close", dir })
  lab.forget(dir)
}

const WRITES = ["append", "bump", "plan"]
const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS
