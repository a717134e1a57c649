import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { git } from "../../support/git-repo.ts"
import { type Lab, Refused, type StoreProcess } from "./lab.ts"
import { type Acknowledged, type Ledger, openLedger } from "./ledger.ts"
import { addTry, newRow, noteMessage, type Row } from "./table.ts"

const HALF = "half of it"

/** Two clones of a repository with a remote, each with a process at work. */
interface Team {
  root: string
  remote: string
  clones: { process: StoreProcess; dir: string }[]
  ledger: Ledger
}

/** Both clones write and sync at the same moment, again and again: at the end both have everything. */
export async function raceSyncs(lab: Lab, rounds: number): Promise<Row[]> {
  const row = newRow("two clones that sync at the same moment")
  const team = await startTeam(lab, await startPair(lab))
  for (let round = 0; round < rounds; round++) {
    await Promise.all(
      team.clones.map(async ({ process, dir }) => {
        for (const command of ["append", "plan"])
          team.ledger.note(await process.run<Acknowledged>({ do: command, dir }))
        row.tries++
        await trySync(process, dir, row)
      }),
    )
  }
  await settle(lab, team, row)
  row.acknowledged = team.ledger.size()
  return [row]
}

/** Damages each ref of the log, and the object that it leads to, in a clone and in the remote. */
export async function damageRefs(lab: Lab, isSample: boolean): Promise<Row[]> {
  const pair = await startPair(lab)
  const rows: Row[] = []
  for (const where of ["a clone", "the remote"] as const) {
    const row = newRow(`damaged refs in ${where}`)
    for (const [name, damage] of Object.entries(damages).filter((_, n) => !isSample || n % 3 === 0)) {
      const probe = await startTeam(lab, pair)
      const repository = (team: Team) => (where === "a clone" ? (team.clones[0]?.dir ?? "") : team.remote)
      const refs = git(repository(probe), "for-each-ref", "--format=%(refname)", "refs/hivemind").split("\n")
      await endTeam(lab, probe)
      for (const [n, ref] of refs.entries()) {
        const team = await startTeam(lab, pair)
        const one = { ...newRow(row.fault), tries: 1 }
        // Names of clones differ from team to team; their order does not.
        const all = git(repository(team), "for-each-ref", "--format=%(refname)", "refs/hivemind").split("\n")
        damage(gitFolder(repository(team)), repository(team), all[n] ?? ref)
        for (const { process, dir } of team.clones) {
          team.ledger.note(await process.run<Acknowledged>({ do: "append", dir }))
          await trySync(process, dir, one)
        }
        // Objects, and the refs of a remote, are not ours to repair: their owner removes what git names as damaged.
        removeDamagedObjects(gitFolder(repository(team)))
        if (where === "the remote") rmSync(join(team.remote, all[n] ?? ref), { force: true })
        await settle(lab, team, one)
        one.acknowledged = team.ledger.size()
        addTry(row, one, `${name}, ${ref}`)
        await endTeam(lab, team)
      }
    }
    rows.push(row)
  }
  return rows
}

const damages: Record<string, (gitDir: string, dir: string, ref: string) => void> = {
  "junk in its file": (gitDir, _dir, ref) => writeRef(gitDir, ref, "junk\n"),
  "an empty file": (gitDir, _dir, ref) => writeRef(gitDir, ref, ""),
  "an object that is not there": (gitDir, _dir, ref) => writeRef(gitDir, ref, `${"ab".repeat(20)}\n`),
  "a file tree in place of a commit": (gitDir, dir, ref) =>
    writeRef(gitDir, ref, `${git(dir, "hash-object", "-t", "tree", "-w", "--stdin")}\n`),
  "a commit of the user": (gitDir, dir, ref) => {
    const tree = git(dir, "hash-object", "-t", "tree", "-w", "--stdin")
    writeRef(gitDir, ref, `${git(dir, "commit-tree", "-m", "mine", tree)}\n`)
  },
  "it is gone": (_gitDir, dir, ref) => void git(dir, "update-ref", "-d", ref),
  "its commit is cut in half": (gitDir, dir, ref) => {
    const id = git(dir, "rev-parse", ref)
    const path = join(gitDir, "objects", id.slice(0, 2), id.slice(2))
    // Git makes its objects read-only.
    rmSync(path)
    writeFileSync(path, HALF)
  },
}

function removeDamagedObjects(gitDir: string): void {
  const objects = join(gitDir, "objects")
  for (const file of readdirSync(objects, { recursive: true, encoding: "utf8" }))
    if (/^..\/.{38}$/.test(file) && readFileSync(join(objects, file)).equals(Buffer.from(HALF)))
      rmSync(join(objects, file))
}

function writeRef(gitDir: string, ref: string, text: string): void {
  mkdirSync(dirname(join(gitDir, ref)), { recursive: true })
  writeFileSync(join(gitDir, ref), text)
}

function gitFolder(dir: string): string {
  return existsSync(join(dir, ".git")) ? join(dir, ".git") : dir
}

function startPair(lab: Lab): Promise<[StoreProcess, StoreProcess]> {
  return Promise.all([lab.start(), lab.start()])
}

async function startTeam(lab: Lab, pair: readonly StoreProcess[]): Promise<Team> {
  const root = lab.folder()
  git(root, "init", "-q", "--bare", "remote.git")
  const remote = join(root, "remote.git")
  const ledger = openLedger()
  const clones = pair.map((process, n) => ({ process, dir: join(root, `clone${n}`) }))
  for (const { process, dir } of clones) {
    git(root, "clone", "-q", remote, dir)
    await process.run({ do: "open", dir })
    for (const command of ["append", "plan"])
      ledger.note(await process.run<Acknowledged>({ do: command, dir }))
    await process.run({ do: "sync", dir })
  }
  return { root, remote, clones, ledger }
}

async function trySync(process: StoreProcess, dir: string, row: Row): Promise<void> {
  try {
    await process.run({ do: "sync", dir })
  } catch (error) {
    row.toTell++
    if (error instanceof Refused && error.told.name === "HiveError") row.told++
    else row.wrong.push(String(error))
    noteMessage(
      row,
      error instanceof Refused ? `${error.message} ${error.told.evidence ?? ""}` : String(error),
    )
  }
}

/** Later syncs repair what is derived: both clones must have what either has written. */
async function settle(lab: Lab, { clones, ledger }: Team, row: Row): Promise<void> {
  const fresh = await lab.start()
  for (const { process, dir } of [...clones, ...clones])
    await process.run({ do: "sync", dir }).catch((error) => row.wrong.push(`a later sync: ${error}`))
  for (const { process, dir } of clones) await ledger.check(row, dir, [process], fresh)
  fresh.signal("SIGKILL")
}

async function endTeam(lab: Lab, { root, clones }: Team): Promise<void> {
  for (const { process, dir } of clones) await process.run({ do: "close", dir })
  lab.forget(root)
}
