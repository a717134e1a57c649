import { mkdirSync, realpathSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { openHive } from "../../src/api.ts"
import { checkHives, checkInGit } from "../../src/cli/doctor/project-checks.ts"
import { locateHive } from "../../src/hive/locate.ts"
import { openHiveIn } from "../../src/hive/open.ts"
import { TAKE_OUT } from "../../src/project/git/git.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { warnIfTracked } from "../../src/turns/turn-end.ts"
import { git, gitRepo, gitStatus } from "../support/git-repo.ts"
import { tempProject } from "../support/temp-project.ts"

/** A repository where a hive was committed on the branch `old` (and `older`), and not on `main`. */
async function committedRepo(): Promise<string> {
  const repo = gitRepo(join(realpathSync(await tempProject()), "repo"))
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

/** Saves a mem and returns the contents of all; and how long the log is. */
async function saveIn(
  dir: string,
  content: string,
): Promise<{ mems: string[]; log: number; differ: unknown[] }> {
  const { hive } = await openHiveIn(dir, {
    source: systemSource,
    userConfig: null,
    options: { name: "t", value: {} },
  })
  const api = await openHive(dir)
  await api.memory.save({ content, kind: "fact" })
  const found = {
    mems: [...hive.store.read().state.mem.values()].map((mem) => mem.content).sort(),
    log: (await hive.store.log()).length,
    differ: await hive.store.compareWithLog(),
  }
  await Promise.all([hive.store.close(), api.close()])
  return found
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
    const { mems, differ } = await saveIn(clone, "after the clone")
    expect(mems).toEqual(["after the clone", "committed"])
    expect(differ).toEqual([])
    expect(gitStatus(clone)).toEqual([])
  })

  it("doctor says how to take it out, and once that is done git sees nothing of it", async () => {
    const repo = await committedRepo()
    expect(await checkInGit(locateHive(repo))).toMatchObject({
      level: "warning",
      found: [expect.stringMatching(/^has \d+ files of \.hivemind\/ on the present branch in /)],
      mend: expect.stringContaining(TAKE_OUT),
    })
    takeOut(repo)
    const { mems } = await saveIn(repo, "after")
    expect(mems).toEqual(["after", "committed"])
    expect(gitStatus(repo)).toEqual([])
    expect(await checkInGit(locateHive(repo))).toMatchObject({ level: "ok" })
  })

  it("a toast tells how to take it out, once a session, and not where git has nothing", async () => {
    const repo = await committedRepo()
    const { hive } = await openHiveIn(repo, {
      source: systemSource,
      userConfig: null,
      options: { name: "t", value: {} },
    })
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
    found: [
      expect.stringContaining(`is in ${repo};`),
      sub,
      `${realpathSync(linked)} (git has it on the branch there)`,
    ],
    mend: expect.stringContaining(TAKE_OUT),
  })
})
