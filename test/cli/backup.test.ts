import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { expect, test } from "vitest"
import type { Hive } from "../../src/hive/hive.ts"
import { openHiveIn } from "../../src/hive/open.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { backupHive } from "../../src/sync/backup.ts"
import { LOG_REF } from "../../src/sync/ref.ts"
import { syncHive } from "../../src/sync/sync.ts"
import { backgroundSync } from "../../src/turns/background-sync.ts"
import { updateSession } from "../../src/work/focus/update.ts"
import { git, gitRepo } from "../support/git-repo.ts"
import { aMem, by } from "../support/records.ts"
import { makeTeam } from "../support/team.ts"
import { cli, cliJson, shown, useSandbox } from "./harness.ts"

const box = useSandbox()
const INIT = "init --yes --plugin hivemind-opencode"
const PURGE = "uninstall --purge --yes"
const store = (dir: string) => join(dir, ".git", "hivemind")
const hive = (dir: string) => join(dir, ".hivemind")
const clonesIn = (dir: string) => git(dir, "ls-tree", "--name-only", LOG_REF).split("\n")
const memsIn = (dir: string) => withHost(dir, async (host) => host.mems())

async function project(): Promise<string> {
  const dir = gitRepo(box.project)
  await cli(box, INIT)
  return dir
}

function mirrorOf(dir: string): string {
  git(box.root, "init", "-q", "--bare", "mirror.git")
  git(dir, "push", "-q", "--mirror", join(box.root, "mirror.git"))
  return git(join(box.root, "mirror.git"), "for-each-ref", "--format=%(refname)")
}

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
  const deps = { hive: async () => opened, log: () => {}, toast: async () => {} }
  const between = backgroundSync(deps, (steps) => {
    for (const [, run] of steps) running.push(run())
  })
  return {
    hive: opened,
    mems: () => Array.from(opened.store.read().state.mem.values(), ({ content }) => content).sort(),
    heads: () => sortedHeads(opened),
    async turn(...numbers: number[]) {
      for (const n of numbers) await opened.store.append(by, (tx) => tx.add("mem", aMem(n)))
      await between("turn end")
      await Promise.all(running)
    },
  }
}

const sortedHeads = ({ store }: Hive) =>
  [...store.read().state.trajectory.values()].sort((a, b) => a.id.localeCompare(b.id))
const oldBackup = ({ store, dir }: Hive) =>
  syncHive({ store, dir, remote: null, mayBegin: async () => false })

test("a deleted .hivemind/ comes back with the next command, and a line on stderr says so", async () => {
  const dir = await project()
  await withHost(dir, (host) => host.turn(1, 2))
  rmSync(hive(dir), { recursive: true })
  const { stdout, stderr } = await cli(box, "memory")
  expect(stderr).toBe("The records of .hivemind/ were gone: 2 entries came back from the backup.\n")
  expect(stdout).toMatch(/Mem 2\n.*Mem 1\n/)
  expect((await cli(box, "memory")).stderr).toBe("")
  // What a person saves is backed up at once; the folder of the graph alone comes back too.
  await cli(box, ["remember", "Port 5432 is taken by CI"])
  rmSync(join(hive(dir), "graph"), { recursive: true })
  const again = await cli(box, "memory")
  expect(again.stderr).toContain("came back from the backup")
  expect(again.stdout).toContain("Port 5432 is taken by CI")
})

test("the configuration and the read-heads come back too, each time, and a newer configuration stays", async () => {
  const dir = await project()
  const config = join(hive(dir), "system", "config.json")
  const governance = async () => (await cliJson(box, "config get governance")).options[0].value
  // The configuration is backed up at once, even in a hive without records.
  await cli(box, "config set governance strict")
  rmSync(hive(dir), { recursive: true })
  expect((await cli(box, "status")).stderr).toBe(
    "The configuration of .hivemind/ was gone: it came back from the backup.\n",
  )
  expect(await governance()).toBe("strict")

  const caller = { session: "s", agent: null, tool: "test" }
  await withHost(dir, async (host) => {
    await updateSession(host.hive, caller, { level: "action", content: "Build login" })
    await host.turn()
  })
  const heads = () => withHost(dir, async (host) => host.heads())
  const before = await heads()
  expect(before).toHaveLength(2)
  rmSync(hive(dir), { recursive: true })
  expect((await cli(box, "status")).stderr).toMatch(
    /^The records .* came back from the backup, with the configuration and 2 read-heads\.\n$/,
  )
  expect([await governance(), await heads()]).toEqual(["strict", before])

  await withHost(dir, async (host) => {
    rmSync(hive(dir), { recursive: true })
    mkdirSync(join(hive(dir), "system"), { recursive: true })
    writeFileSync(config, '{ "governance": "off" }')
    await host.turn(1)
    // Only what is missing comes back, here while a host runs.
    expect(host.heads()).toEqual(before)
    writeFileSync(config, '{ "governance": "assisted" }')
    await host.turn()
  })
  rmSync(hive(dir), { recursive: true })
  expect(await shown(box, "sync --restore")).toContain(
    "Also from the backup: the configuration and 2 read-heads.",
  )
  expect(readFileSync(config, "utf8")).toBe('{ "governance": "assisted" }')
})

