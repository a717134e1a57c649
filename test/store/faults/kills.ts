import { sample } from "../../support/effort.ts"
import { FOLD_OFTEN, startCrowd } from "./crowd.ts"
import {
  CHANGING,
  type Command,
  type Fault,
  type Lab,
  type NextCall,
  type StoreProcess,
  type Struck,
} from "./lab.ts"
import { type Acknowledged, type Ledger, openLedger } from "./ledger.ts"
import { operations } from "./seed.ts"
import { newRow, type Row } from "./table.ts"

/** Kills a process before each of the calls that an operation makes, or every so manieth, while three others go on. */
export async function killBeforeEachCall(lab: Lab, next: NextCall): Promise<Row[]> {
  const rows: Row[] = []
  const victims = startAhead(lab)
  const fresh = await lab.start()
  const others = await Promise.all([lab.start(), lab.start(), lab.start()])
  for (const { name, prepare } of operations) {
    const row = newRow(`kill -9 before each call of ${name}`)
    const dir = lab.folder()
    const ledger = openLedger()
    const crowd = startCrowd(dir, others, ledger, row)
    await tryEachCall(next, async (at) => {
      const victim = await victims.take()
      await victim.run({ do: "open", dir, foldAfterBytes: FOLD_OFTEN })
      const command = await prepare(victim, dir, ledger)
      row.tries++
      const isOver = await strike(victim, { at, do: "kill", only: CHANGING }, command, ledger, row)
      victim.signal("SIGKILL")
      return isOver
    })
    await crowd.halt()
    await ledger.check(row, dir, others, fresh)
    row.acknowledged = ledger.size()
    rows.push(row)
  }
  rows.push(await killFirstWrites(lab, next, victims, others, fresh))
  rows.push(await tearLines(lab, next, victims, others, fresh))
  return rows
}

/** In a folder where nothing is yet, while three others write there for the first time, too. */
async function killFirstWrites(
  lab: Lab,
  next: NextCall,
  victims: Victims,
  others: readonly StoreProcess[],
  fresh: StoreProcess,
): Promise<Row> {
  const row = newRow("kill -9 before each call of the first write")
  await tryEachCall(next, async (at) => {
    const dir = lab.folder()
    const ledger = openLedger()
    const victim = await victims.take()
    await Promise.all([victim, ...others].map((each) => each.run({ do: "open", dir })))
    row.tries++
    const writing = others.map(async (each, n) => {
      const command = { do: n === 0 ? "bump" : "append", dir }
      ledger.note(await each.run<Acknowledged>(command))
    })
    const isOver = await strike(
      victim,
      { at, do: "kill", only: CHANGING },
      { do: at % 2 ? "append" : "plan", dir },
      ledger,
      row,
    )
    await Promise.all(writing)
    await ledger.check(row, dir, others, fresh)
    await Promise.all(others.map((each) => each.run({ do: "close", dir })))
    row.acknowledged += ledger.size()
    victim.signal("SIGKILL")
    lab.forget(dir)
    return isOver
  })
  return row
}

/** Half of what is to be written is, then the process is gone. */
async function tearLines(
  lab: Lab,
  next: NextCall,
  victims: Victims,
  others: readonly StoreProcess[],
  fresh: StoreProcess,
): Promise<Row> {
  const row = newRow("kill -9 in the middle of a write")
  const dir = lab.folder()
  const ledger = openLedger()
  const crowd = startCrowd(dir, others, ledger, row)
  for (const { prepare } of sample(operations, 2)) {
    await tryEachCall(next, async (at) => {
      const victim = await victims.take()
      await victim.run({ do: "open", dir, foldAfterBytes: FOLD_OFTEN })
      const command = await prepare(victim, dir, ledger)
      row.tries++
      const isOver = await strike(victim, { at, do: "tear", only: ["write"] }, command, ledger, row)
      victim.signal("SIGKILL")
      return isOver
    })
  }
  await crowd.halt()
  // What was torn is told, and was never acknowledged.
  await ledger.check(row, dir, others, fresh, ["torn_line"])
  row.acknowledged = ledger.size()
  return row
}

/** Runs a command that is struck at one of its calls; true if it came to its end before. */
async function strike(
  victim: StoreProcess,
  fault: Fault,
  command: Command,
  ledger: Ledger,
  row: Row,
): Promise<boolean> {
  const gone = victim.ended.then(() => undefined)
  const struck = await Promise.race([
    victim.run<Struck>({ do: "struck", fault, command }).catch(() => undefined),
    gone,
  ])
  if (struck === undefined) return false
  if (struck.error !== undefined) row.wrong.push(`refused: ${struck.error.stack}`)
  else if (command.do !== "fold") ledger.note(struck.value as Acknowledged)
  return true
}

/** Until an operation comes to its end before the fault does. */
async function tryEachCall(next: NextCall, attempt: (at: number) => Promise<boolean>): Promise<void> {
  for (let at = 1; !(await attempt(at)); at = next(at));
}

interface Victims {
  take: () => Promise<StoreProcess>
}

/** A process takes a while to start: the next ones start while one is at work. */
function startAhead(lab: Lab): Victims {
  const waiting = [lab.start(), lab.start()]
  return {
    take: () => {
      waiting.push(lab.start())
      return waiting.shift() ?? lab.start()
    },
  }
}
