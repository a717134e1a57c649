import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { openHive } from "../../src/api.ts"
import { keepOutOfGit } from "../../src/store/older-tool.ts"
import { git, gitRepo, gitStatus } from "../support/git-repo.ts"
import { copyOldLayout } from "../support/old-project.ts"
import { tempProject } from "../support/temp-project.ts"

async function saveIn(dir: string, content: string): Promise<string[]> {
  const hive = await openHive(dir)
  await hive.memory.save({ content, kind: "fact" })
  await hive.fold()
  const mems = hive.memory.list().map((mem) => mem.content)
  await hive.close()
  return mems
}

async function folder(): Promise<string> {
  return realpathSync(await tempProject())
}

it("git sees nothing of a hive, in the main worktree and in linked ones, which share it", async () => {
  const root = await folder()
  const repo = gitRepo(join(root, "repo"))
  const linked = join(root, "linked")
  git(repo, "worktree", "add", "-q", linked)
  await saveIn(linked, "from the linked worktree")
  expect((await saveIn(repo, "from the main one")).sort()).toEqual([
    "from the linked worktree",
    "from the main one",
  ])
  expect([gitStatus(repo), gitStatus(linked)]).toEqual([[], []])
  expect(existsSync(join(linked, ".hivemind"))).toBe(false)
  expect(existsSync(join(repo, ".hivemind", ".gitattributes"))).toBe(false)
})

it("git sees nothing of a hive in a bare repository or a submodule", async () => {
  const root = await folder()
  const repo = gitRepo(join(root, "repo"))
  git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", repo, "lib")
  git(repo, "commit", "-q", "-m", "submodule")
  await saveIn(join(repo, "lib"), "in the submodule")
  expect([gitStatus(repo), gitStatus(join(repo, "lib"))]).toEqual([[], []])

  const bare = join(root, "team.git")
  git(root, "clone", "-q", "--bare", repo, bare)
  const linked = join(root, "linked")
  git(bare, "worktree", "add", "-q", linked)
  await saveIn(linked, "beside the bare one")
  expect(gitStatus(linked)).toEqual([])
  expect(existsSync(join(bare, ".hivemind", "graph"))).toBe(true)
  git(bare, "fsck", "--strict")
})

it("a branch switch, a stash and a clean leave the hive alone", async () => {
  const repo = gitRepo(join(await folder(), "repo"))
  await saveIn(repo, "one")
  git(repo, "switch", "-q", "-c", "other")
  writeFileSync(join(repo, "a.txt"), "changed\n")
  git(repo, "stash", "-q", "-u")
  git(repo, "clean", "-fdq")
  git(repo, "switch", "-q", "main")
  expect((await saveIn(repo, "two")).sort()).toEqual(["one", "two"])
})

it("the .gitignore of a tool before HiveMind stays until something is written", async () => {
  const repo = gitRepo(join(await folder(), "repo"))
  copyOldLayout("g3", repo)
  const file = join(repo, ".hivemind", ".gitignore")
  writeFileSync(file, "sessions/\n")
  expect([keepOutOfGit(repo), readFileSync(file, "utf8")]).toEqual([[], "sessions/\n"])
  await saveIn(repo, "one")
  expect([readFileSync(file, "utf8"), gitStatus(repo)]).toEqual(["*\n", []])
})

it("a missing or an old .gitignore that git does not have is put right", async () => {
  const repo = gitRepo(join(await folder(), "repo"))
  await saveIn(repo, "one")
  const file = join(repo, ".hivemind", ".gitignore")
  writeFileSync(file, "system/log/\n")
  expect(gitStatus(repo)).not.toEqual([])
  expect(keepOutOfGit(repo)).toEqual([file])
  expect([readFileSync(file, "utf8"), gitStatus(repo)]).toEqual(["*\n", []])
  expect(keepOutOfGit(repo)).toEqual([])
  writeFileSync(file, "system/log/\n")
  await saveIn(repo, "two")
  expect(gitStatus(repo)).toEqual([])
})

it("a .gitignore that git has is left as it is, so that branches can be switched; each folder is ignored by itself", async () => {
  const repo = join(await folder(), "repo")
  gitRepo(repo, { "a.txt": "a\n" })
  git(repo, "switch", "-q", "-c", "old")
  mkdirSync(join(repo, ".hivemind"))
  writeFileSync(join(repo, ".hivemind", ".gitignore"), "system/log/\n")
  git(repo, "add", "-A")
  git(repo, "commit", "-q", "-m", "committed")
  await saveIn(repo, "on old")
  expect(gitStatus(repo)).toEqual([])
  git(repo, "switch", "-q", "main")
  // Git has removed the file; a running process has not noticed yet.
  expect(gitStatus(repo)).toEqual([])
  expect(await saveIn(repo, "on main")).toHaveLength(2)
  git(repo, "switch", "-q", "old")
})

it("nothing is made where there is no hive", async () => {
  const repo = gitRepo(join(await folder(), "repo"))
  expect(keepOutOfGit(repo)).toEqual([])
  expect(existsSync(join(repo, ".hivemind"))).toBe(false)
})
