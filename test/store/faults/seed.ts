import type { Command, Lab, StoreProcess } from "./lab.ts"
import { type Acknowledged, type Ledger, openLedger } from "./ledger.ts"

/** A folder with everything in it: parts, archive, several segments, counts, and entries that no fold has seen yet. */
export async function seedFolder(lab: Lab, process: StoreProcess): Promise<Seed> {
  const dir = lab.folder()
  const acknowledged: Acknowledged[] = []
  const run = async (command: string, more: object = {}) => {
    const told = await process.run<Acknowledged>({ do: command, dir, ...more })
    acknowledged.push(told)
    return told
  }
  await process.run({ do: "open", dir })
  for (let round = 0; round < 3; round++) {
    const { id } = await run("append")
    await run("append")
    await run("supersede", { id })
    await run("bump")
    await run("plan")
    if (round < 2) await process.run({ do: "fold", dir })
  }
  await process.run({ do: "close", dir })
  return { dir, acknowledged }
}

export interface Seed {
  dir: string
  acknowledged: readonly Acknowledged[]
}

/** A ledger in which everything stands that is in the folder already. */
export function ledgerOf({ acknowledged }: Seed) {
  const ledger = openLedger()
  for (const each of acknowledged) ledger.note(each)
  return ledger
}

interface Operation {
  name: string
  prepare: (process: StoreProcess, dir: string, ledger: Ledger) => Promise<Command>
}

/** The operations that are interrupted. `prepare` writes what they need, and returns the command. */
export const operations: Operation[] = [
  {
    name: "an append",
    async prepare(process, dir, ledger) {
      ledger.note(await process.run<Acknowledged>({ do: "append", dir }))
      return { do: "append", dir }
    },
  },
  {
    name: "an ordered write",
    async prepare(process, dir, ledger) {
      ledger.note(await process.run<Acknowledged>({ do: "bump", dir }))
      return { do: "bump", dir }
    },
  },
  {
    name: "a fold",
    async prepare(process, dir, ledger) {
      const { id, ...rest } = await process.run<Acknowledged>({ do: "append", dir })
      ledger.note({ id, ...rest })
      ledger.note(await process.run<Acknowledged>({ do: "supersede", dir, id }))
      ledger.note(await process.run<Acknowledged>({ do: "bump", dir }))
      return { do: "fold", dir }
    },
  },
  {
    name: "an undo",
    async prepare(process, dir, _ledger) {
      // Not noted: whether it was undone, only the undo's own answer tells.
      const { id, entry } = await process.run<Acknowledged>({ do: "plan", dir })
      return { do: "undo", dir, id, entry }
    },
  },
]
