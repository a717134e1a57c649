import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test, vi } from "vitest"
import { git, gitRepo, writeFiles } from "../support/git-repo.ts"
import { aroundCommand } from "../support/snapshots.ts"
import { fillProject, withStore } from "./filled-project.ts"
import { cli, cliJson, projectFiles, useSandbox } from "./harness.ts"

const box = useSandbox(({ project }) => {
  gitRepo(project, { "a.txt": "a\n", "sub/b.txt": "b\n", ".gitignore": ".env\n.hivemind/\n" })
  writeFiles(project, { "notes.md": "mine\n", ".env": "KEY=1\n" })
  return {}
})
const { at, has, read, put } = projectFiles(box)
const restore = (args = "") => cli(box, `restore${args}`)
const json = (args = "") => cliJson(box, `restore${args}`)
const around = (command: string, more?: Parameters<typeof aroundCommand>[2]) =>
  aroundCommand(box.project, command, more)

describe("the list", () => {
  test("says when, what, for which task, and what was changed and deleted; newest first, by pages", async () => {
    const { task } = await fillProject(box.project)
    await around("rm notes.md .env && echo x >> a.txt && touch new", { task })
    await around("git branch -q other && rm sub/b.txt", { isOverlapped: true })
    const { code, stdout } = await restore()
    expect(code).toBe(0)
    expect(stdout).toMatch(/^S2 {2}(just now|\d+ s ago) {2}bash: git branch -q other && rm sub\/b\.txt\n/)
    expect(stdout).toContain("other calls ran at the same time")
    expect(stdout).toMatch(/S1 {2}.*\(Build login\)\n {4}deleted 2 files: .*\.env/)
    expect(stdout).toContain("changed 1 file, created 1 file: a.txt, new")
    expect(await json(" --limit 1 --page 2")).toMatchObject({
      items: [{ id: "S1", tool: "bash", task: { id: task, title: "Build login" }, deleted: 2, changed: 1 }],
      ...{ total: 2, more: 0 },
    })
    expect((await json(" --find sub/b")).items).toMatchObject([{ id: "S2" }])
    expect((await restore(" --find nowhere")).stdout).toBe("No such snapshot.\n")
  })

  test("of a project without snapshots says when they are taken, or that they are off", async () => {
    expect((await restore()).stdout).toContain("There are no snapshots yet.")
    expect(has(".git/hivemind")).toBe(false)
    put("../home/.config/hivemind/config.json", '{"snapshots":{"enabled":false}}')
    rmSync(at(".hivemind"), { recursive: true, force: true })
    expect((await restore()).stdout).toContain("the option snapshots.enabled is off")
    const refused = await restore(" S1 --yes")
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("Snapshots are switched off") })
  })
})

