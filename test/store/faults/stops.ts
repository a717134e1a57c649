import type { Command, Lab, NextCall, StoreProcess, Struck } from "./lab.ts"
import type { Acknowledged, Ledger } from "./ledger.ts"
import { goOn, type Operation, operations, type Seed, seedFolder, type Trial, tryOnce } from "./seed.ts"
import { newRow, noteMessage, type Row } from "./table.ts"

/** Stops a process before some or all calls of an operation, and lets it continue after another one has written. */
export async function stopBeforeEachCall(lab: Lab, nextCall: NextCall, lanes: number): Promise<Row[]> {
  const trios = await Promise.all(Array.from({ length: lanes }, () => lab.startThree()))
  const seed = await seedFolder(lab, trios[0]?.[2] ?? (await lab.start()))
  const rows: Row[] = []
  for (const operation of operations) {
    const row = newRow(`SIGSTOP before each call of ${operation.name}, SIGCONT later`)
    let next = 1
    let isOver = false
    const lane = async (trio: Trio) => {
      while (!isOver) {
        const at = next
        next = nextCall(at)
        if (await stopAt(lab, seed, trio, at, operation, row)) isOver = true
      }
    }
    await Promise.all(trios.map(lane))
    rows.push(row)
  }
  return rows
}

type Trio = readonly [late: StoreProcess, other: StoreProcess, fresh: StoreProcess]

async function stopAt(
  lab: Lab,
  seed: Seed,
  [late, other, fresh]: Trio,
  at: number,
  { prepare }: Operation,
  row: Row,
): Promise<boolean> {
  const processes = [late, other]
  let call: string | undefined
  // If another process folds first, a fold must archive nothing, even if the other fold archives nothing.
  const open = (each: StoreProcess) => ({ keeps: each === other && at % 2 === 0 })
  await tryOnce(lab, row, { seed, processes, open }, async (trial) => {
    const { dir, ledger, one } = trial
    const write = (process: StoreProcess, command: string) => ledger.write(process, { do: command, dir })
    for (const each of processes) for (const command of ["append", "bump"]) await write(each, command)
    const command = await prepare(late, dir, ledger)
    const stopping = late.stopping()
    const struck = late.run<Struck>({ do: "struck", fault: { at, do: "stop" }, command })
    call = await Promise.race([stopping, struck.then(() => undefined)])
    if (call !== undefined) {
      await takeOver(other, trial)
      late.signal("SIGCONT")
    }
    settle(await struck, command, ledger, one)
    await goOn(trial, processes)
    await ledger.check(one, dir, processes, fresh)
    return `stopped at call ${at}, ${call}`
  })
  return call === undefined
}

async function takeOver(other: StoreProcess, trial: Trial): Promise<void> {
  const { dir, ledger } = trial
  const { id } = await ledger.write(other, { do: "append", dir })
  await ledger.write(other, { do: "bump", dir })
  await ledger.write(other, { do: "supersede", dir, id })
  await other.run({ do: "fold", dir })
  await goOn(trial, [other])
  await ledger.write(other, { do: "append", dir })
}

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
