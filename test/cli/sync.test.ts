import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { LOG_REF } from "../../src/sync/ref.ts"
import { sharedGraph } from "../support/clones.ts"
import { GIT_ENV, git } from "../support/git-repo.ts"
import { aMem, by, uuid } from "../support/records.ts"
import { makeTeam } from "../support/team.ts"
import { addMem, everyFile, withStore } from "./filled-project.ts"
import { cli, cliInTerminal, cliJson, cliProcess, hasTerminal, shown, useSandbox } from "./harness.ts"

const box = useSandbox(({ root }) => makeTeam(root))
const anna = (args: string) => shown(box, args, box.anna)
const bert = (args: string) => shown(box, args, box.bert)
const graphIn = (dir: string) => withStore(dir, async (store) => sharedGraph(store))
const shared = (dir: string) => git(dir, "rev-parse", LOG_REF)

test("the first push needs consent: without a terminal everything else is done, and the text says how to consent", async () => {
  await addMem(box.anna, 1)
  const refused = await cli(box, "sync", box.anna)
  expect(refused.code).toBe(1)
  expect(refused.stdout).toContain("origin has no log yet")
  expect(refused.stdout).toContain("`hivemind sync --yes` sends it")
  expect(shared(box.anna)).toMatch(/^[0-9a-f]{40}$/)
  expect(git(box.remote, "for-each-ref", "refs/hivemind")).toBe("")
  expect(await anna("sync --yes")).toBe("1 entry sent to origin.\n")
  expect(shared(box.remote)).toBe(shared(box.anna))
})

test.skipIf(!hasTerminal)(
  "in a terminal the first push is asked for: no keeps the log here, yes sends it once and for all",
  async () => {
    await addMem(box.anna, 1)
    const answering = (key: string) =>
      cliInTerminal({ home: box.home, project: box.anna }, ["sync"], [["can read it.", key]], GIT_ENV)
    const { code, screen } = await answering("n")
    expect(screen).toContain("Send the log (1 entry) to origin for the first time?")
    expect(screen).toContain("All users with access to origin can read it.")
    expect(screen).toContain("`hivemind sync --yes` sends it")
    expect(code).toBe(1)
    expect(git(box.remote, "for-each-ref", "refs/hivemind")).toBe("")
    const sent = await answering("y")
    expect([sent.code, sent.screen]).toEqual([0, expect.stringContaining("1 entry sent to origin.")])
    expect(shared(box.remote)).toBe(shared(box.anna))
    const again = await answering("n")
    expect([again.code, again.screen.includes("for the first time?")]).toEqual([0, false])
  },
)

test("entries of one clone arrive in the other; --no-push sends nothing", async () => {
  await addMem(box.anna, 1)
  await addMem(box.anna, 2)
  await anna("sync --yes")
  await addMem(box.bert, 3)
  const before = shared(box.remote)
  expect(await bert("sync --no-push")).toBe("2 entries came from 1 clone.\n")
  expect(shared(box.remote)).toBe(before)
  const report = { remote: "origin", push: "pushed", sent: 1, brought: 0, conflicts: [] }
  expect(JSON.parse(await bert("sync --json"))).toMatchObject(report)
  expect(await anna("sync")).toBe("1 entry came from 1 clone.\n")
  expect(await graphIn(box.anna)).toEqual(await graphIn(box.bert))
  expect(await anna("sync")).toBe("Nothing new here or at origin.\n")
  expect(git(box.anna, "status", "--porcelain")).toBe("")
})

test("a mem edited in both clones is a conflict until somebody chooses; until then the newest is shown first", async () => {
  await addMem(box.anna, 1)
  await anna("sync --yes")
  await bert("sync --restore")
  await shown(box, ["memory", uuid(1), "--edit", "Deploy on Mondays"], box.anna)
  await shown(box, ["memory", uuid(1), "--edit", "Deploy on Fridays"], box.bert)
  await anna("sync")
  expect(await bert("sync")).toContain("1 conflict: settle with `hivemind sync conflicts`.")
  expect(await anna("sync")).toContain("1 conflict: settle with `hivemind sync conflicts`.")
  for (const each of [anna, bert]) {
    expect(await each("status")).toContain("conflicts  1 to settle")
    expect(await each("memory")).toMatch(/Fridays(.|\n)*Mondays/)
    expect(await each("recall deploy")).toMatch(/Fridays(.|\n)*Mondays/)
    const shownConflict = await each("sync conflicts")
    expect(shownConflict).toContain('mem "Deploy on Fridays": two clones replaced one mem')
    expect(shownConflict).toMatch(/current: .*Fridays.*\n +other: .*Mondays/)
  }
  const { conflicts } = await cliJson(box, "sync conflicts", box.anna)
  const settled = await anna(`sync conflicts settle ${conflicts[0].id} --take lost`)
  expect(settled).toMatch(/^Settled: mem .*Mondays.*\nNo more conflicts\.\n$/)
  await anna("sync")
  await bert("sync")
  for (const each of [anna, bert]) {
    expect(await each("sync conflicts")).toBe("No conflicts.\n")
    expect(await each("memory")).not.toContain("Fridays")
  }
})