describe("a restore", () => {
  test("brings files back, is in the log, and is undone by the snapshot that it names", async () => {
    const { task } = await fillProject(box.project)
    await around("rm -r notes.md .env sub && echo broken > a.txt", { task })
    const { code, stdout } = await restore(" S1 --yes")
    expect(code).toBe(0)
    expect(stdout).toContain("To be written: 4 files")
    expect(stdout).toContain("Restored 4 files from S1.\n`hivemind restore S2` undoes it.")
    const restored = ["notes.md", ".env", "sub/b.txt", "a.txt"].map(read)
    expect(restored).toEqual(["mine\n", "KEY=1\n", "b\n", "a\n"])
    const checkpoints = await withStore(box.project, async (store) => [
      ...store.read().state.checkpoint.values(),
    ])
    const summary = "restored 4 files from S1; S2 undoes it"
    expect(checkpoints).toMatchObject([
      { task_id: task, tool: "restore", ok: true, session_id: null, summary },
    ])
    expect(checkpoints[0]?.files).toContain("sub/b.txt")
    // No deletion is undone: nothing is ever deleted by a restore.
    expect(await json(" S2 --yes")).toMatchObject({ written: ["a.txt"], undo: "S3" })
    expect([read("a.txt"), has("notes.md")]).toEqual(["broken\n", true])
  })

  test("works after .hivemind/ was deleted, and does not create it", async () => {
    await around("rm notes.md")
    expect(await json(" S1 --yes")).toMatchObject({ written: ["notes.md"], logged: false })
    expect(has(".hivemind")).toBe(false)
  })

  test("of some paths leaves the others, and takes paths relative to the current folder", async () => {
    await around("rm notes.md sub/b.txt")
    put("sub/other.txt", "")
    expect((await cli(box, "restore S1 b.txt --yes", at("sub"))).code).toBe(0)
    expect([read("sub/b.txt"), has("notes.md")]).toEqual(["b\n", false])
    for (const [path, code, words] of [
      ["sub/b.txt", 1, "Nothing at sub/b.txt differs from S1"],
      ["../elsewhere", 2, "lies outside"],
    ] as const)
      expect(await restore(` S1 ${path} --yes`)).toMatchObject({
        code,
        stderr: expect.stringContaining(words),
      })
  })

  test("keeps files changed since, unless forced, and never deletes files that the call created", async () => {
    await around("echo call > notes.md && rm .env && touch new")
    put("notes.md", "newer\n")
    const kept = await restore(" S1 --yes")
    expect(kept.code).toBe(1)
    expect(kept.stdout).toMatch(
      /kept: 1 file\. `--force` overwrites them.*\n {2}notes\.md: the file has changed/,
    )
    expect(kept.stdout).toMatch(/Created by the call, not deleted: 1 file.*\n {2}new\n/)
    expect([read("notes.md"), read(".env")]).toEqual(["newer\n", "KEY=1\n"])
    expect(await json(" S1 --yes --force")).toMatchObject({ written: ["notes.md"], undo: "S3" })
    expect(read("notes.md")).toBe("mine\n")
    await restore(" S3 --yes")
    expect([read("notes.md"), has("new")]).toEqual(["newer\n", true])
  })

  test("brings branches, stashes and staged content back with --refs, and says so without", async () => {
    git(box.project, "branch", "topic")
    git(box.project, "add", "notes.md")
    await around("git branch -qD topic && git reset -q --hard")
    expect((await restore(" S1 --dry-run")).stdout).toContain("`--refs` brings back")
    const back = { written: ["notes.md"], refs: [{ name: "refs/heads/topic" }], staged: 1 }
    expect(await json(" S1 --refs --yes")).toMatchObject(back)
    expect(git(box.project, "branch", "--list", "topic")).toContain("topic")
    expect(git(box.project, "diff", "--cached", "--name-only")).toBe("notes.md")
  })

  test("changes nothing with --dry-run, or without a terminal to ask on", async () => {
    await around("rm notes.md")
    const dry = await restore(" S1 --dry-run")
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing was changed.") })
    const asked = await restore(" S1")
    expect(asked.code).not.toBe(0)
    expect(asked.stderr).toContain("Pass `--yes` to go ahead without a question.")
    expect(has("notes.md")).toBe(false)
    expect((await json()).total).toBe(1)
  })

  test("refuses an unknown id, a snapshot of another worktree, and a project without git", async () => {
    await around("rm notes.md")
    expect((await restore(" S99")).stderr).toContain("There is no snapshot S99.")
    expect((await restore(" notes.md")).stderr).toContain("no snapshot notes.md")
    const other = join(box.root, "other")
    git(box.project, "worktree", "add", "-q", other)
    expect((await cli(box, "restore S1", other)).stderr).toContain("S1 was taken in another worktree.")
    vi.stubEnv("PATH", join(box.root, "nothing"))
    expect((await restore(" S1 --yes")).stderr).toContain("Snapshots need git, and it is not installed")
  })

  test("by an agent in OpenCode's shell is refused and names the tool to use; listing and previews are allowed", async () => {
    await fillProject(box.project)
    await around("rm notes.md")
    const asAgent = (args = "") =>
      cli(box, `restore${args}`, box.project, { OPENCODE: "1", HIVEMIND_SESSION: "ses_one" })
    const refused = await asAgent(" S1 --yes")
    expect(refused.stderr).toContain('hivemind_session with action "restore" and snapshot "S1"')
    expect([refused.code, existsSync(at("notes.md"))]).toEqual([1, false])
    expect((await asAgent()).stdout).toContain("S1")
    expect((await asAgent(" S1 --dry-run")).stdout).toContain("notes.md")
  })
})