test("init in a repository whose hive was deleted says that the records come back; after a purge they do not", async () => {
  const dir = await project()
  await withHost(dir, (host) => host.turn(1))
  rmSync(hive(dir), { recursive: true })
  expect(await shown(box, INIT)).toContain("Note: there was a hive here before. Its records come back")
  expect((await cli(box, "memory")).stdout).toContain("Mem 1")
  expect(await shown(box, INIT)).not.toContain("hive here before")
  await shown(box, PURGE)
  expect(await shown(box, INIT)).not.toContain("hive here before")
  expect(await memsIn(dir)).toEqual([])
  await withHost(dir, (host) => host.turn(2))
  await cli(box, "memory --reset --yes")
  rmSync(hive(dir), { recursive: true })
  expect(await shown(box, INIT)).not.toContain("hive here before")
})

test("a configuration that git tracks does not come back from the backup as the user's own", async () => {
  const dir = await project()
  const config = join(hive(dir), "system", "config.json")
  git(dir, "checkout", "-q", "-b", "hostile")
  writeFileSync(config, '{ "governance": "off" }')
  git(dir, "add", "-f", config)
  git(dir, "commit", "-q", "-m", "hostile")
  await withHost(dir, (host) => host.turn(1))
  git(dir, "checkout", "-q", "-")
  rmSync(hive(dir), { recursive: true })
  expect((await cli(box, "memory")).stderr).toBe(
    "The records of .hivemind/ were gone: 1 entry came back from the backup.\n",
  )
  expect(existsSync(config)).toBe(false)
  // Nor does the user's own replace what git tracks.
  await cli(box, "config set governance strict")
  rmSync(hive(dir), { recursive: true })
  git(dir, "checkout", "-q", "hostile")
  rmSync(hive(dir), { recursive: true })
  await cli(box, "memory")
  expect(existsSync(config)).toBe(false)
})

test("with `sync: off` neither the log nor the configuration is kept outside of .hivemind/", async () => {
  const dir = await project()
  await cli(box, "config set governance strict")
  await withHost(dir, (host) => host.turn(1))
  const refs = () =>
    git(join(store(dir), "snapshots"), "for-each-ref", "--format=%(refname)", "refs/hivemind")
  expect(refs()).toContain("refs/hivemind/local")
  await cli(box, "config set sync off")
  expect(refs()).toBe("")
  await withHost(dir, (host) => host.turn(2))
  expect(refs()).toBe("")
  rmSync(hive(dir), { recursive: true })
  expect((await cli(box, "memory")).stderr).not.toContain("came back")
})

test("restores a deleted hive from the backup ref of an older version, and continues that ref", async () => {
  const dir = await project()
  await withHost(dir, async (host) => {
    await host.turn(1)
    await oldBackup(host.hive)
  })
  for (const folder of [store(dir), hive(dir)]) rmSync(folder, { recursive: true })
  expect((await cli(box, "memory")).stderr).toContain("1 entry came back")
  const before = git(dir, "rev-parse", LOG_REF)
  await withHost(dir, (host) => host.turn(2))
  expect(git(dir, "rev-parse", `${LOG_REF}~1`)).toBe(before)
})

test("`sync --restore` restores from the backup, and the first sync shares the restored entries", async () => {
  const { anna, bert, remote } = makeTeam(box.root)
  await withHost(anna, (host) => host.turn(1, 2))
  rmSync(hive(anna), { recursive: true })
  expect((await cli(box, "status", anna)).stderr).toContain("`hivemind sync --restore`")
  expect(await shown(box, "sync --restore", anna)).toContain("2 entries came from 1 clone.")
  for (const repository of [anna, remote]) expect(git(repository, "for-each-ref", "refs/hivemind")).toBe("")
  await withHost(anna, (host) => host.turn(3))
  expect(await shown(box, "sync --yes", anna)).toBe("3 entries sent to origin.\n")
  await cli(box, "sync --restore", bert)
  expect(await memsIn(bert)).toEqual(["Mem 1", "Mem 2", "Mem 3"])
})

