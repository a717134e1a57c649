import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { git } from "../../support/git-repo.ts"
import type { Lab, StoreProcess } from "./lab.ts"
import { addTry, newRow, type Row } from "./table.ts"
import { endTeam, makeTeam, settle, sync, type Team, trySync, writeIn } from "./team.ts"

const HALF = "half of it"

/** Two clones write and sync at the same moment, repeatedly. In the end both must have all entries. */
export async function raceSyncs(lab: Lab, rounds: number): Promise<Row[]> {
  const row = newRow("two clones that sync at the same moment")
  const team = await startTeam(lab, await lab.startTwo())
  for (let round = 0; round < rounds; round++)
    await Promise.all(
      team.clones.map(async (clone) => {
        const { process, dir } = clone
        for (const command of ["append", "plan"]) await team.ledger.write(process, { do: command, dir })
        row.tries++
        await trySync(clone, row)
      }),
    )
  await settle(lab, team, row)
  return [row]
}

/** Damages each ref of the log and the git object that it names, in a clone and in the remote. */
export async function damageRefs(lab: Lab, isSample: boolean): Promise<Row[]> {
  const pair = await lab.startTwo()
  const rows: Row[] = []
  for (const where of ["a clone", "the remote"] as const) {
    const row = newRow(`damaged refs in ${where}`)
    const placeOf = ({ remote, clones }: Team) => (where === "a clone" ? clones[0].dir : remote)
    const probe = await startTeam(lab, pair)
    const refs = refsIn(placeOf(probe))
    await endTeam(lab, probe)
    for (const [name, damage] of Object.entries(damages).filter((_, n) => !isSample || n % 3 === 0))
      for (const [n, ref] of refs.entries()) {
        const team = await startTeam(lab, pair)
        const one = { ...newRow(row.fault), tries: 1 }
        const repository = placeOf(team)
        // Each team has other clone names, but in the same order.
        const damaged = refsIn(repository)[n] ?? ref
        damage(gitFolder(repository), repository, damaged)
        for (const clone of team.clones) {
          await team.ledger.write(clone.process, { do: "append", dir: clone.dir })
          await trySync(clone, one)
        }
        // HiveMind does not repair git objects or a remote's refs. Their owner deletes what git reports as damaged.
        removeDamagedObjects(gitFolder(repository))
        if (where === "the remote") rmSync(join(team.remote, damaged), { force: true })
        await settle(lab, team, one)
        addTry(row, one, `${name}, ${ref}`)
        await endTeam(lab, team)
      }
    rows.push(row)
  }
  return rows
}

function refsIn(repository: string): string[] {
  return git(repository, "for-each-ref", "--format=%(refname)", "refs/hivemind").split("\n")
}

async function startTeam(lab: Lab, pair: readonly [StoreProcess, StoreProcess]): Promise<Team> {
  const team = makeTeam(lab, pair)
  for (const clone of team.clones) {
    await writeIn(team, clone)
    await sync(clone)
  }
  return team
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
    // Git makes its object files read-only, so the file is removed before it is written.
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

const gitFolder = (dir: string): string => (existsSync(join(dir, ".git")) ? join(dir, ".git") : dir)
