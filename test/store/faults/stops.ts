import type { Command, Lab, NextCall, StoreProcess, Struck } from "./lab.ts"
import type { Acknowledged, Ledger } from "./ledger.ts"
import { ledgerOf, operations, type Seed, seedFolder } from "./seed.ts"
import { addTry, newRow, noteMessage, type Row } from "./table.ts"

/**
 * Stops a process before each of the calls that an operation makes, or before some of them. Another one takes over the
 * lock, writes and folds; then the first one goes on where it was.
 */
export async function stopBeforeEachCall(lab: Lab, nextCall: NextCall, lanes: number): Promise<Row[]> {
  const pairs = await Promise.all(Array.from({ length: lanes }, () => startPair(lab)))
  const first = pairs[0]
  if (first === undefined) return []
  const seed = await seedFolder(lab, first.fresh)
  const rows: Row[] = []
  for (const { name, prepare } of operations) {
    const row = newRow(`SIGSTOP before each call of ${name}, SIGCONT later`)
    let next = 1
    let isOver = false
    const lane = async (pair: Pair) => {
      while (!isOver) {
        const at = next
        next = nextCall(at)
        if (await stopAt(lab, seed, pair, at, prepare, row)) isOver = true
      }
    }
    await Promise.all(pairs.map(lane))
    rows.push(row)
  }
  return rows
}

interface Pair {
  late: StoreProcess
  other: StoreProcess
  fresh: StoreProcess
}

async function startPair(lab: Lab): Promise<Pair> {
  const [late, other, fresh] = await Promise.all([lab.start(), lab.start(), lab.start()])
  return { late, other, fresh }
}

/** True if the operation came to its end before that call. */
async function stopAt(
  lab: Lab,
  seed: Seed,
  { late, other, fresh }: Pair,
  at: number,
  prepare: (typeof operations)[number]["prepare"],
  row: Row,
): Promise<boolean> {
  const dir = lab.folder(seed.dir)
  const ledger = ledgerOf(seed)
  const one = newRow(row.fault)
  const run = async (process: StoreProcess, command: string, more: object = {}) => {
    const told = await process.run<Acknowledged>({ do: command, dir, ...more })
    ledger.note(told)
    return told
  }
  for (const each of [late, other]) {
    // A fold that was overtaken must not archive anything, also where the other one does not.
    await each.run({ do: "open", dir, keeps: each === other && at % 2 === 0 })
    await run(each, "append")
    await run(each, "bump")
  }
  const command = await prepare(late, dir, ledger)
  one.tries++
  const stopping = late.stopping()
  const struck = late.run<Struck>({ do: "struck", fault: { at, do: "stop" }, command })
  const call = await Promise.race([stopping, struck.then(() => undefined)])
  if (call !== undefined) {
    const { id } = await run(other, "append")
    await run(other, "bump")
    await run(other, "supersede", { id })
    await other.run({ do: "fold", dir })
    await run(other, "append")
    await run(other, "bump")
    await other.run({ do: "fold", dir })
    await run(other, "append")
    late.signal("SIGCONT")
  }
  settle(await struck, command, ledger, one)
  // Life goes on in both.
  for (const each of [late, other]) {
    await run(each, "append")
    await run(each, "bump")
    await each.run({ do: "fold", dir })
  }
  await ledger.check(one, dir, [late, other], fresh)
  one.acknowledged = ledger.size()
  addTry(row, one, `stopped at call ${at}, ${call}`)
  for (const each of [late, other]) await each.run({ do: "close", dir })
  lab.forget(dir)
  return call === undefined
}

/** It ended with a success, or with an error that tells the truth. */
function settle({ value, error }: Struck, command: Command, ledger: Ledger, row: Row): void {
  if (error === undefined) {
    if (command.do !== "fold") ledger.note(value as Acknowledged)
    return
  }
  row.toTell++
  noteMessage(row, error.message)
  if (error.name === "HiveError") row.told++
  else row.wrong.push(`${error.stack}`)
}
