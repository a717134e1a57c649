import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it, vi } from "vitest"
import { openHive } from "../../src/api.ts"
import { checkHives, checkInGit, checkLeftovers } from "../../src/cli/doctor/git-checks.ts"
import { keepOutOfGit } from "../../src/hive/git-index.ts"
import { locateHive } from "../../src/hive/locate.ts"
import { openHiveIn } from "../../src/hive/open.ts"
import { TAKE_OUT } from "../../src/project/git/tracked-hive.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { committedHive } from "../../src/turns/committed-hive.ts"
import { git, gitRepo, gitStatus } from "../support/git-repo.ts"
import { tempProject } from "../support/temp-project.ts"

const fixture = fileURLToPath(new URL("../fixtures/hive-0.1/hivemind", import.meta.url))
const OLD_GITIGNORE =
  "system/log/\nsystem/install.json\nstate/brain.json\nstate/injected/\ngraph/.lock*\ngraph/orphans.json\n"

/** A repository where version 0.1's folder was committed on the branch `old` (and `older`), and not on `main`. */
async function committedRepo(): Promise<string> {
  const repo = gitRepo(join(realpathSync(await tempProject()), "repo"))
  git(repo, "switch", "-q", "-c", "old")
  cpSync(fixture, join(repo, ".hivemind"), { recursive: true })
  mkdirSync(join(repo, ".hivemind", "system"), { recursive: true })
  writeFileSync(join(repo, ".hivemind", "system", "manifest.json"), '{"format":1}\n')
  writeFileSync(join(repo, ".hivemind", ".gitignore"), OLD_GITIGNORE)
  git(repo, "add", "-A")
  git(repo, "commit", "-q", "-m", "the hive of 0.1")
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

describe("a hive that was committed by version 0.1", () => {
  it("works on, blocks no switch of branches, and is the same on each of them", async () => {
    const repo = await committedRepo()
    const first = await saveIn(repo, "on old")
    git(repo, "switch", "-q", "main")
    const second = await saveIn(repo, "on main")
    expect(gitStatus(repo)).toEqual([])
    git(repo, "switch", "-q", "older")
    expect(existsSync(join(repo, ".hivemind", "graph", "plans.json"))).toBe(true)
    const third = await saveIn(repo, "on older")
    git(repo, "switch", "-q", "main")
    const fourth = await saveIn(repo, "on main again")
    expect(first.mems).toContain("on old")
    expect(fourth.mems).toEqual([...first.mems, "on main", "on main again", "on older"].sort())
    expect([second.log, third.log, fourth.log]).toEqual([first.log + 1, first.log + 2, first.log + 3])
    for (const { differ } of [second, third, fourth]) expect(differ).toEqual(first.differ)
  })

  it("once taken out it is out: git sees nothing, and old branches come and go", async () => {
    const repo = await committedRepo()
    const before = await saveIn(repo, "before")
    takeOut(repo)
    await saveIn(repo, "after")
    expect(gitStatus(repo)).toEqual([])
    expect(readFileSync(join(repo, ".hivemind", ".gitignore"), "utf8")).toBe("*\n")
    for (let round = 1; round <= 2; round++) {
      git(repo, "switch", "-q", "older")
      await saveIn(repo, `on older ${round}`)
      git(repo, "switch", "-q", "old")
    }
    const { mems, differ } = await saveIn(repo, "at last")
    expect(mems).toEqual([...before.mems, "after", "at last", "on older 1", "on older 2"].sort())
    expect(differ).toEqual(before.differ)
    expect(gitStatus(repo)).toEqual([])
  })

  it("a hive that was never upgraded is not mixed with what an old branch brings", async () => {
    const repo = await committedRepo()
    git(repo, "switch", "-q", "main")
    // As in a fresh clone: without what version 0.1 kept from git.
    rmSync(join(repo, ".hivemind"), { recursive: true })
    const { log } = await saveIn(repo, "mine")
    git(repo, "switch", "-q", "old")
    const found = await saveIn(repo, "mine too")
    expect(found).toEqual({ mems: ["mine", "mine too"], log: log + 1, differ: [] })
  })

  it("doctor tells of it, and of what a teammate with version 0.1 has added", async () => {
    const repo = await committedRepo()
    await saveIn(repo, "upgraded")
    takeOut(repo)
    // What a session does at its start: git would not overwrite an old .gitignore that it does not have any more.
    keepOutOfGit(repo)
    git(repo, "switch", "-q", "older")
    const { hive } = await openHiveIn(repo, {
      source: systemSource,
      userConfig: null,
      options: { name: "t", value: {} },
    })
    expect(await checkInGit(locateHive(repo))).toMatchObject({
      level: "warning",
      found: [expect.stringMatching(/^has \d+ files of \.hivemind\/ on the present branch in /)],
      mend: expect.stringContaining(TAKE_OUT),
    })
    expect(await checkLeftovers(repo, hive.store)).toMatchObject({
      level: "ok",
      found: [expect.stringContaining("of version 0.1 back")],
    })

    const file = join(repo, ".hivemind", "graph", "plans.json")
    const plans = JSON.parse(readFileSync(file, "utf8"))
    const [plan] = plans.plans
    const added = {
      ...plan,
      id: "11111111-0000-4000-8000-000000000001",
      title: "A plan of theirs",
      depends_on: [],
    }
    const changed = { ...plan, title: "Renamed by them", updated_at: "2099-01-01T00:00:00.000Z" }
    writeFileSync(file, JSON.stringify({ ...plans, plans: [changed, ...plans.plans.slice(1), added] }))
    expect(await checkLeftovers(repo, hive.store)).toMatchObject({
      level: "warning",
      found: [
        expect.stringContaining("2 records in them are not in the hive, or older in it"),
        'plan "Renamed by them"',
        'plan "A plan of theirs"',
      ],
    })
    // Told, not taken over.
    expect([...hive.store.read().state.plan.values()].map(({ title }) => title)).not.toContain(
      "A plan of theirs",
    )
    await hive.store.close()
  })

  it("a toast tells how to take it out, once a session, not to subagents, and not where git has nothing", async () => {
    const repo = await committedRepo()
    const { hive } = await openHiveIn(repo, {
      source: systemSource,
      userConfig: null,
      options: { name: "t", value: {} },
    })
    const toast = vi.fn(async (_: string) => {})
    const tell = committedHive({ hive: async () => hive, log: vi.fn(), toast })
    for (const session of ["ses_1", "ses_1", "ses_2"]) await tell(session)
    expect(toast.mock.calls.map(([text]) => text)).toEqual([
      expect.stringContaining(TAKE_OUT),
      expect.stringContaining(TAKE_OUT),
    ])
    const [child] = [...hive.store.read().state.session.values()].filter(
      ({ parent_host_id }) => parent_host_id !== null,
    )
    await tell(child?.host_id ?? "none")
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
