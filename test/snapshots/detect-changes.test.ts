import { execFileSync } from "node:child_process"
import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Hive } from "../../src/hive/hive.ts"
import { type CapturedWorktree, captureWorktree, detectChanges } from "../../src/snapshots/detect-changes.ts"
import { GIT_ENV, git, gitRepo } from "../support/git-repo.ts"
import { memoryHive } from "../support/hive.ts"
import { untilFileIsOlder } from "../support/old-file.ts"
import { tempProject } from "../support/temp-project.ts"

const hiveAt = (dir: string): Hive => ({ ...memoryHive(), home: dir, dir })

function looksAt(dir: string) {
  const hive = hiveAt(dir)
  let last: CapturedWorktree | undefined
  return {
    look: async () => {
      const now = await captureWorktree(hive)
      const changes = await detectChanges(hive, last ?? now, now)
      const isSame = now.fingerprint === (last ?? now).fingerprint
      last = now
      return { ...changes, isSame }
    },
  }
}

async function looked(
  files: Record<string, string> = { "a.txt": "a\n", "src/b.txt": "b\n", "c.txt": "c\n" },
) {
  const dir = gitRepo(await tempProject(), files)
  const tree = looksAt(dir)
  await tree.look()
  const env = { ...process.env, ...GIT_ENV }
  const run = (command: string) => execFileSync("bash", ["-c", command], { cwd: dir, stdio: "pipe", env })
  return {
    dir,
    tree,
    run,
    /** Returns the files that a shell command changed. Checks that the fingerprint differs exactly if any did. */
    changedBy: async (command: string) => {
      run(command)
      const { changed, isSame } = await tree.look()
      expect([command, isSame]).toEqual([command, changed.length === 0])
      return changed
    },
  }
}

