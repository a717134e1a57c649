import type { Command, Lab, StoreProcess } from "./lab.ts"
import { type Acknowledged, type Ledger, openLedger } from "./ledger.ts"
import { addTry, newRow, type Row } from "./table.ts"

export interface Seed {
  dir: string
  acknowledged: readonly Acknowledged[]
}

/** Creates a hive with parts, archive, several segments, counters, and entries after the last fold. */
export async function seedFolder(lab: Lab, process: StoreProcess): Promise<Seed> {
  const dir = lab.folder()
  const ledger = openLedger()
  await process.run({ do: "open", dir })
  for (let round = 0; round < 3; round++) {
    const { id } = await ledger.write(process, { do: "append", dir })
    await ledger.write(process, { do: "append", dir })
    await ledger.write(process, { do: "supersede", dir, id })
    await ledger.write(process, { do: "bump", dir })
    await ledger.write(process, { do: "plan", dir })
    if (round < 2) await process.run({ do: "fold", dir })
  }
  await process.run({ do: "close", dir })
  return { dir, acknowledged: ledger.acknowledged }
}

export interface Trial {
  dir: string
  ledger: Ledger
  one: Row
}

interface Place {
  seed?: Seed | undefined
  processes: readonly StoreProcess[]
  open?: (process: StoreProcess) => object
}

/** Tries one fault in a new folder that these processes have opened. The job returns the result. */
export async function tryOnce(
  lab: Lab,
  row: Row,
  { seed, processes, open = () => ({}) }: Place,
  job: (trial: Trial) => Promise<string>,
): Promise<void> {
  const dir = lab.folder(seed?.dir)
  const ledger = openLedger(seed?.acknowledged)
  const one = { ...newRow(row.fault), tries: 1 }
  for (const each of processes) await each.run({ do: "open", dir, ...open(each) })
  const where = await job({ dir, ledger, one })
  one.acknowledged = ledger.size()
  addTry(row, one, where)
  for (const each of processes) await each.run({ do: "close", dir })
  lab.forget(dir)
}

export async function goOn({ dir, ledger }: Trial, processes: readonly StoreProcess[]): Promise<void> {
  for (const each of processes) {
    for (const command of ["append", "bump"]) await ledger.write(each, { do: command, dir })
    await each.run({ do: "fold", dir })
  }
}

export interface Operation {
  name: string
  isFirst?: boolean
  prepare: (process: StoreProcess, dir: string, ledger: Ledger) => Promise<Command>
}

export const fold: Operation = {
  name: "a fold",
  async prepare(process, dir, ledger) {
    const { id } = await ledger.write(process, { do: "append", dir })
    await ledger.write(process, { do: "supersede", dir, id })
    await ledger.write(process, { do: "bump", dir })
    return { do: "fold", dir }
  },
}

export const undo: Operation = {
  name: "an undo",
  async prepare(process, dir) {
    // The write is not recorded in the ledger: only the undo's result tells whether the plan still exists.
    const { id, entry } = await process.run<Acknowledged>({ do: "plan", dir })
    return { do: "undo", dir, id, entry }
  },
}

const twice = (name: string, command: string): Operation => ({
  name,
  async prepare(process, dir, ledger) {
    await ledger.write(process, { do: command, dir })
    return { do: command, dir }
  },
})

export const operations = [twice("an append", "append"), twice("an ordered write", "bump"), fold, undo]
