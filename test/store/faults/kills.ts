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
import { type Operation, operations, tryOnce } from "./seed.ts"
import { newRow, type Row } from "./table.ts"

/** Kills a process before some or all calls of an operation, while three other processes go on. */
export async function killBeforeEachCall(lab: Lab, next: NextCall): Promise<Row[]> {
  const others = await lab.startThree()
  const run: Killing = { lab, next, others, fresh: await lab.start(), victims: [lab.start(), lab.start()] }
  const rows: Row[] = []
  const before = { do: "kill", only: CHANGING } as const
  for (const operation of operations)
    rows.push(await killInCrowd(run, `kill -9 before each call of ${operation.name}`, [operation], before))
  rows.push(await killFirstWrites(run))
  // Kills the process in the middle of a write. The torn line must be reported, and its write was not acknowledged.
  const tear = { do: "tear", only: ["write"] } as const
  rows.push(
    await killInCrowd(run, "kill -9 in the middle of a write", sample(operations, 2), tear, ["torn_line"]),
  )
  return rows
}

interface Killing {
  lab: Lab
  next: NextCall
  others: readonly [StoreProcess, StoreProcess, StoreProcess]
  fresh: StoreProcess
  victims: Promise<StoreProcess>[]
}

async function killInCrowd(
  run: Killing,
  name: string,
  struck: readonly Operation[],
  fault: Omit<Fault, "at">,
  expected: readonly string[] = [],
): Promise<Row> {
  const { lab, next, others, fresh } = run
  const row = newRow(name)
  const dir = lab.folder()
  const ledger = openLedger()
  const crowd = startCrowd(dir, others, ledger, row)
  for (const { prepare } of struck)
    await tryEachCall(next, async (at) => {
      const victim = await takeVictim(run)
      await victim.run({ do: "open", dir, foldAfterBytes: FOLD_OFTEN })
      const command = await prepare(victim, dir, ledger)
      row.tries++
      const isOver = await strike(victim, { ...fault, at }, command, ledger, row)
      victim.signal("SIGKILL")
      return isOver
    })
  await crowd.halt()
  await ledger.check(row, dir, others, fresh, expected)
  row.acknowledged = ledger.size()
  return row
}

/** Kills the first write to a new folder, while three other processes make their first writes there. */
async function killFirstWrites(run: Killing): Promise<Row> {
  const { lab, next, others, fresh } = run
  const row = newRow("kill -9 before each call of the first write")
  await tryEachCall(next, async (at) => {
    let isOver = false
    await tryOnce(lab, row, { processes: others }, async ({ dir, ledger, one }) => {
      const victim = await takeVictim(run)
      await victim.run({ do: "open", dir })
      const writing = others.map((each, n) => ledger.write(each, { do: n === 0 ? "bump" : "append", dir }))
      const command = { do: at % 2 ? "append" : "plan", dir }
      isOver = await strike(victim, { at, do: "kill", only: CHANGING }, command, ledger, one)
      await Promise.all(writing)
      await ledger.check(one, dir, others, fresh)
      victim.signal("SIGKILL")
      return `killed at call ${at}`
    })
    return isOver
  })
  return row
}

/** Runs a command whose process is killed at one of its calls. Returns true if the command had ended before. */
async function strike(
  victim: StoreProcess,
  fault: Fault,
  command: Command,
  ledger: Ledger,
  row: Row,
): Promise<boolean> {
  const struck = await struckOrGone(victim, fault, command)
  if (struck === undefined) return false
  if (struck.error !== undefined) row.wrong.push(`refused: ${struck.error.stack}`)
  else if (command.do !== "fold") ledger.note(struck.value as Acknowledged)
  return true
}

export function struckOrGone(
  victim: StoreProcess,
  fault: Fault,
  command: Command,
): Promise<Struck | undefined> {
  const struck = victim.run<Struck>({ do: "struck", fault, command })
  return Promise.race([struck.catch(() => undefined), victim.ended.then(() => undefined)])
}

async function tryEachCall(next: NextCall, attempt: (at: number) => Promise<boolean>): Promise<void> {
  for (let at = 1; !(await attempt(at)); at = next(at));
}

/** Starts the next processes in advance, because a start takes a while. */
function takeVictim({ lab, victims }: Killing): Promise<StoreProcess> {
  victims.push(lab.start())
  return victims.shift() ?? lab.start()
}
