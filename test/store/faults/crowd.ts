import { trials } from "../../support/effort.ts"
import type { Lab, StoreProcess } from "./lab.ts"
import { type Ledger, openLedger } from "./ledger.ts"
import { newRow, type Row } from "./table.ts"

/** Many processes run mixed operations at once. No write may be lost, and none may be based on an old state. */
export async function workInCrowd(lab: Lab, processes: number, operations: number): Promise<Row[]> {
  const row = newRow(`${processes} processes × ${operations} mixed operations`)
  const dir = lab.folder()
  const ledger = openLedger()
  const crowd = await Promise.all(Array.from({ length: processes }, () => lab.start()))
  const done = await Promise.all(
    crowd.map(async (each, n) => {
      await join({ dir, process: each, ledger, row })
      return each.run<number>({ do: "work", dir, count: operations, seed: n + 1 })
    }),
  )
  row.tries = done.reduce((sum, count) => sum + count, 0)
  await ledger.check(row, dir, crowd, await lab.start())
  row.acknowledged = ledger.size()
  return [row]
}

export function startCrowd(dir: string, others: readonly StoreProcess[], ledger: Ledger, row: Row) {
  const working = others.map(async (each, n) => {
    await join({ dir, process: each, ledger, row })
    const count = Number.MAX_SAFE_INTEGER
    await each.run({ do: "work", dir, count, seed: n + 1, pauseMs: CROWD_PAUSE_MS })
  })
  return {
    async halt(): Promise<void> {
      await Promise.all(others.map((each) => each.run({ do: "halt" })))
      await Promise.all(working)
    },
  }
}

interface Joining {
  dir: string
  process: StoreProcess
  ledger: Ledger
  row: Row
}

async function join({ dir, process, ledger, row }: Joining): Promise<void> {
  process.onAcknowledged = ledger.note
  process.onRefused = ({ stack }) => row.wrong.push(`refused: ${stack}`)
  await process.run({ do: "open", dir, foldAfterBytes: FOLD_OFTEN })
}

/** In a sample, the pauses leave processor time to the process that is killed or stopped. */
const CROWD_PAUSE_MS = trials(10, 0)
export const FOLD_OFTEN = 20_000
