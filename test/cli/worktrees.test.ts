import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { git, gitRepo, gitStatus } from "../support/git-repo.ts"
import { beginWork, openProcess } from "../support/hive-at-work.ts"
import { fillProject } from "./filled-project.ts"
import { cli, cliJson, shown, useSandbox } from "./harness.ts"

const INIT = "init --yes --plugin hivemind-opencode"

const box = useSandbox(({ root, project }) => {
  const linked = join(root, "linked")
  git(gitRepo(project), "worktree", "add", "-q", linked)
  return { linked }
})
const hasHive = (dir: string) => existsSync(join(dir, ".hivemind"))

test("init --team in a linked worktree makes the hive of the repository, the config there; uninstall takes it back", async () => {
  const stdout = await shown(box, `${INIT} --team`, box.linked)
  expect(stdout).toContain(`plans and memories are in ${box.project}`)
  expect(hasHive(box.project)).toBe(true)
  expect([gitStatus(box.project), gitStatus(box.linked)]).toEqual([[], ["?? opencode.json"]])
  await cli(box, "uninstall --yes", box.linked)
  expect(gitStatus(box.linked)).toEqual([])
})

test("init in a subfolder sets up the repository, not the folder", async () => {
  mkdirSync(join(box.project, "src"))
  await cli(box, INIT, join(box.project, "src"))
  expect([hasHive(box.project), hasHive(join(box.project, "src"))]).toEqual([true, false])
  expect(gitStatus(box.project)).toEqual([])
})

test("every command sees the same hive from a linked worktree", async () => {
  const { stamp } = await fillProject(box.project)
  const reading = ["status", "log", "context pack", "context", "sessions --drift", `log trace ${stamp}`]
  for (const args of [...reading, "export"])
    expect(await cliJson(box, args, box.linked), args).toMatchObject({ project: box.project })
  expect(hasHive(box.linked)).toBe(false)
  expect(gitStatus(box.linked)).toEqual([])
})

test("an unwanted hive can be removed by naming its folder", async () => {
  await fillProject(box.project)
  await fillProject(box.linked)
  await cli(box, "uninstall --purge --yes", box.linked)
  expect([hasHive(box.linked), hasHive(box.project)]).toEqual([false, true])
})

test("uninstall --purge names the other worktrees that lose the hive, before it asks and in --json", async () => {
  await cli(box, INIT)
  const asked = await cli(box, "uninstall --purge", box.linked)
  expect([asked.code, asked.stderr]).toEqual([
    2,
    expect.stringMatching(/^Note: all worktrees .*Pass `--yes`/s),
  ])
  expect(asked.stderr).toContain(box.project)
  expect(asked.stderr).not.toContain(box.linked)
  expect(hasHive(box.project)).toBe(true)
  expect((await cliJson(box, "uninstall --purge --yes", box.linked)).worktrees).toEqual([box.project])
  // A hive of one worktree alone is shared with none.
  await fillProject(box.linked)
  expect((await cliJson(box, "uninstall --purge --yes", box.linked)).worktrees).toEqual([])
})

test("without a hive in the repository the refusal says so, even below another hive", async () => {
  mkdirSync(join(box.root, ".hivemind", "graph"), { recursive: true })
  const { code, stderr } = await cli(box, "status", box.linked)
  expect([code, stderr]).toEqual([3, expect.stringContaining("The repository of this folder has no")])
})

test("status says which hive it is, whom it is shared with, and of a plan from another branch", async () => {
  await cli(box, INIT)
  const hive = await openProcess(box.linked)
  await beginWork(hive)
  await hive.store.close()
  const inMain = await shown(box, "status")
  expect(inMain).toMatch(new RegExp(`^HiveMind in ${box.project}\n\n`))
  expect(inMain).toMatch(/^plan +Auth \(active\), made on branch linked$/m)
  const inLinked = await shown(box, "status", box.linked)
  expect(inLinked).toContain(`HiveMind in ${box.project}\nshared with worktree ${box.linked}\n`)
  expect(inLinked).toMatch(/^plan +Auth \(active\)$/m)
  const place = { project: box.project, worktree: box.linked, branch: "linked", plan_branch: null }
  expect(await cliJson(box, "status", box.linked)).toMatchObject(place)
})