describe("with git", () => {
  const cases: Record<string, [command: string, changed: string[]][]> = {
    "finds files that were written, made, deleted, moved and made executable": [
      ["echo x >> a.txt", ["a.txt"]],
      ["true", []],
      ["mkdir -p new/deep && echo x > new/deep/n.txt", ["new/deep/n.txt"]],
      ["rm c.txt", ["c.txt"]],
      ["mv src/b.txt src/moved.txt", ["src/b.txt", "src/moved.txt"]],
      ["chmod +x a.txt", ["a.txt"]],
      ["ln -s a.txt link", ["link"]],
      ["python3 -c \"open('a b.txt','w').write('1')\"", ["a b.txt"]],
    ],
    "sees the second change of a changed file, also of the same length, but no write of the same content": [
      ["printf 1 > a.txt; printf 1 > new.txt", ["a.txt", "new.txt"]],
      ["printf 2 > a.txt", ["a.txt"]],
      ["printf 2 > new.txt", ["new.txt"]],
      ["printf 2 > new.txt; printf 2 > a.txt; touch c.txt", []],
    ],
    "sees no change in a commit, an add, a soft reset and a stash with its pop": [
      ["echo x >> a.txt; echo n > new.txt; rm c.txt", ["a.txt", "c.txt", "new.txt"]],
      ["git add -A", []],
      ["git commit -qm all", []],
      ["git reset -q --soft HEAD~1", []],
      ["git reset -q", []],
      ["git stash -qu && git stash pop -q", []],
      ["git rm -q --cached a.txt", []],
    ],
    "shows a stash, a checkout, a hard reset and a patch as the files that they changed": [
      ["echo x >> a.txt", ["a.txt"]],
      ["git stash -q", ["a.txt"]],
      ["git stash pop -q; git commit -qam second", ["a.txt"]],
      ["git checkout -q HEAD~1", ["a.txt"]],
      ["git checkout -q main", ["a.txt"]],
      ["git checkout -q HEAD~1 -- a.txt", ["a.txt"]],
      ["git reset -q --hard HEAD~1; git diff HEAD ORIG_HEAD > .git/p.diff", []],
      ["git apply .git/p.diff", ["a.txt"]],
    ],
    "shows a commit of what was changed since the last look as that change": [
      ["echo x >> a.txt; git commit -qam x", ["a.txt"]],
    ],
  }
  it.each(Object.entries(cases))("%s", async (_, steps) => {
    const { changedBy } = await looked()
    for (const [command, changed] of steps) expect(await changedBy(command), command).toEqual(changed)
  })

  it("works before and after the first commit, and beside repositories that git cannot add; the first detection finds nothing", async () => {
    const dir = await tempProject()
    git(dir, "init", "-q")
    const tree = looksAt(dir)
    const changed = async () => {
      const { changed: files, isSame } = await tree.look()
      expect(isSame).toBe(files.length === 0)
      return files
    }
    writeFileSync(join(dir, "there.txt"), "x")
    expect(await changed()).toEqual([])
    writeFileSync(join(dir, "a.txt"), "a")
    expect(await changed()).toEqual(["a.txt"])
    git(dir, "init", "-q", "inner")
    await tree.look()
    writeFileSync(join(dir, "a.txt"), "with another repository in it")
    expect(await changed()).toEqual(["a.txt"])
    rmSync(join(dir, "inner"), { recursive: true })
    await tree.look()
    git(dir, "add", "-A")
    git(dir, "commit", "-qm", "first")
    expect(await changed()).toEqual([])
    writeFileSync(join(dir, "a.txt"), "b")
    expect(await changed()).toEqual(["a.txt"])
  })

  it("leaves out HiveMind's own files, tracked or not, and what git ignores", async () => {
    const { changedBy } = await looked({ ".hivemind/a.json": "{}", ".gitignore": "out/\n" })
    expect(
      await changedBy("echo x > .hivemind/a.json; mkdir out; echo x > out/o.txt; echo y > .hivemind/b"),
    ).toEqual([])
  })

  it("tells paths of a folder inside the repository relative to it, and nothing of what is outside", async () => {
    const top = gitRepo(await tempProject(), { "app/a.txt": "a\n", "b.txt": "b\n" })
    const tree = looksAt(join(top, "app"))
    await tree.look()
    appendFileSync(join(top, "app/a.txt"), "x")
    appendFileSync(join(top, "b.txt"), "x")
    mkdirSync(join(top, "app/in"))
    writeFileSync(join(top, "app/in/n.txt"), "x")
    expect((await tree.look()).changed).toEqual(["a.txt", "in/n.txt"])
    git(top, "add", "-A")
    git(top, "commit", "-qm", "x")
    expect((await tree.look()).changed).toEqual([])
    git(top, "reset", "-q", "--hard", "HEAD~1")
    expect((await tree.look()).changed).toEqual(["a.txt", "in/n.txt"])
  })

  it("odd names are found: blanks, quotes, line ends, other letters", async () => {
    const { dir, tree } = await looked()
    const names = ["a b.txt", '"quoted".txt', "line\nend.txt", "ü é 漢.txt", "-dash.txt"]
    for (const text of ["1", "2"]) {
      for (const name of names) writeFileSync(join(dir, name), text)
      expect((await tree.look()).changed).toEqual([...names].sort())
    }
    expect((await tree.look()).changed).toEqual([])
  })
})

function treeByGit(dir: string): string {
  const env = { ...process.env, ...GIT_ENV, GIT_INDEX_FILE: join(dir, ".git/other-index") }
  execFileSync("git", ["add", "-A"], { cwd: dir, env })
  return execFileSync("git", ["write-tree"], { cwd: dir, env, encoding: "utf8" }).trim()
}

