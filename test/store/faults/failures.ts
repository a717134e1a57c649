import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import {
  CHANGING,
  type Command,
  type Fault,
  FILLING,
  inLanes,
  type Lab,
  type StoreProcess,
  type Struck,
  type Told,
} from "./lab.ts"
import { type Acknowledged, type Ledger, openLedger } from "./ledger.ts"
import { ledgerOf, type Seed, seedFolder } from "./seed.ts"
import { addTry, newRow, noteMessage, type Row } from "./table.ts"

/**
 * Lets each of the calls that an operation makes fail, or every so manieth, in every way in which a disk fails. A write
 * that was refused must not be in force, unless the error says that it may be; and all goes on afterwards.
 */
export async function failEachCall(lab: Lab, isSample: boolean, lanes: number): Promise<Row[]> {
  const pairs = await Promise.all(Array.from({ length: lanes }, () => startPair(lab)))
  const first = pairs[0]
  if (first === undefined) return []
  const seed = await seedFolder(lab, first.fresh)
  const rows: Row[] = []
  for (const [n, { name, fault }] of ways.entries()) {
    const row = newRow(name)
    // A sample has every operation, and every way to fail, in turn.
    const chosen = operations.filter((_, at) => !isSample || at % 3 === n % 3)
    for (const operation of chosen) {
      const counting = newRow(name)
      const never = { ...fault, at: Number.MAX_SAFE_INTEGER }
      const calls = await failAt(lab, seed, first, never, operation, counting)
      // The count of calls tells whether every step is reached; how they go by themselves is of interest, too.
      addTry(row, { ...counting, tries: 0, acknowledged: 0 }, `${operation.name}, nothing failing`)
      const all = Array.from({ length: calls }, (_, n) => n + 1)
      const at = isSample ? all.filter((call) => call === (n % 2 === 0 ? Math.ceil(calls / 2) : calls)) : all
      await inLanes(pairs, at, async (pair, call) => {
        await failAt(lab, seed, pair, { ...fault, at: call }, operation, row)
      })
    }
    rows.push(row)
  }
  return rows
}

// No file is made where opening it fails.
const AFTERWARDS = CHANGING.filter((name) => name !== "create")

const ways: { name: string; fault: Omit<Fault, "at"> }[] = [
  { name: "EIO at each call", fault: { do: "fail", code: "EIO" } },
  { name: "EACCES at each call", fault: { do: "fail", code: "EACCES" } },
  { name: "EIO after each changing call", fault: { do: "late", code: "EIO", only: AFTERWARDS } },
  { name: "ENOSPC at each changing call", fault: { do: "fail", code: "ENOSPC", only: FILLING } },
  { name: "ENOSPC from each call on", fault: { do: "fail", code: "ENOSPC", only: FILLING, stays: true } },
  { name: "EROFS from each call on", fault: { do: "fail", code: "EROFS", only: CHANGING, stays: true } },
  {
    name: "log folder read-only from each call on",
    fault: { do: "fail", code: "EACCES", only: ["create"], under: "graph/log", stays: true },
  },
  { name: "half of each write", fault: { do: "short", only: ["write"] } },
]

interface Pair {
  struck: StoreProcess
  other: StoreProcess
  fresh: StoreProcess
}

async function startPair(lab: Lab): Promise<Pair> {
  const [struck, other, fresh] = await Promise.all([lab.start(), lab.start(), lab.start()])
  return { struck, other, fresh }
}

