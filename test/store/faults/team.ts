import { join } from "node:path"
import { git } from "../../support/git-repo.ts"
import { type Lab, Refused, type StoreProcess } from "./lab.ts"
import { type Ledger, openLedger } from "./ledger.ts"
import { noteMessage, type Row } from "./table.ts"

interface Clone {
  process: StoreProcess
  dir: string
}

export interface Team {
  root: string
  remote: string
  clones: [Clone, Clone]
  ledger: Ledger
}

export function makeTeam(lab: Lab, [one, other]: readonly [StoreProcess, StoreProcess]): Team {
  const root = lab.folder()
  git(root, "init", "-q", "--bare", "remote.git")
  const remote = join(root, "remote.git")
  const clone = (process: StoreProcess, name: string): Clone => {
    const dir = join(root, name)
    git(root, "clone", "-q", remote, name)
    git(dir, "commit", "-q", "--allow-empty", "-m", "begin")
    return { process, dir }
  }
  return { root, remote, clones: [clone(one, "one"), clone(other, "other")], ledger: openLedger() }
}

export async function writeIn({ ledger }: Team, { process, dir }: Clone): Promise<void> {
  await process.run({ do: "open", dir })
  for (const command of ["append", "plan", "append"]) await ledger.write(process, { do: command, dir })
}

export const sync = ({ process, dir }: Clone): Promise<unknown> => process.run({ do: "sync", dir })

export async function trySync(clone: Clone, row: Row): Promise<void> {
  try {
    await sync(clone)
  } catch (error) {
    row.toTell++
    const isTold = error instanceof Refused && error.told.name === "HiveError"
    if (isTold) row.told++
    else row.wrong.push(String(error))
    noteMessage(row, isTold ? `${error.message} ${error.told.evidence ?? ""}` : String(error))
  }
}

/** Syncs again until derived data is repaired. Then both clones must have all entries of both. */
export async function settle(lab: Lab, { clones, ledger }: Team, row: Row, syncing = sync): Promise<void> {
  const fresh = await lab.start()
  for (const clone of [...clones, ...clones])
    await syncing(clone).catch((error) => row.wrong.push(`a later sync: ${error}`))
  for (const { process, dir } of clones) await ledger.check(row, dir, [process], fresh)
  row.acknowledged = ledger.size()
  fresh.signal("SIGKILL")
}

export async function endTeam(lab: Lab, { root, clones }: Team): Promise<void> {
  for (const { process, dir } of clones) await process.run({ do: "close", dir })
  lab.forget(root)
}