test("a restored hive goes on under its old clone name, and `sync --restore` of a whole hive keeps the name", async () => {
  const { anna, bert } = makeTeam(box.root)
  await withHost(anna, (host) => host.turn(1, 2))
  await cli(box, "sync --yes", anna)
  await withHost(anna, (host) => host.turn(3))
  rmSync(hive(anna), { recursive: true })
  for (const n of [4, 5]) {
    await cli(box, "sync --restore", anna)
    await withHost(anna, (host) => host.turn(n))
  }
  rmSync(join(hive(anna), "graph"), { recursive: true })
  await cli(box, "sync --restore", anna)
  await withHost(anna, (host) => host.turn(6))
  await shown(box, "sync", anna)
  expect(clonesIn(anna)).toHaveLength(1)
  expect(await shown(box, "status", anna)).toContain(
    "all entries in the repository's log; shared with origin",
  )
  await cli(box, "sync --restore", bert)
  const all = ["Mem 1", "Mem 2", "Mem 3", "Mem 4", "Mem 5", "Mem 6"]
  for (const dir of [anna, bert]) expect(await memsIn(dir)).toEqual(all)
})

test("where only the backup has the last entries, a restored hive takes a new name, and shares them", async () => {
  const { anna, bert } = makeTeam(box.root)
  await withHost(anna, (host) => host.turn(1))
  await cli(box, "sync --yes", anna)
  await withHost(anna, async ({ hive: opened }) => {
    await opened.store.append(by, (tx) => tx.add("mem", aMem(2)))
    await backupHive(opened)
  })
  rmSync(hive(anna), { recursive: true })
  await cli(box, "sync --restore", anna)
  await withHost(anna, (host) => host.turn(3))
  await shown(box, "sync", anna)
  expect(clonesIn(anna)).toHaveLength(2)
  await cli(box, "sync --restore", bert)
  expect(await memsIn(bert)).toEqual(["Mem 1", "Mem 2", "Mem 3"])
})

test("the backup survives the deletion of the shared log, because it has its own git objects", async () => {
  const { anna } = makeTeam(box.root)
  await withHost(anna, async (host) => {
    await host.turn(1)
    await cli(box, "sync --yes", anna)
    await host.turn(2)
  })
  for (const ref of git(anna, "for-each-ref", "--format=%(refname)", "refs/hivemind").split("\n"))
    git(anna, "update-ref", "-d", ref)
  git(anna, "gc", "-q", "--prune=now")
  rmSync(hive(anna), { recursive: true })
  await cli(box, "sync --restore --no-push", anna)
  expect(await memsIn(anna)).toEqual(["Mem 1", "Mem 2"])
})

test("memory --reset asks, and --yes empties the hive for good, also beside a host that still runs", async () => {
  const dir = await project()
  await withHost(dir, async (host) => {
    await host.turn(1, 2)
    const asked = await cli(box, "memory --reset")
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining("Pass `--yes`")])
    const agent = await cli(box, "memory --reset --yes", dir, { OPENCODE: "1" })
    expect(agent.stderr).toContain("needs a person")
    expect(await shown(box, "memory")).toContain("Mem 1")
    expect(await shown(box, "memory --reset --yes")).toMatch(/^Deleted all plans, tasks and memories/)
    expect(host.mems()).toEqual([])
    expect(host.hive.store.read().problems).toEqual([])
    await host.turn()
    await host.turn(3)
    expect(host.mems()).toEqual(["Mem 3"])
  })
  rmSync(hive(dir), { recursive: true })
  await cli(box, INIT)
  const { stdout } = await cli(box, "memory")
  expect(stdout).toMatch(/Mem 3\n/)
  expect(stdout).not.toMatch(/Mem [12]\n/)
})

test("after a reset the shared log keeps its entries, and a sync brings only new ones", async () => {
  const { anna, bert } = makeTeam(box.root)
  for (const dir of [anna, bert]) await cli(box, INIT, dir)
  await withHost(anna, (host) => host.turn(1))
  await cli(box, "sync --yes", anna)
  await cli(box, "sync", bert)
  const reset = await shown(box, "memory --reset --yes", anna)
  expect(reset).toContain(`${LOG_REF} still has the shared entries`)
  await withHost(bert, (host) => host.turn(2))
  await cli(box, "sync", bert)
  expect(await shown(box, "sync --dry-run", anna)).toContain("1 entry would be received")
  await withHost(anna, (host) => host.turn(3))
  await cli(box, "sync", anna)
  expect(await memsIn(anna)).toEqual(["Mem 2", "Mem 3"])
  rmSync(hive(anna), { recursive: true })
  await cli(box, INIT, anna)
  expect((await cli(box, "memory", anna)).stderr).toContain("came back")
  expect(await memsIn(anna)).toEqual(["Mem 2", "Mem 3"])
  await cli(box, "sync", bert)
  expect(await memsIn(bert)).toEqual(["Mem 1", "Mem 2", "Mem 3"])
})

