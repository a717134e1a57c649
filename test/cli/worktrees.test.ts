import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, expect, test } from "vitest"
import { git, gitRepo, gitStatus } from "../support/git-repo.ts"
import { beginWork, openProcess } from "../support/hive-at-work.ts"
import { fillProject } from "./filled-project.ts"
import { cli, useSandbox } from "./harness.ts"

const INIT = ["init", "--yes", "--plugin", "hivemind-opencode"]

const box = useSandbox()
let linked: string
beforeEach(async () => {
  linked = join(box.root, "linked")
  gitRepo(box.project)
  git(box.project, "worktree", "add", "-q", linked)
})

test("init --team in a linked worktree makes the hive of the repository, the config there; uninstall takes it back", async () => {
  const { stdout } = await cli(box, [...INIT, "--team"], linked)
  expect(stdout).toContain(`plans and memories are in ${box.project}`)
  expect(existsSync(join(box.project, ".hivemind", "graph"))).toBe(true)
  expect([gitStatus(box.project), gitStatus(linked)]).toEqual([[], ["?? opencode.json"]])
  await cli(box, ["uninstall", "--yes"], linked)
  expect(gitStatus(linked)).toEqual([])
})

test("init in a subfolder sets up the repository, not the folder", async () => {
  mkdirSync(join(box.project, "src"))
  await cli(box, INIT, join(box.project, "src"))
  expect(gitStatus(box.project)).toEqual([])
  expect(existsSync(join(box.project, ".hivemind", "graph"))).toBe(true)
})

test("every command sees the same hive from a linked worktree", async () => {
  const { stamp } = await fillProject(box.project)
  for (const args of [
    ["status"],
    ["log"],
    ["context", "pack"],
    ["context"],
    ["sessions", "--drift"],
    ["log", "trace", stamp],
    ["export"],
  ]) {
    const { code, stdout } = await cli(box, [...args, "--json"], linked)
    expect([args[0], code, JSON.parse(stdout).project]).toEqual([args[0], 0, box.project])
  }
  expect(existsSync(join(linked, ".hivemind"))).toBe(false)
  expect(gitStatus(linked)).toEqual([])
})

test("a hive that should not be there can be taken away by naming its folder", async () => {
  await fillProject(box.project)
  await fillProject(linked)
  await cli(box, ["uninstall", "--purge", "--yes"], linked)
  expect([existsSync(join(linked, ".hivemind")), existsSync(join(box.project, ".hivemind"))]).toEqual([
    false,
    true,
  ])
})

test("without a hive in the repository the refusal says so, even below another hive", async () => {
  mkdirSync(join(box.root, ".hivemind", "graph"), { recursive: true })
  const { code, stderr } = await cli(box, ["status"], linked)
  expect(code).toBe(3)
  expect(stderr).toContain("The repository of this folder has no")
})

test("status says which hive it is, whom it is shared with, and of a plan from another branch", async () => {
  await cli(box, INIT)
  const hive = await openProcess(linked)
  await beginWork(hive)
  await hive.store.close()
  const inMain = await cli(box, ["status"])
  expect(inMain.stdout).toMatch(new RegExp(`^HiveMind in ${box.project}\n\n`))
  expect(inMain.stdout).toMatch(/^plan +Auth \(active\), made on branch linked$/m)
  const inLinked = await cli(box, ["status"], linked)
  expect(inLinked.stdout).toContain(`HiveMind in ${box.project}\nshared with worktree ${linked}\n`)
  expect(inLinked.stdout).toMatch(/^plan +Auth \(active\)$/m)
  expect(JSON.parse((await cli(box, ["status", "--json"], linked)).stdout)).toMatchObject({
    project: box.project,
    worktree: linked,
    branch: "linked",
    plan_branch: null,
  })
})
