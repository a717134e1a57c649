import { existsSync, readdirSync, rmSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { git } from "../support/git-repo.ts"
import { around, snapshotProject } from "./snapshot-project.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOISE_BYTES = 200_000

async function clockedProject(maxBytes = 1 << 30) {
  const { dir } = await snapshotProject()
  const clock = { now: Date.now() - 10 * DAY_MS }
  const project = around(dir, { maxBytes }, () => clock.now)
  const noise = (name: string) => `head -c ${NOISE_BYTES} /dev/urandom > ${name}`
  return {
    ...project,
    clock,
    noise,
    numbers: () => [...project.snapshots.list()].map(({ number }) => number),
  }
}

/** Makes all files of the store a day old, because git keeps unneeded objects for a grace period. */
function age(store: string): void {
  const time = (Date.now() - DAY_MS) / 1000
  for (const entry of readdirSync(join(store, "objects"), { recursive: true, withFileTypes: true }))
    utimesSync(join(entry.parentPath, entry.name), time, time)
  for (const name of readdirSync(store).filter((each) => each.startsWith("index-")))
    utimesSync(join(store, name), time - 60, time - 60)
}

describe("pruning", () => {
  it("removes snapshots by age, and their content; the others can be restored", async () => {
    const project = await clockedProject()
    project.sh(project.noise("old.bin"))
    const old = await project.call("rm old.bin")
    project.clock.now += 6 * DAY_MS
    project.write("young.txt", "young\n")
    const young = await project.call("rm young.txt; git branch kept; git branch -D kept; echo x > a.txt")
    project.clock.now += 9 * DAY_MS
    age(project.snapshots.dir())
    await project.snapshots.take()
    const before = (await project.snapshots.size()).bytes
    await project.snapshots.prune()
    const { bytes, snapshots, oldest } = await project.snapshots.size()
    expect([project.numbers(), snapshots, oldest]).toEqual([[young.number], 1, young.at])
    expect(before - bytes).toBeGreaterThan(NOISE_BYTES / 2)
    await expect(project.plan(`S${old.number}`, {})).rejects.toMatchObject({ code: "not_found" })
    await project.restore(young)
    expect(project.read("young.txt")).toBe("young\n")
  })

  it("runs once a day, and does nothing if there are no snapshots", async () => {
    const project = await clockedProject()
    await project.snapshots.prune()
    expect(existsSync(project.snapshots.dir())).toBe(false)
    await project.call("rm a.txt")
    await project.snapshots.prune()
    project.clock.now += DAY_MS - 1000
    const settings = around(project.dir, { keepDays: 0 }, () => project.clock.now)
    await settings.snapshots.prune()
    expect(project.numbers()).toHaveLength(1)
    project.clock.now += 2000
    await settings.snapshots.prune()
    expect(project.numbers()).toEqual([])
  })

  it("thins to one per turn, one per session, then removes, one step each time until the size fits", async () => {
    const leftAfterEach = async (maxBytes: number) => {
      const project = await clockedProject(maxBytes)
      const lose = async (session: string, turn: string) => {
        project.sh(project.noise("x.bin"))
        await project.call("rm x.bin", { session, turn })
      }
      for (const turn of ["1", "1", "2", "2"]) await lose("ses_1", turn)
      await lose("ses_2", "3")
      project.clock.now += 2 * DAY_MS
      await lose("ses_3", "4")
      const left: number[][] = []
      for (let n = 0; n < 5; n++) {
        project.clock.now += 3 * HOUR_MS
        age(project.snapshots.dir())
        await project.snapshots.prune()
        left.push(project.numbers())
      }
      return left
    }
    expect(await leftAfterEach(100_000)).toEqual([[6, 5, 3, 1], [6, 5, 1], [6], [], []])
    expect(await leftAfterEach(900_000)).toEqual([[6, 5, 3, 1], ...Array(4).fill([6, 5, 3, 1])])
  })

  it("runs again within the day when much was added, though not before the grace period is over", async () => {
    const project = await clockedProject(100_000)
    await project.snapshots.take()
    await project.snapshots.prune()
    project.clock.now -= 3 * HOUR_MS
    project.sh(project.noise("x.bin"))
    await project.call("rm x.bin")
    project.clock.now += 4 * HOUR_MS
    await project.snapshots.prune()
    expect(project.numbers()).toEqual([1])
    project.clock.now += 2 * HOUR_MS
    await project.snapshots.prune()
    expect(project.numbers()).toEqual([])
  })

  it("does not count what the user's repository has, and keeps what the user's gc removed", async () => {
    const project = await clockedProject()
    project.sh(`${project.noise("packed.bin")}; git add -A; git commit -qm packed; git gc -q`)
    project.sh(`git checkout -qb topic; ${project.noise("lost.bin")}; git add -A; git commit -qm lost`)
    project.sh("git checkout -q main; for n in 1 2; do echo $n > s; git add s; git stash -q; done")
    project.sh("echo staged > a.txt; git add a.txt; echo dirty > a.txt")
    const showWork = () => project.sh("git stash list; git diff --cached; git diff")
    const work = showWork()
    const commit = git(project.dir, "rev-parse", "topic")
    await project.snapshots.take()
    expect((await project.snapshots.size()).bytes).toBeLessThan(NOISE_BYTES / 2)
    const forget =
      "git branch -D topic; git stash clear; git reset -q --hard; git reflog expire --expire=now --all; git gc -q --prune=now"
    const record = await project.call(forget)
    expect((await project.snapshots.size()).bytes).toBeGreaterThan(NOISE_BYTES)
    age(project.snapshots.dir())
    await project.snapshots.prune()
    expect(() => git(project.dir, "cat-file", "-e", commit)).toThrow()
    const { failed } = await project.restore(record, { refs: true })
    expect([failed, git(project.dir, "rev-parse", "topic")]).toEqual([[], commit])
    expect(showWork()).toBe(work)
    expect(git(project.dir, "fsck", "--no-dangling")).toBe("")
  })

  it("keeps what the next snapshot builds on, of this process and of others", async () => {
    const project = await clockedProject()
    project.write("untracked.txt", "u\n")
    project.write(".env", "KEY=1\n")
    await project.snapshots.take()
    project.clock.now += 30 * DAY_MS
    age(project.snapshots.dir())
    await project.snapshots.prune()
    for (const { call, restore, read } of [project, around(project.dir)]) {
      const record = await call("rm untracked.txt .env")
      await restore(record)
      expect([read("untracked.txt"), read(".env")]).toEqual(["u\n", "KEY=1\n"])
    }
  })

  it("takes a whole snapshot again where the store has lost its objects", async () => {
    const project = await snapshotProject()
    project.write("untracked.txt", "u\n")
    await project.snapshots.take()
    project.sh("rm -rf .git/hivemind/snapshots/objects/??")
    project.write("a.txt", "changed\n")
    await project.snapshots.take()
    const record = await project.call("rm untracked.txt")
    await project.restore(record)
    expect(project.read("untracked.txt")).toBe("u\n")
  })

  it("takes a whole snapshot again where the index is gone, with tracked files that are ignored", async () => {
    const project = await snapshotProject()
    project.sh("mkdir build; echo 1 > build/x; git add build; echo build/ >> .gitignore")
    const { files } = await project.snapshots.take()
    project.sh("rm .git/hivemind/snapshots/index-*")
    expect((await project.snapshots.take()).files).toBe(files)
  })

  it("takes a whole snapshot again where the store has lost the tree of one folder", async () => {
    const project = await snapshotProject()
    for (const name of ["one", "two"]) project.write(`untracked/${name}`, name)
    const { files } = await project.snapshots.take()
    const store = project.snapshots.dir()
    const tree = git(store, "rev-parse", `${files}:untracked`)
    rmSync(join(store, "objects", tree.slice(0, 2), tree.slice(2)))
    project.write("untracked/one", "changed")
    const now = await project.snapshots.take()
    const names = git(store, "ls-tree", "-r", "--name-only", now.files, "untracked/")
    expect(names).toBe("untracked/one\nuntracked/two")
  })

  it("keeps nothing of a worktree that was removed", async () => {
    const { dir, clock, ...project } = await clockedProject()
    project.sh("git worktree add -q ../tree")
    const tree = around(join(dir, "../tree"))
    tree.write("secret.txt", "of the worktree\n")
    const { files } = await tree.snapshots.take()
    project.sh("git worktree remove --force ../tree")
    const store = project.snapshots.dir()
    age(store)
    clock.now = Date.now() + 15 * DAY_MS
    await project.snapshots.prune()
    expect(() => git(store, "cat-file", "-e", `${files}:secret.txt`)).toThrow()
    await project.restore(await project.call("rm a.txt"))
    expect(project.read("a.txt")).toBe("a\n")
  })

  it("removes what killed processes have left", async () => {
    const project = await clockedProject()
    await project.call("rm a.txt")
    const store = project.snapshots.dir()
    const left = ["take-killed", "HEAD.123.new", "records/7.json.new"].map((name) => join(store, name))
    for (const path of left) project.sh(`mkdir '${path}'; touch -d '3 days ago' '${path}'`)
    project.clock.now = Date.now()
    await project.snapshots.prune()
    expect(left.filter((path) => existsSync(path))).toEqual([])
  })
})