it("the tree of a snapshot is the one that git itself makes, with few and many changes, and files that become folders", async () => {
  const dir = gitRepo(await tempProject(), { "a.txt": "a\n", "src/b.txt": "b\n", "c.txt": "c\n" })
  const hive = hiveAt(dir)
  await captureWorktree(hive)
  for (const command of [
    "echo 1 > a-b; echo 1 > a.txt; mkdir a; echo 1 > a/x; echo 1 > a0; echo 1 > ab",
    "echo 1 > dir-x; mkdir -p 'dir/ b/c'; echo 1 > 'dir/ b/c/d'; echo 1 > 'dir/ b/😀'; echo 1 > 'dir/ b/\uffee'",
    "rm a.txt; mkdir a.txt; echo 1 > a.txt/in; ln -s nowhere a.txt/link",
    "rm -r a.txt; echo back > a.txt; rm -r src; echo file > src",
    "rm src; mkdir -p src/deep/er; echo x > src/deep/er/y; rm c.txt; ln -s a.txt c.txt; chmod +x ab",
    "head -c 300000 /dev/zero > large; for n in $(seq 70); do echo $n > many-$n; done",
    "rm many-*; : > empty; echo more >> src/deep/er/y",
    "mv src real; ln -s real src; echo 1 > real/deep/other",
    "rm src; mv real src",
    "mv src real; ln -s real src; for n in $(seq 70); do echo $n > many-$n; done",
    "rm many-* src; mv real src",
    "rm -r src dir a a.txt a-b a0 ab c.txt dir-x large empty",
  ]) {
    execFileSync("bash", ["-c", command], { cwd: dir, stdio: "pipe" })
    expect((await captureWorktree(hive)).fingerprint, command).toBe(`git ${treeByGit(dir)}`)
  }
})

describe("without git", () => {
  async function scanned() {
    const dir = await tempProject()
    for (const name of ["a", "b", "c", "d"]) writeFileSync(join(dir, name), name)
    const tree = looksAt(dir)
    // A file as old as the first scan may be reported as new.
    await untilFileIsOlder(join(dir, "d"))
    return { dir, tree, first: await tree.look() }
  }

  it("finds files that were changed, created and deleted", async () => {
    const { dir, tree, first } = await scanned()
    expect(first).toMatchObject({ changed: [] })
    writeFileSync(join(dir, "a"), "changed")
    mkdirSync(join(dir, "sub/deep"), { recursive: true })
    writeFileSync(join(dir, "sub/deep/n"), "new")
    rmSync(join(dir, "c"))
    chmodSync(join(dir, "d"), 0o755)
    symlinkSync("a", join(dir, "link"))
    expect((await tree.look()).changed).toEqual(["a", "c", "d", "link", "sub/deep/n"])
    expect((await tree.look()).changed).toEqual([])
  })

  it("leaves out HiveMind's own files and what is downloaded", async () => {
    const { dir, tree } = await scanned()
    for (const folder of [".hivemind", "node_modules/x"]) {
      mkdirSync(join(dir, folder), { recursive: true })
      writeFileSync(join(dir, folder, "f"), "x")
    }
    expect((await tree.look()).changed).toEqual([])
  })

  it("begins to ask git when the folder becomes a repository", async () => {
    const { dir, tree } = await scanned()
    git(dir, "init", "-q")
    await tree.look()
    writeFileSync(join(dir, "a"), "changed")
    expect((await tree.look()).changed).toEqual(["a"])
  })
})

describe("the fingerprint", () => {
  const fingerprintAt = async (dir: string) => (await captureWorktree(hiveAt(dir))).fingerprint

  it("names the tree, is the same after a change is taken back, and in a linked worktree", async () => {
    const { dir, run } = await looked({ "a.txt": "a\n", ".gitignore": "out/\n" })
    const by = (command: string) => {
      run(command)
      return fingerprintAt(dir)
    }
    const first = await by("true")
    expect(first).toMatch(/^git [0-9a-f]{40}$/)
    expect(await by("echo x >> a.txt; ln -s a.txt link")).not.toBe(first)
    expect(await by("rm link; git checkout -q .; git worktree add -q out/other")).toBe(first)
    expect(await fingerprintAt(join(dir, "out/other"))).toBe(first)
  })
})
