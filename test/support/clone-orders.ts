import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { GraphState } from "../../src/graph/state.ts"
import { openFileStore } from "../../src/store/file-store.ts"
import type { Store } from "../../src/store/store.ts"
import { syncHive } from "../../src/sync/sync.ts"
import { cloneSource, randomWrite, seeded, sharedGraph } from "./clones.ts"
import { git } from "./git-repo.ts"
import { aPhase, aPlan, aTask, by } from "./records.ts"
import { makeTeam } from "./team.ts"

export interface OrderOutcome {
  isEqual: boolean
  entries: number
  unapplied: number
  conflicts: number
  /** Failed merges of git, and files of ours that it saw. */
  gitTrouble: string[]
}

interface Member {
  name: string
  number: number
  dir: string
  store: Store
}

/**
 * Four clones of a repository with a remote, in a folder of their own: they write, fold, sync, commit, pull, delete their
 * hive and bring it back, in an order that follows from the seed. In the end all sync.
 */
export async function runOrder(root: string, seed: number, steps: number): Promise<OrderOutcome> {
  const random = seeded(seed)
  const gitTrouble: string[] = []
  const { remote } = makeTeam(root)
  const team = ["anna", "bert", "carl", "dora"].map((name, number): Member => {
    const dir = join(root, name)
    if (number > 1) git(root, "clone", "-q", remote, dir)
    return { name, number, dir, store: open(dir, `${seed} ${name}`) }
  })
  git(join(root, "bert"), "merge", "-q", "--ff-only", "origin/main")
  const [anna] = team
  await anna?.store.write(by, (tx) => {
    tx.add("plan", aPlan(1))
    tx.add("phase", aPhase(2, 1))
    for (const n of [3, 4]) tx.add("task", aTask(n, 1, 2, { status: n === 3 ? "planned" : "active" }))
  })
  if (anna !== undefined) await sync(anna)
  for (let step = 0; step < steps; step++) {
    const member = team[Math.floor(random() * team.length)]
    if (member === undefined) continue
    const dice = random()
    if (dice < 0.66) await randomWrite(member.store, random, member.number)
    else if (dice < 0.76) await member.store.fold()
    else if (dice < 0.93) await sync(member)
    else if (dice < 0.97) gitTrouble.push(...commitAndPull(member, step))
    else await startAnew(member, `${seed} ${step}`)
  }
  for (const member of [...team, ...team]) await sync(member)
  for (const { dir } of team) {
    const seen = git(dir, "status", "--porcelain")
    if (seen !== "") gitTrouble.push(seen)
  }
  const graphs = await Promise.all(
    team.map(async ({ store }) => JSON.stringify(sharedGraph(store, await store.archive.naming("")))),
  )
  const logs = await Promise.all(team.map(({ store }) => written(store)))
  const all = new Set(logs.flatMap((ids) => [...ids]))
  const conflicts = anna?.store.read().state.conflict.size ?? 0
  await Promise.all(team.map(({ store }) => store.close()))
  return {
    isEqual: graphs.every((graph) => graph === graphs[0]),
    entries: all.size,
    unapplied: logs.reduce((sum, ids) => sum + all.size - ids.size, 0),
    conflicts,
    gitTrouble,
  }
}

function open(dir: string, name: string): Store {
  // Each archives other mems, as each folds at other times.
  const leaving = (state: GraphState) => [...state.mem.values()].filter(({ tags }) => tags.includes("t1"))
  return openFileStore(dir, { source: cloneSource(name, 900), leaving })
}

async function sync({ dir, store }: Member): Promise<void> {
  await syncHive({ dir, store, remote: "origin", mayBegin: async () => true })
}

function commitAndPull({ name, dir }: Member, step: number): string[] {
  try {
    writeFileSync(join(dir, `${name}.txt`), `${step}\n`)
    git(dir, "add", "-A")
    git(dir, "commit", "-q", "-m", `${name} ${step}`)
    git(dir, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    git(dir, "push", "-q", "origin", "HEAD:main")
    return []
  } catch (error) {
    return [String(error)]
  }
}

async function startAnew(member: Member, name: string): Promise<void> {
  await sync(member)
  await member.store.close()
  rmSync(join(member.dir, ".hivemind"), { recursive: true, force: true })
  member.store = open(member.dir, `${name} ${member.name}`)
  await sync(member)
}

async function written(store: Store): Promise<Set<string>> {
  const entries = await store.log()
  return new Set(entries.filter(({ by }) => by.tool !== "sync" && by.tool !== "archive").map(({ id }) => id))
}
