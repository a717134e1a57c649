import type { Lab, StoreProcess } from "./lab.ts"
import { type Acknowledged, openLedger } from "./ledger.ts"

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