/** Returns how many calls there were. */
async function failAt(
  lab: Lab,
  seed: Seed,
  { struck, other, fresh }: Pair,
  fault: Fault,
  { name, isFirst = false, prepare }: Operation,
  row: Row,
): Promise<number> {
  const dir = lab.folder(isFirst ? undefined : seed.dir)
  const ledger = isFirst ? openLedger() : ledgerOf(seed)
  const one = { ...newRow(row.fault), tries: 1 }
  for (const each of [struck, other]) await each.run({ do: "open", dir })
  const { command, isInForce } = await prepare(struck, dir, ledger)
  const { value, error, calls } = await struck.run<Struck>({ do: "struck", fault, command })
  const where = `${name}, call ${fault.at} (${calls[fault.at - 1] ?? "none"})`
  // A read-only file system does not let go of it. The next writer takes it over.
  if (fault.code !== "EROFS" && existsSync(join(dir, ".hivemind", "graph", ".lock")))
    one.wrong.push("the lock is still there")
  if (error === undefined) {
    if (command.do !== "fold") ledger.note(value as Acknowledged)
  } else one.toTell++
  try {
    // Life goes on.
    for (const each of [struck, other]) {
      ledger.note(await each.run<Acknowledged>({ do: "append", dir }))
      ledger.note(await each.run<Acknowledged>({ do: "bump", dir }))
      await each.run({ do: "fold", dir })
    }
    const told = fault.do === "short" || fault.do === "late" || fault.stays ? TORN : HARMLESS
    await ledger.check(one, dir, [struck, other], fresh, told)
    const ignored = statSync(join(dir, ".hivemind", ".gitignore"), { throwIfNoEntry: false })
    if (ignored === undefined || ignored.size === 0) one.wrong.push("there is no .gitignore, or an empty one")
    if (error !== undefined) judge(error, await isInForce(other), one)
  } catch (later) {
    one.wrong.push(`afterwards: ${later instanceof Error ? later.stack : String(later)}`)
  }
  one.acknowledged = ledger.size()
  addTry(row, one, where)
  for (const each of [struck, other]) await each.run({ do: "close", dir })
  lab.forget(dir)
  return calls.length
}

/** An error tells the truth if it says that the change may be there, or the change is not. */
function judge(error: Told, isInForce: boolean, row: Row): void {
  const text = `${error.code}: ${error.message}`
  if (error.name !== "HiveError") row.wrong.push(`a bare error, ${error.stack}`)
  else if (isInForce && error.code !== "unconfirmed") row.wrong.push(`refused and in force: ${text}`)
  else {
    row.told++
    noteMessage(row, error.message)
  }
}

interface Operation {
  name: string
  isFirst?: boolean
  prepare: (struck: StoreProcess, dir: string, ledger: Ledger) => Promise<Prepared>
}

interface Prepared {
  command: Command
  isInForce: (process: StoreProcess) => Promise<boolean>
}

let count = 0

/** A write of a record, and whether that is there. */
function adding(what: "append" | "plan", dir: string): Prepared {
  const id = `00000000-0000-4000-8000-1${String(count++).padStart(11, "0")}`
  const key = `${what === "append" ? "mem" : "plan"} ${id}`
  return { command: { do: what, dir, id }, isInForce: (process) => has(process, dir, key) }
}

async function has(process: StoreProcess, dir: string, key: string): Promise<boolean> {
  const { records } = await process.run<{ records: Record<string, string> }>({ do: "graph", dir })
  return key in records
}

const operations: Operation[] = [
  { name: "an append", prepare: async (_struck, dir) => adding("append", dir) },
  { name: "an ordered write", prepare: async (_struck, dir) => adding("plan", dir) },
  {
    name: "a fold",
    async prepare(struck, dir, ledger) {
      const told = await struck.run<Acknowledged>({ do: "append", dir })
      ledger.note(told)
      ledger.note(await struck.run<Acknowledged>({ do: "supersede", dir, id: told.id }))
      return { command: { do: "fold", dir }, isInForce: async () => false }
    },
  },
  {
    name: "an undo",
    async prepare(struck, dir) {
      const { id, entry } = await struck.run<Acknowledged>({ do: "plan", dir })
      const isInForce = async (process: StoreProcess) => !(await has(process, dir, `plan ${id}`))
      return { command: { do: "undo", dir, id, entry }, isInForce }
    },
  },
  { name: "the first append", isFirst: true, prepare: async (_struck, dir) => adding("append", dir) },
  { name: "the first write", isFirst: true, prepare: async (_struck, dir) => adding("plan", dir) },
]

// What was not counted, or could not be cleaned up, is told in the background.
const HARMLESS = ["background"]
const TORN = ["background", "torn_line"]
