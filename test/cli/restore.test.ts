import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, test } from "vitest"
import { openHiveIn } from "../../src/hive/open.ts"
import { systemSource } from "../../src/shared/ids.ts"
import { git, gitRepo } from "../support/git-repo.ts"
import { aroundCommand } from "../support/snapshots.ts"
import { fillProject } from "./filled-project.ts"
import { cli, useSandbox } from "./harness.ts"

const box = useSandbox()
beforeEach(async () => {
  gitRepo(box.project, { "a.txt": "a\n", "sub/b.txt": "b\n", ".gitignore": ".env\n.hivemind/\n" })
  put("notes.md", "mine\n")
  put(".env", "KEY=1\n")
})

const put = (path: string, text: string) => writeFileSync(join(box.project, path), text)
const read = (path: string) => readFileSync(join(box.project, path), "utf8")
const restore = (...args: string[]) => cli(box, ["restore", ...args])
const json = async (...args: string[]) => JSON.parse((await restore(...args, "--json")).stdout)

describe("the list", () => {
  test("says when, what, for which task, and what was changed and deleted; newest first, by pages", async () => {
    const { task } = await fillProject(box.project)
    await aroundCommand(box.project, "rm notes.md .env && echo x >> a.txt && touch new", { task })
    await aroundCommand(box.project, "git branch -q other && rm sub/b.txt", { isOverlapped: true })
    const { code, stdout } = await restore()
    expect(code).toBe(0)
    expect(stdout).toMatch(/^S2 {2}(just now|\d+ s ago) {2}bash: git branch -q other && rm sub\/b\.txt\n/)
    expect(stdout).toContain("other calls ran at the same time")
    expect(stdout).toMatch(/S1 {2}.*\(Build login\)\n {4}deleted 2 files: .*\.env/)
    expect(stdout).toContain("changed 1 file, created 1 file: a.txt, new")
    expect(await json("--limit", "1", "--page", "2")).toMatchObject({
      items: [{ id: "S1", tool: "bash", task: { id: task, title: "Build login" }, deleted: 2, changed: 1 }],
      ...{ total: 2, more: 0 },
    })
    expect((await json("--find", "sub/b")).items).toMatchObject([{ id: "S2" }])
    expect((await restore("--find", "nowhere")).stdout).toBe("No such snapshot.\n")
  })

  test("of a project without snapshots says when they are taken, or that they are off", async () => {
    expect((await restore()).stdout).toContain("No snapshot was taken here yet.")
    expect(existsSync(join(box.project, ".git", "hivemind"))).toBe(false)
    switchOff()
    expect((await restore()).stdout).toContain("the option snapshots.enabled is off")
    const refused = await restore("S1", "--yes")
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("Snapshots are switched off") })
  })
})

