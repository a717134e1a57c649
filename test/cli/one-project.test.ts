import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { parse } from "jsonc-parser"
import { describe, expect, test } from "vitest"
import { git, gitRepo, gitStatus } from "../support/git-repo.ts"
import { fakeOpencode } from "./fake-opencode.ts"
import { cli, cliJson, shown, useSandbox } from "./harness.ts"

const NAME = "hivemind-opencode"
const INIT = `init --yes --plugin ${NAME}`
const UNINSTALL = "uninstall --yes"
const INACTIVE = "OpenCode does not load HiveMind in this folder. Run `hivemind init` here"

const box = useSandbox(({ root, home, project }) => {
  gitRepo(project)
  return { other: gitRepo(join(root, "other")), user: join(home, ".config", "opencode", "opencode.json") }
})
const run = (args: string, at = box.project) => cli(box, args, at)
const entries = () => parse(readFileSync(box.user, "utf8")).plugin
const status = (at = box.project) => shown(box, "status", at)

test("init adds the plugin and the panel to the user's config for this project only, and git sees no change", async () => {
  const added = await shown(box, `${INIT} --panel`)
  expect(added).toContain(`${box.user}: created, with the plugin for this project`)
  expect(entries()).toEqual([[NAME, { only_in: [box.project] }]])
  const panels = parse(readFileSync(box.user.replace("opencode.json", "tui.json"), "utf8")).plugin
  expect(panels).toEqual(entries())
  expect(gitStatus(box.project)).toEqual([])
  expect(await shown(box, INIT)).toContain("Nothing to do")
  await run(UNINSTALL)
  expect(await readdir(box.home)).toEqual([])
})

test("stays active in worktrees and after stash -u, clean -fd and a branch switch", async () => {
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

test("status and doctor say first if HiveMind is not active, and the command that they name repairs it", async () => {
  await run(`${INIT} --team`)
  expect(await status()).not.toContain(INACTIVE)
  git(box.project, "clean", "-fdq")
  const env = await fakeOpencode(join(box.root, "bin"))
  const doctor = async () => (await cli(box, "doctor --no-start", box.project, env)).stdout
  for (const text of [await status(), await doctor()]) expect(text.split("\n")[1]).toContain(INACTIVE)
  expect((await cliJson(box, "status")).inactive).toContain(INACTIVE)
  await run(INIT)
  for (const text of [await status(), await doctor()]) expect(text).not.toContain(INACTIVE)
})

test("reports HiveMind as not active if the entry is for another project or the project has moved", async () => {
  await run(INIT)
  await run(`${INIT} --mcp claude`, box.other)
  expect(await status(box.other)).not.toContain(INACTIVE)
  rmSync(join(box.other, ".mcp.json"))
  expect(await status(box.other)).toContain(INACTIVE)
  const moved = join(box.root, "moved")
  renameSync(box.project, moved)
  expect(await status(moved)).toContain(INACTIVE)
  expect((await run(UNINSTALL, moved)).stdout).toContain(`deleted files made by init: ${box.user}`)
  expect(existsSync(box.user)).toBe(false)
})

describe("two projects", () => {
  const MINE = '{\n  // mine\n  "model": "a/b"\n}\n'
  const putUser = (text: string) => {
    mkdirSync(dirname(box.user), { recursive: true })
    writeFileSync(box.user, text)
  }

  test.each([
    ["the first leaves first", 0],
    ["the last leaves first", 1],
  ])(
    "share one config entry, and the config is restored when both have uninstalled: %s",
    async (_, leaves) => {
      for (const before of [undefined, MINE, '{"plugin": ["x"]}\n']) {
        if (before !== undefined) putUser(before)
        await run(INIT)
        await run(INIT, box.other)
        const [first = "", second = ""] = leaves === 0 ? [box.project, box.other] : [box.other, box.project]
        expect(entries().at(-1)).toEqual([NAME, { only_in: [box.project, box.other] }])
        expect((await run(UNINSTALL, first)).code).toBe(0)
        expect(entries().at(-1)).toEqual([NAME, { only_in: [second] }])
        expect(await status(second)).not.toContain(INACTIVE)
        expect((await run(UNINSTALL, second)).code).toBe(0)
        expect(existsSync(box.user) ? readFileSync(box.user, "utf8") : undefined).toBe(before)
      }
    },
  )

  test("--global makes it one for all, and uninstall --global takes it out for all", async () => {
    putUser(MINE)
    await run(INIT)
    await run(INIT, box.other)
    await run(`${INIT} --global`)
    expect(entries()).toEqual([[NAME, {}]])
    expect(await shown(box, UNINSTALL, box.other)).toContain("`hivemind uninstall --global` removes it there")
    await run(`${UNINSTALL} --global`)
    expect(parse(readFileSync(box.user, "utf8"))).toEqual({ model: "a/b" })
  })
})

describe("--team", () => {
  test("writes an entry that works in a clone once it is committed, and says if it is not committed yet", async () => {
    await run(`${INIT} --team`)
    expect(gitStatus(box.project)).toEqual(["?? opencode.json"])
    expect(await shown(box, INIT)).toContain("git does not track opencode.json")
    git(box.project, "add", "opencode.json")
    git(box.project, "commit", "-qm", "HiveMind for all")
    const clone = join(box.root, "clone")
    git(box.root, "clone", "-q", box.project, clone)
    expect(await status(clone)).not.toContain(INACTIVE)
    expect(await shown(box, INIT, clone)).toContain("opencode.json: already has")
    expect(existsSync(box.user)).toBe(false)
  })

  test("refuses a plugin path that exists only on this machine, and says what to install instead", async () => {
    const { code, stderr } = await run("init --yes --team")
    expect([code, stderr]).toEqual([2, expect.stringContaining("Install hivemind-opencode in the project")])
    expect(gitStatus(box.project)).toEqual([])
    expect(existsSync(join(box.project, ".hivemind"))).toBe(false)
  })
})
