import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import fc from "fast-check"
import { parse } from "jsonc-parser"
import { beforeEach, describe, expect, test } from "vitest"
import { git, gitRepo, gitStatus } from "../support/git-repo.ts"
import { fakeOpencode } from "./fake-opencode.ts"
import { cli, useSandbox } from "./harness.ts"
import { jsoncConfig } from "./install/jsonc-config.ts"

const NAME = "hivemind-opencode"
const INIT = ["init", "--yes", "--plugin", NAME]
const UNINSTALL = ["uninstall", "--yes"]
const INACTIVE = "OpenCode does not load HiveMind in this folder. Run `hivemind init` here"

const box = useSandbox()
let other: string
let user: string
beforeEach(async () => {
  other = join(box.root, "other")
  mkdirSync(other)
  user = join(box.home, ".config", "opencode", "opencode.json")
  gitRepo(box.project)
  gitRepo(other)
})

const run = (args: string[], at = box.project) => cli(box, args, at)
const entries = () => parse(readFileSync(user, "utf8")).plugin
const status = async (at = box.project) => (await run(["status"], at)).stdout
const putUser = (text: string) => {
  mkdirSync(dirname(user), { recursive: true })
  writeFileSync(user, text)
}

test("init adds the plugin to the user's own config, for this project only, and git sees nothing of it", async () => {
  const { code, stdout } = await run(INIT)
  expect(code).toBe(0)
  expect(stdout).toContain(`${user}: made, with the plugin for this project`)
  expect(entries()).toEqual([[NAME, { only_in: [box.project] }]])
  expect(gitStatus(box.project)).toEqual([])
  expect((await run(INIT)).stdout).toContain("Nothing to do")
})

test("worktrees, stash -u, clean -fd and a branch switch leave it active", async () => {
  await run(INIT)
  const linked = join(box.root, "linked")
  git(box.project, "worktree", "add", "-q", linked)
  expect(await status(linked)).not.toContain(INACTIVE)
  writeFileSync(join(box.project, "new.txt"), "x")
  git(box.project, "stash", "-u")
  git(box.project, "clean", "-fdq")
  git(box.project, "switch", "-qc", "topic")
  expect(await status()).not.toContain(INACTIVE)
  expect(await status(join(box.project, ".hivemind"))).not.toContain(INACTIVE)
})

test("status and doctor say at the top where it is not active, and the command that they name mends it", async () => {
  await run([...INIT, "--team"])
  expect(await status()).not.toContain(INACTIVE)
  git(box.project, "clean", "-fdq")
  const env = await fakeOpencode(join(box.root, "bin"))
  const doctor = () => cli(box, ["doctor", "--no-start"], box.project, env)
  for (const shown of [await status(), (await doctor()).stdout])
    expect(shown.split("\n")[1]).toContain(INACTIVE)
  expect(JSON.parse((await run(["status", "--json"])).stdout).inactive).toContain(INACTIVE)
  await run(INIT)
  for (const shown of [await status(), (await doctor()).stdout]) expect(shown).not.toContain(INACTIVE)
})

test("an entry for another project, or a project that has moved, is told as not active", async () => {
  await run(INIT)
  await run([...INIT, "--mcp", "claude"], other)
  expect(await status(other)).not.toContain(INACTIVE)
  rmSync(join(other, ".mcp.json"))
  expect(await status(other)).toContain(INACTIVE)
  const moved = join(box.root, "moved")
  renameSync(box.project, moved)
  expect(await status(moved)).toContain(INACTIVE)
  expect((await run(UNINSTALL, moved)).stdout).toContain(`deleted files made by init: ${user}`)
  expect(existsSync(user)).toBe(false)
})

describe("two projects", () => {
  const MINE = '{\n  // mine\n  "model": "a/b"\n}\n'

  test.each([
    ["the first leaves first", 0],
    ["the last leaves first", 1],
  ])("share the entry, and when both have left the config is as it was: %s", async (_, leaves) => {
    for (const before of [undefined, MINE, '{"plugin": ["x"]}\n']) {
      if (before !== undefined) putUser(before)
      await run(INIT)
      await run(INIT, other)
      const [first = "", second = ""] = leaves === 0 ? [box.project, other] : [other, box.project]
      expect(entries().at(-1)).toEqual([NAME, { only_in: [box.project, other] }])
      expect((await run(UNINSTALL, first)).code).toBe(0)
      expect(entries().at(-1)).toEqual([NAME, { only_in: [second] }])
      expect(await status(second)).not.toContain(INACTIVE)
      expect((await run(UNINSTALL, second)).code).toBe(0)
      expect(existsSync(user) ? readFileSync(user, "utf8") : undefined).toBe(before)
    }
  })

  test("--global makes it one for all, and uninstall --global takes it out for all", async () => {
    putUser(MINE)
    await run(INIT)
    await run(INIT, other)
    await run([...INIT, "--global"])
    expect(onlyEntry()).toEqual([NAME, {}])
    expect((await run(UNINSTALL, other)).stdout).toContain("`hivemind uninstall --global` takes it out there")
    await run([...UNINSTALL, "--global"])
    expect(parse(readFileSync(user, "utf8"))).toEqual({ model: "a/b" })
  })

  const onlyEntry = () => entries()[0]
})

test("uninstall restores the bytes of the user's config, for any content", async () => {
  await fc.assert(
    fc.asyncProperty(jsoncConfig(), async (text) => {
      putUser(text)
      expect((await run(INIT)).code).toBe(0)
      expect(readFileSync(user, "utf8")).not.toBe(text)
      await run(UNINSTALL)
      expect(readFileSync(user, "utf8")).toBe(text)
    }),
    { numRuns: 40, seed: 1 },
  )
})

test("--panel shows it in this project's sidebar only, and uninstall takes it out", async () => {
  await run([...INIT, "--panel"])
  const tui = join(box.home, ".config", "opencode", "tui.json")
  expect(parse(readFileSync(tui, "utf8")).plugin).toEqual([[NAME, { only_in: [box.project] }]])
  await run(UNINSTALL)
  expect(await readdir(box.home)).toEqual([])
})

describe("--team", () => {
  test("writes an entry that can be committed, and a clone needs no more", async () => {
    await run([...INIT, "--team"])
    expect(gitStatus(box.project)).toEqual(["?? opencode.json"])
    git(box.project, "add", "opencode.json")
    git(box.project, "commit", "-qm", "HiveMind for all")
    const clone = join(box.root, "clone")
    git(box.root, "clone", "-q", box.project, clone)
    expect(await status(clone)).not.toContain(INACTIVE)
    expect((await run(INIT, clone)).stdout).toContain("opencode.json: has it already")
    expect(existsSync(user)).toBe(false)
  })

  test("refuses a path of this machine, and says what to do", async () => {
    const { code, stderr } = await run(["init", "--yes", "--team"])
    expect(code).toBe(2)
    expect(stderr).toContain("Install hivemind-opencode in the project")
    expect(gitStatus(box.project)).toEqual([])
    expect(existsSync(join(box.project, ".hivemind"))).toBe(false)
  })

  test("an entry that git does not track is told of", async () => {
    await run([...INIT, "--team"])
    expect((await run(INIT)).stdout).toContain("git does not track opencode.json")
  })
})
