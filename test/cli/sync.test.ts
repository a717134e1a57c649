import { chmodSync, existsSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { LOG_REF } from "../../src/sync/ref.ts"
import { sharedGraph } from "../support/clones.ts"
import { GIT_ENV, git } from "../support/git-repo.ts"
import { aMem, aPhase, aPlan, aTask, by, uuid } from "../support/records.ts"
import { makeTeam, type Team } from "../support/team.ts"
import { everyFile, withStore } from "./filled-project.ts"
import { cli, cliProcess, dropSandbox, makeSandbox, type Sandbox } from "./harness.ts"

let box: Sandbox
let team: Team
beforeEach(async () => {
  box = await makeSandbox()
  for (const [name, value] of Object.entries(GIT_ENV)) vi.stubEnv(name, value)
  team = makeTeam(box.root)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await dropSandbox(box)
})

const inClone = (dir: string, ...args: string[]) => cli(box, args, dir)
const addMem = (dir: string, n: number) =>
  withStore(dir, (store) => store.append(by, (tx) => tx.add("mem", aMem(n))))
const graphIn = (dir: string) => withStore(dir, async (store) => sharedGraph(store))

test("the first push needs a word: without a terminal all else is done, and the text says how", async () => {
  await addMem(team.anna, 1)
  const refused = await inClone(team.anna, "sync")
  expect(refused.code).toBe(1)
  expect(refused.stdout).toContain("origin has no log yet")
  expect(refused.stdout).toContain("`hivemind sync --yes` sends it")
  expect(git(team.anna, "rev-parse", LOG_REF)).toMatch(/^[0-9a-f]{40}$/)
  expect(git(team.remote, "for-each-ref", "refs/hivemind")).toBe("")
  const sent = await inClone(team.anna, "sync", "--yes")
  expect([sent.code, sent.stdout]).toEqual([0, "1 entry sent to origin.\n"])
  expect(git(team.remote, "rev-parse", LOG_REF)).toBe(git(team.anna, "rev-parse", LOG_REF))
})

test("what one writes comes to the other, in words and as JSON", async () => {
  await addMem(team.anna, 1)
  await addMem(team.anna, 2)
  await inClone(team.anna, "sync", "--yes")
  await addMem(team.bert, 3)
  const { stdout, code } = await inClone(team.bert, "sync", "--json")
  expect([code, JSON.parse(stdout)]).toMatchObject([
    0,
    { remote: "origin", push: "pushed", saved: 1, sent: 1, brought: 2, conflicts: [] },
  ])
  expect((await inClone(team.anna, "sync")).stdout).toBe("1 entry came from 1 clone.\n")
  expect(await graphIn(team.anna)).toEqual(await graphIn(team.bert))
  expect((await inClone(team.anna, "sync")).stdout).toBe("Nothing new here or at origin.\n")
  expect(git(team.anna, "status", "--porcelain")).toBe("")
})

test("a conflict that a sync finds is told with the way to settle it", async () => {
  await withStore(team.anna, (store) =>
    store.write(by, (tx) => {
      tx.add("plan", aPlan(1))
      tx.add("phase", aPhase(2, 1))
      tx.add("task", aTask(3, 1, 2, { status: "active" }))
    }),
  )
  await inClone(team.anna, "sync", "--yes")
  await inClone(team.bert, "init", "--yes", "--plugin", "hivemind-opencode")
  await inClone(team.bert, "sync")
  await withStore(team.anna, (store) =>
    store.write(by, (tx) => tx.set("task", uuid(3), { status: "completed" })),
  )
  await withStore(team.bert, (store) =>
    store.write(by, (tx) => tx.set("task", uuid(3), { status: "failed", reason: "broke" })),
  )
  await inClone(team.anna, "sync")
  const { stdout } = await inClone(team.bert, "sync")
  expect(stdout).toContain("1 conflict: settle with `hivemind sync conflicts`.")
})

test("without a remote the log is kept in the repository, and one line says so", async () => {
  git(team.anna, "remote", "remove", "origin")
  await addMem(team.anna, 1)
  const { stdout } = await inClone(team.anna, "sync")
  expect(stdout).toBe(
    "No remote: the log is kept in this repository only.\n1 entry saved in the repository's log.\n",
  )
})

test("--no-push brings what others have, and sends nothing", async () => {
  await addMem(team.anna, 1)
  await inClone(team.anna, "sync", "--yes")
  await addMem(team.bert, 2)
  const before = git(team.remote, "rev-parse", LOG_REF)
  expect((await inClone(team.bert, "sync", "--no-push")).stdout).toBe("1 entry came from 1 clone.\n")
  expect(git(team.remote, "rev-parse", LOG_REF)).toBe(before)
})

test("--dry-run says what would be sent and received, per clone, and writes nothing", async () => {
  await withStore(team.anna, async (store) => {
    for (let n = 1; n <= 12; n++) await store.append(by, (tx) => tx.add("mem", aMem(n)))
  })
  await inClone(team.anna, "sync", "--yes")
  await addMem(team.bert, 100)
  const files = await everyFile(join(team.bert, ".hivemind"))
  const { stdout, code } = await inClone(team.bert, "sync", "--dry-run")
  expect(code).toBe(0)
  expect(stdout).toMatch(/^1 entry would be sent to origin:\n {2}clone \w{8}: 1 entry\n/)
  expect(stdout).toContain('+ mem "Mem 100"')
  expect(stdout).toMatch(/12 entries would be received:\n {2}clone \w{8}: 12 entries\n/)
  expect(stdout).toContain('+ mem "Mem 10"')
  expect(stdout).not.toContain('"Mem 11"')
  expect(stdout).toContain("    and 2 more\n")
  expect(await everyFile(join(team.bert, ".hivemind"))).toEqual(files)
  expect(git(team.bert, "for-each-ref", "--format=%(refname)", "refs/hivemind")).toBe(
    "refs/hivemind/remotes/origin",
  )
})

test("--restore brings a deleted hive back, from the repository alone where the remote cannot be reached", async () => {
  await addMem(team.anna, 1)
  await addMem(team.anna, 2)
  await inClone(team.anna, "sync", "--yes")
  const before = await graphIn(team.anna)
  rmSync(join(team.anna, ".hivemind"), { recursive: true })
  rmSync(team.remote, { recursive: true })
  const refused = await inClone(team.anna, "sync")
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("hivemind sync --restore")])
  const lost = await inClone(team.anna, "status")
  expect([lost.code, lost.stderr]).toEqual([3, expect.stringContaining("hivemind sync --restore")])
  const { stdout, code } = await inClone(team.anna, "sync", "--restore")
  expect(code).toBe(0)
  expect(stdout).toContain("Restored .hivemind/")
  expect(stdout).toContain("The remote was not asked. Could not fetch from origin.")
  expect(stdout).toContain("2 entries came from 1 clone.")
  expect(await graphIn(team.anna)).toEqual(before)
  expect((await inClone(team.anna, "status")).stdout).toContain("all in the repository's log")
  const again = await inClone(team.anna, "sync", "--restore")
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("Nothing was missing")])
})

