import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { type Lab, Refused } from "./lab.ts"
import type { Acknowledged } from "./ledger.ts"
import { seedFolder, tryOnce } from "./seed.ts"
import { newRow, noteMessage, type Row } from "./table.ts"

export async function leaveLocks(lab: Lab, rounds: number): Promise<Row[]> {
  const [process, fresh] = await lab.startTwo()
  const seed = await seedFolder(lab, fresh)
  const row = newRow("lock left by a process that is gone")
  const writes = ["bump", "plan", "fold", "undo"]
  const cases = Object.keys(owners).flatMap((owner) => writes.map((command) => ({ owner, command })))
  // Runs the cases at once, because taking over a lock whose owner may be alive needs some seconds.
  const tryCase = ({ owner, command }: (typeof cases)[number]) =>
    tryOnce(lab, row, { seed, processes: [process] }, async ({ dir, ledger, one }) => {
      const before = await process.run<Acknowledged>({ do: "plan", dir })
      writeFileSync(join(dir, ".hivemind", "graph", ".lock"), owners[owner] ?? "")
      try {
        const named = command === "undo" ? before : {}
        const done = await process.run<Acknowledged>({ ...named, do: command, dir })
        if (command !== "fold") ledger.note(done)
        if (command !== "undo") ledger.note(before)
      } catch (error) {
        one.wrong.push(String(error))
      }
      await ledger.check(one, dir, [process], fresh)
      return `${owner}, ${command}`
    })
  for (let round = 0; round < rounds; round++) await Promise.all(cases.map(tryCase))
  return [row]
}

const owner = (more: object) => JSON.stringify({ host: hostname(), pid: 2 ** 22 + 1, token: "gone", ...more })
const owners: Record<string, string> = {
  "its pid is free": owner({}),
  "it was on another machine": owner({ host: "elsewhere" }),
  "another process has its pid": owner({ pid: 1 }),
  "half of its name is written": owner({}).slice(0, 20),
  "nothing is written": "",
}

/** A newer version of HiveMind upgrades a hive that a process has open. The process may read the hive, but not change it. */
export async function meetNewerFormat(lab: Lab, rounds: number): Promise<Row[]> {
  const [running, late, fresh] = await lab.startThree()
  const seed = await seedFolder(lab, fresh)
  const row = newRow("hive of a newer format")
  const tryCommand = (command: string) =>
    tryOnce(lab, row, { seed, processes: [running] }, async ({ dir, ledger, one }) => {
      const plan = await ledger.write(running, { do: "plan", dir })
      const mem = await ledger.write(running, { do: "append", dir })
      const format = join(dir, ".hivemind", "system", "manifest.json")
      const own = readFileSync(format)
      writeFileSync(format, '{"format":99}')
      await late.run({ do: "open", dir })
      const before = bytesOf(dir)
      one.tries = 2
      one.toTell = 2
      for (const each of [running, late])
        try {
          await each.run({ ...(command === "supersede" ? mem : plan), do: command, dir })
          one.wrong.push(`${command} was done`)
        } catch (error) {
          const isTold = error instanceof Refused && error.told.code === "newer_format"
          if (isTold) one.told++
          noteMessage(one, isTold ? `${error.message} ${error.told.why}` : String(error))
        }
      if (bytesOf(dir) !== before) one.wrong.push(`${command} changed a file`)
      await ledger.check(one, dir, [running, late], fresh)
      writeFileSync(format, own)
      await ledger.write(late, { do: "append", dir })
      await ledger.check(one, dir, [running, late], fresh)
      await late.run({ do: "close", dir })
      return command
    })
  for (let round = 0; round < rounds; round++)
    for (const command of ["append", "bump", "plan", "fold", "undo", "supersede"]) await tryCommand(command)
  return [row]
}

function bytesOf(dir: string): string {
  const root = join(dir, ".hivemind")
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).sort()
  const isFile = (name: string) => statSync(join(root, name)).isFile()
  return JSON.stringify(files.filter(isFile).map((name) => [name, readFileSync(join(root, name), "latin1")]))
}
