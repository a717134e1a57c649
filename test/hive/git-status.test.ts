import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { openHive } from "../../src/api.ts"
import { checkHives, checkInGit } from "../../src/cli/doctor/project-checks.ts"
import { locateHive } from "../../src/hive/locate.ts"
import { TAKE_OUT } from "../../src/project/git/git.ts"
import { keepOutOfGit } from "../../src/store/older-tool.ts"
import { warnIfTracked } from "../../src/turns/turn-end.ts"
import { bareWithLinked, git, gitRepo, gitStatus, repoWithLinked } from "../support/git-repo.ts"
import { openProcess } from "../support/hive-at-work.ts"
import { copyOldLayout } from "../support/old-project.ts"
import { tempProject } from "../support/temp-project.ts"

async function saveIn(dir: string, content: string): Promise<string[]> {
  const hive = await openHive(dir)
  try {
    await hive.memory.save({ content, kind: "fact" })
    await hive.fold()
    return hive.memory.list().map((mem) => mem.content)
  } finally {
    await hive.close()
  }
}

const folder = async (): Promise<string> => realpathSync(await tempProject())

it("git sees nothing of a hive, in the main worktree and in linked ones, which share it", async () => {
  const { repo, linked } = repoWithLinked(await folder())
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

  const { bare, linked } = bareWithLinked(root, repo)
  await saveIn(linked, "beside the bare one")
  expect(gitStatus(linked)).toEqual([])
  expect(existsSync(join(bare, ".hivemind", "graph"))).toBe(true)
  git(bare, "fsck", "--strict")
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

it("repairs a missing or old .gitignore that git does not track", async () => {
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
  // Git has deleted the file. A process that is already running still has its content in memory.
  expect(gitStatus(repo)).toEqual([])
  expect(await saveIn(repo, "on main")).toHaveLength(2)
  git(repo, "switch", "-q", "old")
})

it("creates nothing if there is no hive", async () => {
  const repo = gitRepo(join(await folder(), "repo"))
  expect(keepOutOfGit(repo)).toEqual([])
  expect(existsSync(join(repo, ".hivemind"))).toBe(false)
})

async function committedRepo(): Promise<string> {
  const repo = gitRepo(join(await folder(), "repo"))
  git(repo, "switch", "-q", "-c", "old")
  await saveIn(repo, "committed")
  git(repo, "add", "-A", "--force")
  git(repo, "commit", "-q", "-m", "the hive")
  git(repo, "branch", "older")
  return repo
}

function takeOut(repo: string): void {
  for (const command of TAKE_OUT.split(" && ")) {
    const [, ...args] = command.match(/"[^"]*"|\S+/g) ?? []
    git(repo, ...args.map((arg) => arg.replaceAll('"', "")))
  }
}

describe("a hive that was committed", () => {
  it("is only read: a save in a clone of it is refused with the way out", async () => {
    const clone = join(await committedRepo(), "..", "clone")
    git(tmpdir(), "clone", "-q", "-b", "old", join(clone, "..", "repo"), clone)
    await expect(saveIn(clone, "after the clone")).rejects.toMatchObject({
      code: "not_writable",
      use_instead: expect.stringContaining(TAKE_OUT),
    })
    expect(gitStatus(clone)).toEqual([])
    takeOut(clone)
    expect((await saveIn(clone, "after the clone")).sort()).toEqual(["after the clone", "committed"])
    expect(gitStatus(clone)).toEqual([])
  })

  it("doctor says how to take it out, and once that is done git sees nothing of it", async () => {
    const repo = await committedRepo()
    expect(await checkInGit(locateHive(repo))).toMatchObject({
      level: "warning",
      found: [expect.stringMatching(/^tracks \d+ files in \.hivemind\/ on the current branch in /)],
      mend: expect.stringContaining(TAKE_OUT),
    })
    takeOut(repo)
    expect((await saveIn(repo, "after")).sort()).toEqual(["after", "committed"])
    expect(gitStatus(repo)).toEqual([])
    expect(await checkInGit(locateHive(repo))).toMatchObject({ level: "ok" })
  })

  it("a toast says how to remove it from git, once per session, and only if git tracks it", async () => {
    const repo = await committedRepo()
    const hive = await openProcess(repo)
    const toast = vi.fn(async (_: string) => {})
    const tell = warnIfTracked({ hive: async () => hive, log: vi.fn(), toast })
    for (const session of ["ses_1", "ses_1", "ses_2"]) await tell(session)
    expect(toast.mock.calls.map(([text]) => text)).toEqual([
      expect.stringContaining(TAKE_OUT),
      expect.stringContaining(TAKE_OUT),
    ])
    takeOut(repo)
    await tell("ses_3")
    expect(toast).toHaveBeenCalledTimes(2)
    await hive.store.close()
  })
})

it("doctor warns of two hives that should be one, also where git has brought one", async () => {
  const repo = await committedRepo()
  git(repo, "switch", "-q", "main")
  await saveIn(repo, "in main")
  expect(await checkHives(locateHive(repo))).toMatchObject({ level: "ok" })
  const linked = join(repo, "..", "linked")
  git(repo, "worktree", "add", "-q", linked, "older")
  const sub = join(repo, "packages", "one")
  mkdirSync(join(sub, ".hivemind", "graph"), { recursive: true })
  expect(await checkHives(locateHive(sub))).toMatchObject({
    level: "warning",
    found: [expect.stringContaining(`is in ${repo};`), sub, `${realpathSync(linked)} (tracked by git)`],
    mend: expect.stringContaining(TAKE_OUT),
  })
})