test("--restore in a fresh clone brings what the team has; where there is no log it is refused", async () => {
  const none = await inClone(team.bert, "sync", "--restore")
  expect(none.code).toBe(1)
  expect(none.stderr).toContain("Neither the repository nor origin has one.")
  expect(existsSync(join(team.bert, ".hivemind"))).toBe(false)
  await addMem(team.anna, 1)
  await inClone(team.anna, "sync", "--yes")
  await inClone(team.bert, "sync", "--restore")
  expect(await graphIn(team.bert)).toEqual(await graphIn(team.anna))
})

test("outside git there is nothing to sync with, and the text says so", async () => {
  await addMem(box.project, 1)
  for (const args of [["sync"], ["sync", "--restore"], ["sync", "--dry-run"]]) {
    const { code, stderr } = await cli(box, args)
    expect([code, stderr]).toEqual([1, expect.stringContaining("this folder is in none")])
  }
})

test("a remote that is not there, and one that takes nothing, are told in a line; nothing is lost here", async () => {
  await addMem(team.anna, 1)
  const unknown = await inClone(team.anna, "sync", "--remote", "upstream")
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("Use one of: origin.")])
  writeFileSync(join(team.remote, "hooks", "pre-receive"), "#!/bin/sh\necho not for you\nexit 1\n")
  chmodSync(join(team.remote, "hooks", "pre-receive"), 0o755)
  const refused = await inClone(team.anna, "sync", "--yes")
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("does not let you write")])
  rmSync(join(team.remote, "hooks", "pre-receive"))
  expect((await inClone(team.anna, "sync", "--yes")).stdout).toBe("1 entry sent to origin.\n")
})

test("a line of a newer version is told, kept, and does not hold up the rest", async () => {
  await addMem(team.anna, 1)
  await inClone(team.anna, "sync", "--yes")
  const strange = git(team.anna, "rev-parse", `${LOG_REF}^{tree}`)
  const path = git(team.anna, "ls-tree", "-r", "--name-only", strange)
  const content = git(team.anna, "cat-file", "blob", `${strange}:${path}`)
  writeFileSync(
    join(box.root, "lines"),
    `${content}\n${content.replace('{"id"', '{"from":"the future","id"')}\n`,
  )
  const blob = git(team.anna, "hash-object", "-w", join(box.root, "lines"))
  const index = { GIT_INDEX_FILE: join(box.root, "index") }
  for (const [name, value] of Object.entries(index)) vi.stubEnv(name, value)
  git(team.anna, "update-index", "--add", "--cacheinfo", `100644,${blob},${path}`)
  const tree = git(team.anna, "write-tree")
  vi.stubEnv("GIT_INDEX_FILE", undefined)
  const commit = git(team.anna, "commit-tree", tree, "-p", LOG_REF, "-m", "log")
  git(team.anna, "push", "-q", "origin", `${commit}:${LOG_REF}`)
  await addMem(team.bert, 2)
  const { stdout } = await inClone(team.bert, "sync")
  expect(stdout).toContain("1 line of a newer HiveMind cannot be read.")
  expect(stdout).toContain("1 entry came from 1 clone.")
})

test("the real program syncs in a linked worktree, and the whole repository has one log", async () => {
  await addMem(team.anna, 1)
  const linked = join(box.root, "linked")
  git(team.anna, "worktree", "add", "-q", linked)
  const { code, stdout } = await cliProcess({ ...box, project: linked }, ["sync", "--yes"], GIT_ENV)
  expect([code, stdout]).toEqual([0, "1 entry sent to origin.\n"])
  expect(existsSync(join(linked, ".hivemind"))).toBe(false)
})
