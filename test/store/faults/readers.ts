import { startCrowd } from "./crowd.ts"
import { type Lab, Refused, type StoreProcess } from "./lab.ts"
import { type Acknowledged, type Ledger, openLedger } from "./ledger.ts"
import { seedFolder } from "./seed.ts"
import { newRow, type Row } from "./table.ts"

/** Reads past states, each way this many times, while other processes write and fold. */
export async function readBesideFolds(lab: Lab, times: number): Promise<Row[]> {
  const [reader, early, fresh, ...others] = await Promise.all(Array.from({ length: 5 }, () => lab.start()))
  if (reader === undefined || early === undefined || fresh === undefined) return []
  const seed = await seedFolder(lab, fresh)
  const { dir } = seed
  const ledger = openLedger(seed.acknowledged)
  for (const each of [reader, early]) await each.run({ do: "open", dir })
  const plans: Acknowledged[] = []
  for (let n = 0; n < times * UNDOS; n++) plans.push(await early.run<Acknowledged>({ do: "plan", dir }))
  const past = Date.now()
  const then = await reader.run<Past>({ do: "asOf", dir, time: past })
  while (Date.now() === past);
  const rows = {
    asOf: newRow("as-of beside folds"),
    log: newRow("log beside folds"),
    undo: newRow("undo beside folds"),
  }
  const crowd = startCrowd(dir, others, ledger, rows.log)
  const lanes = [
    ...[reader, reader, early, early].map((each) => () => lookBack(each, dir, past, then, rows.asOf)),
    () => readLog(reader, dir, ledger, rows.log),
    () => readLog(early, dir, ledger, rows.log),
    ...[reader, reader, early].map((each) => () => undoOne(each, dir, plans, ledger, rows.undo)),
    // Also folds in the reading process, so that files change in the middle of a reading.
    () => reader.run({ do: "fold", dir }),
  ]
  for (let n = 0; n < times; n++) await Promise.all(lanes.map((lane) => lane()))
  await crowd.halt()
  await ledger.check(rows.log, dir, [reader, early, ...others], fresh)
  for (const row of Object.values(rows)) row.acknowledged = ledger.size()
  return Object.values(rows)
}

interface Past {
  mems: string[]
  plans: string[]
}

async function lookBack(
  process: StoreProcess,
  dir: string,
  time: number,
  then: Past,
  row: Row,
): Promise<void> {
  row.tries++
  const seen = await process.run<Past>({ do: "asOf", dir, time })
  for (const what of ["mems", "plans"] as const) {
    const missing = then[what].filter((id) => !seen[what].includes(id))
    const added = seen[what].filter((id) => !then[what].includes(id))
    if (missing.length > 0) row.lost.push(`${missing.length} ${what} short`)
    if (added.length > 0) row.wrong.push(`${added.length} ${what} that came later`)
  }
}

async function readLog(process: StoreProcess, dir: string, ledger: Ledger, row: Row): Promise<void> {
  row.tries++
  const expected = ledger.acknowledged.map(({ entry }) => entry)
  const found = new Set(await process.run<string[]>({ do: "log", dir }))
  const missing = expected.filter((id) => !found.has(id))
  if (missing.length > 0) row.lost.push(`${missing.length} of ${expected.length} entries short`)
}

async function undoOne(
  process: StoreProcess,
  dir: string,
  plans: Acknowledged[],
  ledger: Ledger,
  row: Row,
): Promise<void> {
  const plan = plans.shift()
  if (plan === undefined) return
  row.tries++
  try {
    await ledger.write(process, { do: "undo", dir, ...plan })
  } catch (error) {
    row.wrong.push(error instanceof Refused ? `${error.told.code}: ${error.message}` : String(error))
  }
}

const UNDOS = 3
