import { randomUUID } from "node:crypto"
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
import type { Acknowledged } from "./ledger.ts"
import { fold, goOn, type Operation, type Seed, seedFolder, tryOnce, undo } from "./seed.ts"
import { addTry, newRow, noteMessage, type Row } from "./table.ts"

/** Makes each file system call of an operation fail in every way. A refused write must have no effect. */
export async function failEachCall(lab: Lab, isSample: boolean, lanes: number): Promise<Row[]> {
  const first = await lab.startThree()
  const trios = [first, ...(await Promise.all(Array.from({ length: lanes - 1 }, lab.startThree)))]
  const seed = await seedFolder(lab, first[2])
  const rows: Row[] = []
  for (const [n, { name, fault }] of ways.entries()) {
    const row = newRow(name)
    // A sample has every operation and, by turns, every kind of failure.
    const chosen = operations.filter((_, at) => !isSample || at % 3 === n % 3)
    for (const operation of chosen) {
      const counting = newRow(name)
      const never = { ...fault, at: Number.MAX_SAFE_INTEGER }
      const calls = await failAt(lab, seed, first, never, operation, counting)
      // A run without a failure, for comparison: it counts the operation's calls.
      addTry(row, { ...counting, tries: 0, acknowledged: 0 }, `${operation.name}, nothing failing`)
      const all = Array.from({ length: calls }, (_, n) => n + 1)
      const at = isSample ? all.filter((call) => call === (n % 2 === 0 ? Math.ceil(calls / 2) : calls)) : all
      await inLanes(trios, at, async (trio, call) => {
        await failAt(lab, seed, trio, { ...fault, at: call }, operation, row)
      })
    }
    rows.push(row)
  }
  return rows
}

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

type Trio = readonly [struck: StoreProcess, other: StoreProcess, fresh: StoreProcess]

async function failAt(
  lab: Lab,
  seed: Seed,
  [struck, other, fresh]: Trio,
  fault: Fault,
  { name, isFirst = false, prepare }: Operation,
  row: Row,
): Promise<number> {
  const processes = [struck, other]
  let called = 0
  await tryOnce(lab, row, { seed: isFirst ? undefined : seed, processes }, async (trial) => {
    const { dir, ledger, one } = trial
    const command = await prepare(struck, dir, ledger)
    const { value, error, calls } = await struck.run<Struck>({ do: "struck", fault, command })
    called = calls.length
    // A read-only file system keeps the lock file. The next writer takes the lock over.
    if (fault.code !== "EROFS" && existsSync(join(dir, ".hivemind", "graph", ".lock")))
      one.wrong.push("the lock is still there")
    if (error !== undefined) one.toTell++
    else if (command.do !== "fold") ledger.note(value as Acknowledged)
    try {
      await goOn(trial, processes)
      const told = fault.do === "short" || fault.do === "late" || fault.stays ? TORN : HARMLESS
      await ledger.check(one, dir, processes, fresh, told)
      const ignored = statSync(join(dir, ".hivemind", ".gitignore"), { throwIfNoEntry: false })
      if (ignored === undefined || ignored.size === 0)
        one.wrong.push("there is no .gitignore, or an empty one")
      if (error !== undefined) judge(error, await isInForce(other, command), one)
    } catch (later) {
      one.wrong.push(`afterwards: ${later instanceof Error ? later.stack : String(later)}`)
    }
    return `${name}, call ${fault.at} (${calls[fault.at - 1] ?? "none"})`
  })
  return called
}

/** Checks an error: the change must be absent, or the error must say that it may have been made. */
function judge(error: Told, isInForce: boolean, row: Row): void {
  const text = `${error.code}: ${error.message}`
  if (error.name !== "HiveError") row.wrong.push(`a bare error, ${error.stack}`)
  else if (isInForce && error.code !== "unconfirmed") row.wrong.push(`refused and in force: ${text}`)
  else {
    row.told++
    noteMessage(row, error.message)
  }
}

async function isInForce(process: StoreProcess, { do: what, dir, id }: Command): Promise<boolean> {
  if (what === "fold") return false
  const { records } = await process.run<{ records: object }>({ do: "graph", dir })
  const isThere = `${what === "append" ? "mem" : "plan"} ${id}` in records
  return what === "undo" ? !isThere : isThere
}

const adding = (name: string, command: "append" | "plan", isFirst = false): Operation => ({
  name,
  isFirst,
  prepare: async (_process, dir) => ({ do: command, dir, id: randomUUID() }),
})

const operations = [
  adding("an append", "append"),
  adding("an ordered write", "plan"),
  fold,
  undo,
  adding("the first append", "append", true),
  adding("the first write", "plan", true),
]

// Failures to count or to clean up are only reported in the background.
const HARMLESS = ["background"]
const TORN = ["background", "torn_line"]
