import { rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { git } from "../../support/git-repo.ts"
import { CHANGING, type Fault, type Lab, Refused, type StoreProcess, type Struck } from "./lab.ts"
import { type Acknowledged, openLedger } from "./ledger.ts"
import { addTry, newRow, noteMessage, type Row } from "./table.ts"

/**
 * Kills a process before each start of git and each changing call of a sync, or every `step`-th, then each git that a
 * sync starts. Later syncs of both clones must bring all that either has written.
 */
export async function killDuringSync(lab: Lab, step: number): Promise<Row[]> {
  const [anna, bert, fresh] = await Promise.all([lab.start(), lab.start(), lab.start()])
  const rows: Row[] = []
  for (const { name, isFirst, ...fault } of ways) {
    const row = newRow(name)
    for (let at = 1, isOver = false; !isOver; at += step)
      isOver = await killAt(lab, { ...fault, at }, isFirst, { anna, bert, fresh }, row)
    rows.push(row)
  }
  return rows
}

const STEPS = ["spawn", ...CHANGING]
const ways: (Omit<Fault, "at"> & { name: string; isFirst: boolean })[] = [
  { name: "kill -9 before each step of the first sync", isFirst: true, do: "kill", only: STEPS },
  { name: "kill -9 before each step of a later sync", isFirst: false, do: "kill", only: STEPS },
  { name: "kill -9 of each git of the first sync", isFirst: true, do: "fail", only: ["spawn"] },
  { name: "kill -9 of each git of a later sync", isFirst: false, do: "fail", only: ["spawn"] },
]

/** True if the sync came to its end before that call. */
async function killAt(
  lab: Lab,
  fault: Fault,
  isFirst: boolean,
  { anna, bert, fresh }: Record<"anna" | "bert" | "fresh", StoreProcess>,
  row: Row,
): Promise<boolean> {
  const root = lab.folder()
  git(root, "init", "-q", "--bare", "remote.git")
  const dirs = ["anna", "bert"].map((name) => {
    git(root, "clone", "-q", join(root, "remote.git"), name)
    git(join(root, name), "commit", "-q", "--allow-empty", "-m", "begin")
    return join(root, name)
  }) as [string, string]
  const one = { ...newRow(row.fault), tries: 1 }
  const ledger = openLedger()
  const write = async (process: StoreProcess, dir: string) => {
    await process.run({ do: "open", dir })
    for (const command of ["append", "plan", "append"])
      ledger.note(await process.run<Acknowledged>({ do: command, dir }))
  }
  const sync = (process: StoreProcess, dir: string) => process.run({ do: "sync", dir })
  // A git that is killed may leave a lock file. The refusal names it, and says to delete it.
  const syncAsAdvised = (process: StoreProcess, dir: string) =>
    sync(process, dir).catch((error) => {
      const lock = error instanceof Refused && /'([^']+\.lock)'/.exec(error.told.evidence ?? "")?.[1]
      if (!lock || fault.do !== "fail") throw error
      rmSync(resolve(dir, lock))
      noteMessage(one, error.message)
      return sync(process, dir)
    })
  await write(bert, dirs[1])
  await sync(bert, dirs[1])
  const victim = await lab.start()
  await write(victim, dirs[0])
  if (!isFirst) {
    await sync(victim, dirs[0])
    await write(bert, dirs[1])
    await sync(bert, dirs[1])
    await write(victim, dirs[0])
  }
  const struck = victim.run<Struck>({ do: "struck", fault, command: { do: "sync", dir: dirs[0] } })
  const result = await Promise.race([struck.catch(() => undefined), victim.ended.then(() => undefined)])
  if (result?.error !== undefined) {
    one.toTell++
    if (fault.do === "fail" && result.error.name === "HiveError") one.told++
    noteMessage(one, result.error.message)
  }
  victim.signal("SIGKILL")
  await victim.ended

  await write(anna, dirs[0])
  for (const [process, dir] of [
    [anna, dirs[0]],
    [bert, dirs[1]],
    [anna, dirs[0]],
  ] as const)
    await syncAsAdvised(process, dir).catch((error) => one.wrong.push(`a later sync: ${error}`))
  await ledger.check(one, dirs[0], [anna], fresh)
  await ledger.check(one, dirs[1], [bert], fresh)
  one.acknowledged = ledger.size()
  addTry(row, one, `killed at call ${fault.at}`)
  await anna.run({ do: "close", dir: dirs[0] })
  await bert.run({ do: "close", dir: dirs[1] })
  lab.forget(root)
  return result !== undefined && result.calls.length < fault.at
}
