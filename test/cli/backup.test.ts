import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join, relative } from "node:path"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import type { Hive } from "../../src/hive/hive.ts"
import { openHiveIn } from "../../src/hive/open.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { backupHive } from "../../src/sync/backup.ts"
import { LOG_REF } from "../../src/sync/ref.ts"
import { syncHive } from "../../src/sync/sync.ts"
import { backgroundSync } from "../../src/turns/background-sync.ts"
import { GIT_ENV, git, gitRepo } from "../support/git-repo.ts"
import { aMem, by } from "../support/records.ts"
import { makeTeam } from "../support/team.ts"
import { cli, dropSandbox, makeSandbox, type Sandbox } from "./harness.ts"

let box: Sandbox
beforeEach(async () => {
  box = await makeSandbox()
  for (const [name, value] of Object.entries(GIT_ENV)) vi.stubEnv(name, value)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await dropSandbox(box)
})

const INIT = ["init", "--yes", "--plugin", "hivemind-opencode"]
const PURGE = ["uninstall", "--purge", "--yes"]
const store = (dir: string) => join(dir, ".git", "hivemind")
const hive = (dir: string) => join(dir, ".hivemind")
const log = async (dir: string) => (await cli(box, ["memory", "--json"], dir)).stdout

/** A host in that folder, for as long as `job` runs. */
async function withHost<T>(dir: string, job: (host: ReturnType<typeof hostOf>) => Promise<T>): Promise<T> {
  const options = { name: "the test", value: undefined }
  const opened = await openHiveIn(dir, { source: systemSource, userConfig: null, options })
  try {
    return await job(hostOf(opened.hive))
  } finally {
    await opened.hive.store.close()
  }
}

function hostOf(opened: Hive) {
  const running: Promise<unknown>[] = []
  const between = backgroundSync(
    { hive: async () => opened, log: () => {}, toast: async () => {} },
    (steps) => {
      for (const [, run] of steps) running.push(run())
    },
  )
  return {
    hive: opened,
    mems: () => Array.from(opened.store.read().state.mem.values(), ({ content }) => content).sort(),
    async turn(...numbers: number[]) {
      for (const n of numbers) await opened.store.append(by, (tx) => tx.add("mem", aMem(n)))
      await between("turn end")
      await Promise.all(running)
    },
  }
}

/** The steps of every turn before there was a private repository. */
const oldBackup = ({ store, dir }: Hive) =>
  syncHive({ store, dir, remote: null, mayBegin: async () => false })