describe("a restore", () => {
  test("brings files back, is in the log, and is undone by the snapshot that it names", async () => {
    const { task } = await fillProject(box.project)
    await aroundCommand(box.project, "rm -r notes.md .env sub && echo broken > a.txt", { task })
    const { code, stdout } = await restore("S1", "--yes")
    expect(code).toBe(0)
    expect(stdout).toContain("To be written: 4 files")
    expect(stdout).toContain("Restored 4 files from S1.\n`hivemind restore S2` undoes it.")
    expect([read("notes.md"), read(".env"), read("sub/b.txt"), read("a.txt")]).toEqual([
      ...["mine\n", "KEY=1\n", "b\n", "a\n"],
    ])
    const checkpoints = await checkpointsOf(task)
    expect(checkpoints).toMatchObject([{ tool: "restore", ok: true, session_id: null }])
    expect(checkpoints[0]?.summary).toBe("restored 4 files from S1; S2 undoes it")
    expect(checkpoints[0]?.files).toContain("sub/b.txt")
    // No deletion is undone: nothing is ever deleted by a restore.
    expect(await json("S2", "--yes")).toMatchObject({ written: ["a.txt"], undo: "S3" })
    expect(read("a.txt")).toBe("broken\n")
    expect(existsSync(join(box.project, "notes.md"))).toBe(true)
  })

  test("works where .hivemind/ was deleted, and makes none", async () => {
    await aroundCommand(box.project, "rm notes.md")
    expect(await json("S1", "--yes")).toMatchObject({ written: ["notes.md"], logged: false })
    expect(existsSync(join(box.project, ".hivemind"))).toBe(false)
  })

  test("of some paths leaves the others; paths are those of the folder one stands in", async () => {
    await aroundCommand(box.project, "rm notes.md sub/b.txt")
    mkdirSync(join(box.project, "sub"), { recursive: true })
    const { code } = await cli(box, ["restore", "S1", "b.txt", "--yes"], join(box.project, "sub"))
    expect(code).toBe(0)
    expect(read("sub/b.txt")).toBe("b\n")
    expect(existsSync(join(box.project, "notes.md"))).toBe(false)
    expect(await restore("S1", "sub/b.txt", "--yes")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Nothing at sub/b.txt differs from S1"),
    })
    expect(await restore("S1", "../elsewhere", "--yes")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("lies outside"),
    })
  })

  test("keeps what has changed since and what the call created, unless it is forced; nothing is deleted", async () => {
    await aroundCommand(box.project, "echo call > notes.md && rm .env && touch new")
    put("notes.md", "newer\n")
    const kept = await restore("S1", "--yes")
    expect(kept.code).toBe(1)
    expect(kept.stdout).toMatch(/Kept, 1 file\. `--force` overwrites them.*\n {2}notes\.md: it has changed/)
    expect(kept.stdout).toMatch(/Created by the call, not deleted: 1 file.*\n {2}new\n/)
    expect([read("notes.md"), read(".env")]).toEqual(["newer\n", "KEY=1\n"])
    expect(await json("S1", "--yes", "--force")).toMatchObject({ written: ["notes.md"], undo: "S3" })
    expect(read("notes.md")).toBe("mine\n")
    await restore("S3", "--yes")
    expect(read("notes.md")).toBe("newer\n")
    expect(existsSync(join(box.project, "new"))).toBe(true)
  })

  test("brings branches, stashes and staged content back with --refs, and says so without", async () => {
    git(box.project, "branch", "topic")
    git(box.project, "add", "notes.md")
    await aroundCommand(box.project, "git branch -qD topic && git reset -q --hard")
    const dry = await restore("S1", "--dry-run")
    expect(dry.stdout).toContain("`--refs` brings back")
    expect(await json("S1", "--refs", "--yes")).toMatchObject({
      written: ["notes.md"],
      refs: [{ name: "refs/heads/topic" }],
      staged: 1,
    })
    expect(git(box.project, "branch", "--list", "topic")).toContain("topic")
    expect(git(box.project, "diff", "--cached", "--name-only")).toBe("notes.md")
  })

  test("changes nothing with --dry-run, or without a terminal to ask on", async () => {
    await aroundCommand(box.project, "rm notes.md")
    const dry = await restore("S1", "--dry-run")
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing was changed.") })
    const asked = await restore("S1")
    expect(asked.code).not.toBe(0)
    expect(asked.stderr).toContain("Pass `--yes` to go ahead without a question.")
    expect(existsSync(join(box.project, "notes.md"))).toBe(false)
    expect((await json()).total).toBe(1)
  })

  test("names what is wrong: an unknown id, a snapshot of another worktree, no git", async () => {
    await aroundCommand(box.project, "rm notes.md")
    expect(await restore("S99")).toMatchObject({
      stderr: expect.stringContaining("There is no snapshot S99."),
    })
    expect(await restore("notes.md")).toMatchObject({
      stderr: expect.stringContaining("no snapshot notes.md"),
    })
    const other = join(box.root, "other")
    git(box.project, "worktree", "add", "-q", other)
    const elsewhere = await cli(box, ["restore", "S1"], other)
    expect(elsewhere.stderr).toContain("S1 was taken in another worktree.")
    const path = process.env["PATH"]
    process.env["PATH"] = join(box.root, "nothing")
    try {
      expect((await restore("S1", "--yes")).stderr).toContain("Snapshots need git, and it is not installed")
    } finally {
      process.env["PATH"] = path
    }
  })
})

describe("an agent in OpenCode's shell", () => {
  test("is told to use the restore action, also for its own call; it may list and preview", async () => {
    await fillProject(box.project)
    await aroundCommand(box.project, "rm notes.md")
    const asAgent = (...args: string[]) =>
      cli(box, ["restore", ...args], box.project, { OPENCODE: "1", HIVEMIND_SESSION: "ses_one" })
    const refused = await asAgent("S1", "--yes")
    expect(refused.stderr).toContain('hivemind_session with action "restore" and snapshot "S1"')
    expect([refused.code, existsSync(join(box.project, "notes.md"))]).toEqual([1, false])
    expect((await asAgent()).stdout).toContain("S1")
    expect((await asAgent("S1", "--dry-run")).stdout).toContain("notes.md")
  })
})

async function checkpointsOf(task: string) {
  const { hive } = await opened()
  const found = [...hive.store.read().state.checkpoint.values()].filter(({ task_id }) => task_id === task)
  await hive.store.close()
  return found
}

function opened() {
  const options = { name: "test", value: {} }
  return openHiveIn(box.project, { source: systemSource, userConfig: null, options })
}

function switchOff(): void {
  const folder = join(box.home, ".config", "hivemind")
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "config.json"), '{"snapshots":{"enabled":false}}')
  rmSync(join(box.project, ".hivemind"), { recursive: true, force: true })
}