test("purge of a shared log: the commands that it names delete the copy of the remote, and the commits", async () => {
  const { anna, remote } = makeTeam(box.root)
  await withHost(anna, (host) => host.turn(1))
  await cli(box, "sync --yes", anna)
  const shared = git(anna, "rev-parse", LOG_REF)
  // Without a terminal nothing happens, and the text says how.
  const refused = await cli(box, "uninstall --purge", anna)
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("Pass `--yes`") })
  expect([existsSync(hive(anna)), git(anna, "rev-parse", LOG_REF)]).toEqual([true, shared])
  const stdout = await shown(box, PURGE, anna)
  expect(stdout).toContain("deleted the log that was shared with others, in this repository only")
  const named = (command: RegExp) => (command.exec(stdout)?.[1] ?? "").split(" ")
  git(anna, ...named(/`git (push origin --delete [^`]+)`/))
  expect(git(remote, "for-each-ref", "refs/hivemind")).toBe("")
  git(anna, ...named(/`git (gc [^`]+)`/), "-q")
  expect(() => git(anna, "cat-file", "-e", shared)).toThrow()

  // As a user would go on: nothing old is there, in no ref, log or mirror.
  await cli(box, INIT, anna)
  expect(await withHost(anna, async (host) => host.turn(2).then(host.mems))).toEqual(["Mem 2"])
  expect(git(anna, "for-each-ref", "--format=%(refname)")).not.toContain("hivemind")
  expect(git(anna, "log", "--all", "--format=%s")).toBe("begin")
  expect(mirrorOf(anna)).not.toContain("hivemind")
})

test("after a purge beside a running host, the host's next writes contain no old records", async () => {
  const dir = await project()
  await withHost(dir, async (host) => {
    await host.turn(1)
    await oldBackup(host.hive)
    const stdout = await shown(box, PURGE)
    expect(stdout).toContain(`deleted snapshots and the backup: ${store(dir)}\n`)
    expect(stdout).toContain("deleted the log in this repository: refs/hivemind/*")
    expect([hive(dir), store(dir)].map((path) => existsSync(path))).toEqual([false, false])
    expect(git(dir, "for-each-ref", "refs/hivemind")).toBe("")
    await host.turn(2)
  })
  await cli(box, INIT)
  rmSync(hive(dir), { recursive: true })
  await cli(box, INIT)
  expect((await cli(box, "memory")).stdout).not.toContain("Mem 1")
})

test("init and turns write only to .hivemind/, .git/hivemind/ and the config entry", async () => {
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
})

test("each of several hives in a repository has its own backup, and purging one keeps the others", async () => {
  const dir = gitRepo(box.project)
  const [one, two] = [join(dir, "packages", "one"), join(dir, "packages", "two")]
  for (const [n, nested] of [one, two].entries()) {
    mkdirSync(join(nested, ".hivemind", "graph"), { recursive: true })
    await withHost(nested, (host) => host.turn(n + 1))
  }
  expect(await shown(box, PURGE, one)).toContain(`the hive in ${two} uses them`)
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

const DAMAGES: [string, (lines: string[]) => string[]][] = [
  [
    "a changed byte",
    ([top = "", one = "", two = "", ...more]) => [top, one, two.replace("Mem 2", "Mem Z"), ...more],
  ],
  ["junk in place of a line", ([top = "", one = "", , ...more]) => [top, one, "junk", ...more]],
  ["a line that was taken out", ([top = "", one = "", , ...more]) => [top, one, ...more]],
  ["a last line that was cut", (lines) => [...lines.slice(0, -1), (lines.at(-1) ?? "").slice(0, 300)]],
]

for (const mend of ["sync --restore", "doctor --repair --no-start"])
  test.each(DAMAGES)(
    `doctor names what %s has taken away, and is content after \`${mend}\``,
    async (_, damage) => {
      const dir = await project()
      await withHost(dir, (host) => host.turn(1, 2, 3))
      const before = await memsIn(dir)
      const segment = join(hive(dir), "graph", "log", "000001.jsonl")
      writeFileSync(segment, damage(readFileSync(segment, "utf8").split("\n")).join("\n"))
      const checks = async () => {
        const { checks: all } = await cliJson(box, "doctor --no-start")
        const found = all.filter(({ name }: { name: string }) => ["files", "log"].includes(name))
        return { levels: found.map(({ level }: { level: string }) => level), text: JSON.stringify(found) }
      }
      const damaged = await checks()
      expect(damaged.levels).toContain("trouble")
      expect(damaged.text).toMatch(
        /the graph or its log is not complete.*mem .*Mem [23].*hivemind sync --restore/,
      )
      expect(await memsIn(dir)).not.toEqual(before)
      await cli(box, mend)
      expect(await memsIn(dir)).toEqual(before)
      expect((await checks()).levels).toEqual(["ok", "ok"])
    },
  )