test("what a turn wrote is in no ref, no commit and no mirror of the user's repository", async () => {
  const dir = gitRepo(box.project)
  await withHost(dir, (host) => host.turn(1, 2))
  expect(git(dir, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/main")
  expect(git(dir, "log", "--all", "--format=%s")).toBe("first")
  git(box.root, "init", "-q", "--bare", "mirror.git")
  git(dir, "push", "-q", "--mirror", join(box.root, "mirror.git"))
  expect(git(join(box.root, "mirror.git"), "for-each-ref", "--format=%(refname)")).toBe("refs/heads/main")
  expect(git(dir, "status", "--porcelain")).toBe("")
})

test("a deleted .hivemind/ comes back with the next command, and a line on stderr says so", async () => {
  const dir = gitRepo(box.project)
  await cli(box, INIT)
  await withHost(dir, (host) => host.turn(1, 2))
  rmSync(hive(dir), { recursive: true })
  const { stdout, stderr } = await cli(box, ["memory"])
  expect(stderr).toBe("The records of .hivemind/ were gone: 2 entries came back from the backup.\n")
  expect(stdout).toMatch(/Mem 2\n.*Mem 1\n/)
  expect((await cli(box, ["memory"])).stderr).toBe("")
})

test("records come back where only the graph's folder was deleted, and what a person saved is backed up at once", async () => {
  const dir = gitRepo(box.project)
  await cli(box, INIT)
  await cli(box, ["remember", "Port 5432 is taken by CI"])
  rmSync(join(hive(dir), "graph"), { recursive: true })
  const { stdout, stderr } = await cli(box, ["memory"])
  expect(stderr).toContain("came back from the backup")
  expect(stdout).toContain("Port 5432 is taken by CI")
})

test("a ref that an older version made as its backup is read where the hive is gone, kept, and goes on", async () => {
  const dir = gitRepo(box.project)
  await cli(box, INIT)
  await withHost(dir, async (host) => {
    await host.turn(1)
    await oldBackup(host.hive)
  })
  rmSync(store(dir), { recursive: true })
  rmSync(hive(dir), { recursive: true })
  expect((await cli(box, ["memory"])).stderr).toContain("1 entry came back")
  const before = git(dir, "rev-parse", LOG_REF)
  await withHost(dir, (host) => host.turn(2))
  expect(git(dir, "rev-parse", `${LOG_REF}~1`)).toBe(before)
})

test("`sync --restore` takes the backup, and the first sync shares what was written before the loss", async () => {
  const { anna, bert, remote } = makeTeam(box.root)
  await withHost(anna, (host) => host.turn(1, 2))
  rmSync(hive(anna), { recursive: true })
  expect((await cli(box, ["status"], anna)).stderr).toContain("`hivemind sync --restore`")
  expect((await cli(box, ["sync", "--restore"], anna)).stdout).toContain("2 entries came from 1 clone.")
  expect([git(anna, "for-each-ref", "refs/hivemind"), git(remote, "for-each-ref", "refs/hivemind")]).toEqual([
    "",
    "",
  ])
  await withHost(anna, (host) => host.turn(3))
  expect((await cli(box, ["sync", "--yes"], anna)).stdout).toBe("3 entries sent to origin.\n")
  await cli(box, ["sync", "--restore"], bert)
  expect(await withHost(bert, async (host) => host.mems())).toEqual(["Mem 1", "Mem 2", "Mem 3"])
})

test("the backup outlives the shared log: it borrows none of its objects", async () => {
  const { anna } = makeTeam(box.root)
  await withHost(anna, async (host) => {
    await host.turn(1)
    await cli(box, ["sync", "--yes"], anna)
    await host.turn(2)
  })
  git(anna, "for-each-ref", "--format=%(refname)", "refs/hivemind")
    .split("\n")
    .forEach((ref) => void git(anna, "update-ref", "-d", ref))
  git(anna, "gc", "-q", "--prune=now")
  rmSync(hive(anna), { recursive: true })
  await cli(box, ["sync", "--restore", "--no-push"], anna)
  expect(await withHost(anna, async (host) => host.mems())).toEqual(["Mem 1", "Mem 2"])
})

test("with `sync: off` nothing is kept outside of .hivemind/, and nothing comes back", async () => {
  const dir = gitRepo(box.project)
  await cli(box, INIT)
  await withHost(dir, async (host) => {
    host.hive.config = { ...host.hive.config, sync: "off" }
    await host.turn(1)
  })
  expect(existsSync(store(dir))).toBe(false)
})

test("memory --reset asks, and --yes empties the hive for good, also beside a host that still runs", async () => {
  const dir = gitRepo(box.project)
  await cli(box, INIT)
  await withHost(dir, async (host) => {
    await host.turn(1, 2)
    const asked = await cli(box, ["memory", "--reset"])
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining("Pass `--yes`")])
    expect(await log(dir)).toContain("Mem 1")
    const agent = await cli(box, ["memory", "--reset", "--yes"], dir, { OPENCODE: "1" })
    expect(agent.stderr).toContain("needs a person")
    const done = await cli(box, ["memory", "--reset", "--yes"])
    expect([done.code, done.stdout]).toEqual([
      0,
      expect.stringMatching(/^Deleted all plans, tasks and memories/),
    ])
    expect(host.mems()).toEqual([])
    expect(host.hive.store.read().problems).toEqual([])
    await host.turn()
    await host.turn(3)
    expect(host.mems()).toEqual(["Mem 3"])
  })
  rmSync(hive(dir), { recursive: true })
  await cli(box, INIT)
  const listed = await log(dir)
  expect(listed).toContain("Mem 3")
  expect(listed).not.toMatch(/Mem [12]"/)
})

test("after a reset the shared log keeps what it has, and brings only what is new in it", async () => {
  const { anna, bert } = makeTeam(box.root)
  for (const dir of [anna, bert]) await cli(box, INIT, dir)
  await withHost(anna, (host) => host.turn(1))
  await cli(box, ["sync", "--yes"], anna)
  await cli(box, ["sync"], bert)
  const { stdout } = await cli(box, ["memory", "--reset", "--yes"], anna)
  expect(stdout).toContain(`${LOG_REF} still has the shared entries`)
  await withHost(bert, (host) => host.turn(2))
  await cli(box, ["sync"], bert)
  expect((await cli(box, ["sync", "--dry-run"], anna)).stdout).toContain("1 entry would be received")
  await withHost(anna, (host) => host.turn(3))
  await cli(box, ["sync"], anna)
  expect(await withHost(anna, async (host) => host.mems())).toEqual(["Mem 2", "Mem 3"])
  rmSync(hive(anna), { recursive: true })
  await cli(box, INIT, anna)
  expect((await cli(box, ["memory"], anna)).stderr).toContain("came back")
  expect(await withHost(anna, async (host) => host.mems())).toEqual(["Mem 2", "Mem 3"])
  await cli(box, ["sync"], bert)
  expect(await withHost(bert, async (host) => host.mems())).toEqual(["Mem 1", "Mem 2", "Mem 3"])
})

test("purge, init and one turn: nothing old comes back, and nothing of ours is left before", async () => {
  const dir = gitRepo(box.project)
  await cli(box, INIT)
  await withHost(dir, async (host) => {
    await host.turn(1)
    await oldBackup(host.hive)
  })
  const refused = await cli(box, ["uninstall", "--purge"])
  expect([refused.code, existsSync(store(dir))]).toEqual([2, true])
  const { stdout } = await cli(box, PURGE)
  expect(stdout).toContain(`deleted snapshots and the backup: ${store(dir)}\n`)
  expect(stdout).toContain("deleted the log in this repository: refs/hivemind/*")
  expect([existsSync(hive(dir)), existsSync(store(dir)), git(dir, "for-each-ref", "refs/hivemind")]).toEqual([
    false,
    false,
    "",
  ])
  await cli(box, INIT)
  expect(await withHost(dir, async (host) => host.turn(2).then(host.mems))).toEqual(["Mem 2"])
})

test("purge of a shared log says that the remote keeps its copy, and how to delete it there", async () => {
  const { anna, remote } = makeTeam(box.root)
  await withHost(anna, (host) => host.turn(1))
  await cli(box, ["sync", "--yes"], anna)
  const { stdout } = await cli(box, PURGE, anna)
  const command = /`(git push origin --delete [^`]+)`/.exec(stdout)?.[1] ?? ""
  expect(git(anna, "for-each-ref", "refs/hivemind")).toBe("")
  git(anna, ...command.split(" ").slice(1))
  expect(git(remote, "for-each-ref", "refs/hivemind")).toBe("")
})

test("a shared log is deleted only by a word: without a terminal nothing happens, and the text says how", async () => {
  const { anna } = makeTeam(box.root)
  await withHost(anna, (host) => host.turn(1))
  await cli(box, ["sync", "--yes"], anna)
  const shared = git(anna, "rev-parse", LOG_REF)
  const refused = await cli(box, ["uninstall", "--purge"], anna)
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("Pass `--yes`") })
  expect([existsSync(hive(anna)), git(anna, "rev-parse", LOG_REF)]).toEqual([true, shared])
  const { stdout } = await cli(box, PURGE, anna)
  expect(stdout).toContain("deleted the log that was shared with others, in this repository only")
  const gc = /`(git gc [^`]+)`/.exec(stdout)?.[1] ?? ""
  git(anna, ...gc.split(" ").slice(1), "-q")
  expect(() => git(anna, "cat-file", "-e", shared)).toThrow()

  // As a user would go on: nothing old is there, in no ref, log or mirror.
  await cli(box, INIT, anna)
  expect(await withHost(anna, async (host) => host.turn(2).then(host.mems))).toEqual(["Mem 2"])
  const refs = git(anna, "for-each-ref", "--format=%(refname)").split("\n")
  expect(refs.filter((ref) => ref.includes("hivemind"))).toEqual([])
  expect(git(anna, "log", "--all", "--format=%s")).toBe("begin")
  git(box.root, "init", "-q", "--bare", "mirror.git")
  git(anna, "push", "-q", "--mirror", join(box.root, "mirror.git"))
  expect(git(join(box.root, "mirror.git"), "for-each-ref", "refs/hivemind")).toBe("")
})

test("purge beside a host that still runs: what it writes next has nothing old in it", async () => {
  const dir = gitRepo(box.project)
  await cli(box, INIT)
  await withHost(dir, async (host) => {
    await host.turn(1)
    await cli(box, PURGE)
    await host.turn(2)
  })
  await cli(box, INIT)
  rmSync(hive(dir), { recursive: true })
  await cli(box, INIT)
  expect(await log(dir)).not.toContain("Mem 1")
})

test("init and turns write to .hivemind/, git's hivemind/ and the one config entry, and nowhere else", async () => {
  const dir = gitRepo(box.project)
  const outside = () =>
    readdirSync(box.root, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => relative(box.root, join(entry.parentPath, entry.name)))
      .filter((path) => !/^project\/(\.git\/)?\.?hivemind\//.test(path))
      .map((path) => [path, readFileSync(join(box.root, path), "base64")])
      .sort()
  const before = outside()
  await cli(box, INIT)
  await withHost(dir, (host) => host.turn(1, 2))
  const entry = "home/.config/opencode/opencode.json"
  expect(outside().filter(([path]) => path !== entry)).toEqual(before)
  await cli(box, PURGE)
  expect(outside()).toEqual(before)
  expect([existsSync(hive(dir)), existsSync(store(dir))]).toEqual([false, false])
})

test("of several hives in a repository each has its backup, and purging one leaves that of others", async () => {
  const dir = gitRepo(box.project)
  const [one, two] = [join(dir, "packages", "one"), join(dir, "packages", "two")]
  for (const [n, nested] of [one, two].entries()) {
    mkdirSync(join(nested, ".hivemind", "graph"), { recursive: true })
    await withHost(nested, (host) => host.turn(n + 1))
  }
  const { stdout } = await cli(box, PURGE, one)
  expect(stdout).toContain(`the hive in ${two} uses them`)
  expect([existsSync(hive(one)), existsSync(store(dir))]).toEqual([false, true])
  rmSync(hive(two), { recursive: true })
  mkdirSync(join(hive(two), "graph"), { recursive: true })
  await withHost(two, async (host) => {
    await backupHive(host.hive)
    expect(host.mems()).toEqual(["Mem 2"])
  })
  await cli(box, PURGE, two)
  expect(existsSync(store(dir))).toBe(false)
})
