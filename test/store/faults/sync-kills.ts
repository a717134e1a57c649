import { rmSync } from "node:fs"
import { resolve } from "node:path"
import { struckOrGone } from "./kills.ts"
import { CHANGING, type Fault, type Lab, Refused, type StoreProcess } from "./lab.ts"
import { addTry, newRow, noteMessage, type Row } from "./table.ts"
import { endTeam, makeTeam, settle, sync, writeIn } from "./team.ts"

/** Kills a process before calls of a sync, then each git of a sync. Later syncs must exchange all entries. */
export async function killDuringSync(lab: Lab, step: number): Promise<Row[]> {
  const pair = await lab.startTwo()
  const rows: Row[] = []
  for (const { name, isFirst, ...fault } of ways) {
    const row = newRow(name)
    for (let at = 1, isOver = false; !isOver; at += step)
      isOver = await killAt(lab, { ...fault, at }, isFirst, pair, row)
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

async function killAt(
  lab: Lab,
  fault: Fault,
  isFirst: boolean,
  pair: readonly [StoreProcess, StoreProcess],
  row: Row,
): Promise<boolean> {
  const team = makeTeam(lab, pair)
  const [anna, bert] = team.clones
  const one = { ...newRow(row.fault), tries: 1 }
  const victim = { ...anna, process: await lab.start() }
  await writeIn(team, bert)
  await sync(bert)
  await writeIn(team, victim)
  if (!isFirst) {
    await sync(victim)
    await writeIn(team, bert)
    await sync(bert)
    await writeIn(team, victim)
  }
  const result = await struckOrGone(victim.process, fault, { do: "sync", dir: anna.dir })
  if (result?.error !== undefined) {
    one.toTell++
    if (fault.do === "fail" && result.error.name === "HiveError") one.told++
    noteMessage(one, result.error.message)
  }
  victim.process.signal("SIGKILL")
  await victim.process.ended

  await writeIn(team, anna)
  // A killed git may leave a lock file. HiveMind's error names it and says to delete it.
  await settle(lab, team, one, (clone) =>
    sync(clone).catch((error) => {
      const lock = error instanceof Refused && /'([^']+\.lock)'/.exec(error.told.evidence ?? "")?.[1]
      if (!lock || fault.do !== "fail") throw error
      rmSync(resolve(clone.dir, lock))
      noteMessage(one, error.message)
      return sync(clone)
    }),
  )
  addTry(row, one, `killed at call ${fault.at}`)
  await endTeam(lab, team)
  return result !== undefined && result.calls.length < fault.at
}