test("without a remote the log is kept in the repository, and one line says so", async () => {
  git(box.anna, "remote", "remove", "origin")
  await addMem(box.anna, 1)
  expect(await anna("sync")).toBe(
    "No remote: the log is kept in this repository only.\n1 entry saved in the repository's log.\n",
  )
})

test("--dry-run says what would be sent and received, per clone, and writes nothing", async () => {
  await withStore(box.anna, async (store) => {
    for (let n = 1; n <= 12; n++) await store.append(by, (tx) => tx.add("mem", aMem(n)))
  })
  await anna("sync --yes")
  await addMem(box.bert, 100)
  const files = await everyFile(join(box.bert, ".hivemind"))
  const stdout = await bert("sync --dry-run")
  expect(stdout).toMatch(/^1 entry would be sent to origin:\n {2}clone \w{8}: 1 entry\n/)
  expect(stdout).toContain('+ mem "Mem 100"')
  expect(stdout).toMatch(/12 entries would be received:\n {2}clone \w{8}: 12 entries\n/)
  expect(stdout).toContain('+ mem "Mem 10"')
  expect(stdout).not.toContain('"Mem 11"')
  expect(stdout).toContain("    and 2 more\n")
  expect(await everyFile(join(box.bert, ".hivemind"))).toEqual(files)
  const refs = git(box.bert, "for-each-ref", "--format=%(refname)", "refs/hivemind")
  expect(refs).toBe("refs/hivemind/remotes/origin")
})

test("--restore restores a deleted hive, also from the local repository if the remote cannot be reached", async () => {
  await addMem(box.anna, 1)
  await addMem(box.anna, 2)
  await anna("sync --yes")
  const before = await graphIn(box.anna)
  rmSync(join(box.anna, ".hivemind"), { recursive: true })
  rmSync(box.remote, { recursive: true })
  for (const args of ["sync", "status"]) {
    const { code, stderr } = await cli(box, args, box.anna)
    expect([code, stderr]).toEqual([3, expect.stringContaining("hivemind sync --restore")])
  }
  const stdout = await anna("sync --restore")
  expect(stdout).toContain("Restored .hivemind/")
  expect(stdout).toContain("The remote could not be read. Could not fetch from origin.")
  expect(stdout).toContain("2 entries came from 1 clone.")
  expect(await graphIn(box.anna)).toEqual(before)
  expect(await anna("status")).toContain("all entries in the repository's log")
  expect(await anna("sync --restore")).toContain("already has everything")
})

test("--restore in a fresh clone is refused if there is no shared log", async () => {
  const none = await cli(box, "sync --restore", box.bert)
  expect(none).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("Neither the repository nor origin has one."),
  })
  expect(existsSync(join(box.bert, ".hivemind"))).toBe(false)
})

test("says that sync needs git", async () => {
  await addMem(box.project, 1)
  for (const args of ["sync", "sync --restore", "sync --dry-run"]) {
    const { code, stderr } = await cli(box, args)
    expect([code, stderr]).toEqual([1, expect.stringContaining("this folder is not in one")])
  }
})

test("an unknown remote is refused with a list of the existing ones", async () => {
  await addMem(box.anna, 1)
  const { code, stderr } = await cli(box, "sync --remote upstream", box.anna)
  expect([code, stderr]).toEqual([1, expect.stringContaining("Use one of: origin.")])
})

test("the real program syncs in a linked worktree, and the whole repository has one log", async () => {
  await addMem(box.anna, 1)
  const linked = join(box.root, "linked")
  git(box.anna, "worktree", "add", "-q", linked)
  const { code, stdout } = await cliProcess({ ...box, project: linked }, "sync --yes", GIT_ENV)
  expect([code, stdout]).toEqual([0, "1 entry sent to origin.\n"])
  expect(existsSync(join(linked, ".hivemind"))).toBe(false)
})
