import { rmSync } from "node:fs"
import { join } from "node:path"
import { type Lab, Refused, type StoreProcess } from "./lab.ts"
import { type Acknowledged, openLedger } from "./ledger.ts"
import { randomFrom } from "./random.ts"
import { goOn, type Seed, seedFolder, tryOnce } from "./seed.ts"
import { newRow, noteMessage, type Row } from "./table.ts"

/** Writes while the system clocks of one or several processes jump. */
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
      const write = (command: string, more: object = {}) =>
        ledger.write(process, { ...more, do: command, dir })
      const jump = () => process.run({ do: "clock", dir, shift: pick([-HOUR_MS, YEAR_MS, 0]) })
      await jump()
      const written = await write(pick(WRITES))
      await jump()
      if (written.what === "plan") await write("undo", written)
      if (written.what === "mem" && random() < 0.3) await write("supersede", { id: written.id })
      if (random() < 0.1) await process.run({ do: "fold", dir })
    }
    await ledger.check(row, dir, processes, await lab.start())
    row.acknowledged = ledger.size()
    rows.push(row)
  }
  return rows
}

/** Deletes the hive, or its graph, while two processes have it open. Then both processes write. */
export async function deleteHive(lab: Lab, rounds: number): Promise<Row[]> {
  const [one, other, fresh] = await lab.startThree()
  // Earlier writes are deleted with the hive, so they are not expected.
  const seed = { ...(await seedFolder(lab, fresh)), acknowledged: [] }
  const rows: Row[] = []
  for (const folder of [".hivemind", ".hivemind/graph"]) {
    const row = newRow(`${folder} deleted while two processes run`)
    for (let round = 0; round < rounds; round++)
      for (const command of [...WRITES, "fold", "undo", "supersede", "log", "compare"])
        await deleteBefore(command, { lab, row, folder, seed, processes: [one, other], fresh })
    rows.push(row)
  }
  return rows
}

interface Deleting {
  lab: Lab
  row: Row
  folder: string
  seed: Seed
  processes: readonly [StoreProcess, StoreProcess]
  fresh: StoreProcess
}

async function deleteBefore(command: string, { lab, row, folder, seed, processes, fresh }: Deleting) {
  const [first] = processes
  await tryOnce(lab, row, { seed, processes }, async (trial) => {
    const { dir, ledger, one } = trial
    const before = await first.run<Acknowledged>({ do: "append", dir })
    rmSync(join(dir, folder), { recursive: true })
    try {
      if (WRITES.includes(command)) await ledger.write(first, { do: command, dir })
      else await first.run({ ...before, do: command, dir })
    } catch (error) {
      one.toTell++
      if (error instanceof Refused && error.told.name === "HiveError") one.told++
      noteMessage(one, String(error))
    }
    await goOn(trial, processes)
    for (const each of processes) await ledger.write(each, { do: "plan", dir })
    await ledger.check(one, dir, processes, fresh, ["lost_entries"])
    return `before ${command}`
  })
}

const WRITES = ["append", "bump", "plan"]
const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS
