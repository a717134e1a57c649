import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished, vi } from "vitest"
import { fingerprintTree } from "../../../src/project/tree/fingerprint.ts"
import { git, gitRepo } from "../../support/git-repo.ts"
import { tempProject } from "../../support/temp-project.ts"

async function repository() {
  const dir = gitRepo(await tempProject(), { "a.txt": "a\n", "src/b.txt": "b\n", ".gitignore": "out/\n" })
  return {
    dir,
    /** The fingerprint after a shell command. */
    by: async (command: string) => {
      execFileSync("bash", ["-c", command], { cwd: dir, stdio: "pipe" })
      return fingerprintTree(dir)
    },
  }
}

it("is another after every change of content, and the same again when it is taken back", async () => {
  const { by } = await repository()
  const first = await by("true")
  expect(first).toMatch(/^git [0-9a-f]{40}$/)
  expect(await by("touch a.txt")).toBe(first)
  const seen = new Set([first])
  for (const command of [
    "echo x >> a.txt",
    "echo n > new.txt",
    "rm src/b.txt",
    "chmod +x a.txt",
    "ln -s a.txt link",
    "printf 1 > new.txt",
    "printf 2 > new.txt",
  ]) {
    const now = await by(command)
    expect(seen, command).not.toContain(now)
    seen.add(now)
  }
  expect(await by("rm new.txt link; git checkout -q .")).toBe(first)
})

it("does not depend on what is staged, committed or stashed and taken back", async () => {
  const { by } = await repository()
  const changed = await by("echo x >> a.txt; echo n > new.txt")
  expect(await by("git add -A")).toBe(changed)
  expect(await by("git -c user.name=t -c user.email=t@t commit -qm x")).toBe(changed)
  expect(await by("git reset -q --soft HEAD~1")).toBe(changed)
  expect(await by("git -c user.name=t -c user.email=t@t stash -qu; git stash pop -q")).toBe(changed)
  expect(await by("git -c user.name=t -c user.email=t@t stash -qu")).not.toBe(changed)
})

it("leaves out what git ignores and HiveMind's own files", async () => {
  const { by } = await repository()
  const first = await by("true")
  expect(await by("mkdir -p out .hivemind; echo x > out/o; echo x > .hivemind/s")).toBe(first)
})

it("touches nothing of the repository and leaves nothing behind", async () => {
  const { dir, by } = await repository()
  execFileSync("bash", ["-c", "echo x >> a.txt; echo n > new.txt; git add a.txt; touch src/b.txt"], {
    cwd: dir,
  })
  const state = () =>
    execFileSync("bash", ["-c", "find .git -type f | sort | xargs sha1sum"], { cwd: dir, encoding: "utf8" })
  const scratch = await tempProject()
  vi.stubEnv("TMPDIR", scratch)
  onTestFinished(() => void vi.unstubAllEnvs())
  const before = state()
  await by("true")
  expect(state()).toBe(before)
  expect(readdirSync(scratch)).toEqual([])
})

it("works in a linked worktree, before the first commit, and with files and repositories that git cannot add", async () => {
  const { dir, by } = await repository()
  const first = await by("true")
  git(dir, "worktree", "add", "-q", join(dir, "out/other"))
  expect(await fingerprintTree(join(dir, "out/other"))).toBe(first)
  const fresh = await tempProject()
  git(fresh, "init", "-q")
  const empty = await fingerprintTree(fresh)
  writeFileSync(join(fresh, "a"), "a")
  const withFile = await fingerprintTree(fresh)
  expect(withFile).not.toBe(empty)
  mkdirSync(join(fresh, "inner"))
  git(join(fresh, "inner"), "init", "-q")
  const withInner = await fingerprintTree(fresh)
  expect(withInner).toBeDefined()
  writeFileSync(join(fresh, "a"), "b")
  expect(await fingerprintTree(fresh)).not.toBe(withInner)
})

it("without git it is that of a scan, and none where the scan does not see all", async () => {
  const dir = await tempProject()
  writeFileSync(join(dir, "a"), "a")
  const first = await fingerprintTree(dir)
  expect(first).toMatch(/^scan /)
  expect(await fingerprintTree(dir)).toBe(first)
  writeFileSync(join(dir, "a"), "b")
  const second = await fingerprintTree(dir)
  expect(second).not.toBe(first)
  chmodSync(join(dir, "a"), 0o600)
  expect(await fingerprintTree(dir)).not.toBe(second)
  rmSync(dir, { recursive: true })
  expect(await fingerprintTree(dir)).toMatch(/^scan /)
})
