import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import {
  appendFileSync,
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest"
import type { WorktreeState } from "../../src/snapshots/worktree-state.ts"
import { asNobody } from "../support/as-nobody.ts"
import { longRun } from "../support/effort.ts"
import { commitFiles, git, gitRepo } from "../support/git-repo.ts"
import { tempProject } from "../support/temp-project.ts"
import { around, shell } from "./snapshot-project.ts"

interface Case {
  name: string
  /** Turns a repository with one commit into this kind: a shell command, or a function that may return another folder. */
  make: string | ((dir: string) => unknown)
  kept?: string[]
  /** Files in the work tree that are not in the snapshot. */
  notKept?: string[]
  leftOut?: string[]
  /** Folders that the test deletes and restores. */
  lose?: string[]
  repository?: null
}

const isRoot = process.getuid?.() === 0

const DIVERGED =
  "git checkout -qb topic; echo t > c.txt; git add -A; git commit -qm t; git checkout -q main; echo m > c.txt; git add -A; git commit -qm m"
const CASES: Case[] = [
  { name: "an ordinary repository", make: "true" },
  { name: "no repository", make: (dir) => rmSync(join(dir, ".git"), { recursive: true }), repository: null },
  { name: "a linked worktree", make: (dir) => worktreeOf(dir) },
  { name: "a worktree of a bare repository", make: (dir) => worktreeOf(clone(dir, "--bare")) },
  { name: "a shallow clone", make: (dir) => clone(grown(dir), "--depth=1") },
  {
    name: "a partial clone whose remote is gone",
    make(dir) {
      git(grown(dir), "config", "uploadpack.allowFilter", "true")
      const cloned = clone(dir, "--filter=blob:none")
      rmSync(dir, { recursive: true })
      return cloned
    },
  },
  {
    name: "SHA-256",
    make: "rm -rf .git; git init -q -b main --object-format=sha256; git add -A; git commit -qm first",
  },
  { name: "no commit yet", make: "rm -rf .git; git init -q; git add a.txt" },
  { name: "detached HEAD", make: "git checkout -q --detach" },
  { name: "a merge in progress", make: `${DIVERGED}; git merge topic || true`, kept: ["c.txt"] },
  { name: "a rebase in progress", make: `${DIVERGED}; git rebase topic || true`, kept: ["c.txt"] },
  { name: "a locked index", make: "touch .git/index.lock" },
  { name: "a split index", make: "git update-index --split-index; echo x > x; git add x", kept: ["x"] },
  { name: "assume-unchanged files", make: "git update-index --assume-unchanged a.txt" },
  { name: "skip-worktree files", make: "git update-index --skip-worktree a.txt" },
  {
    name: "a sparse checkout",
    make: "mkdir in out; touch in/x out/y; git add -A; git commit -qm x; git sparse-checkout set in",
    kept: ["in/x"],
    notKept: ["out/y"],
  },
  {
    name: "large file storage whose filter fails",
    make: "git config filter.lfs.clean false; git config filter.lfs.required true; echo '*.bin filter=lfs' > .gitattributes; echo bytes > x.bin",
    kept: ["x.bin", ".gitattributes"],
  },
  {
    name: "CRLF, autocrlf=true",
    make: "git config core.autocrlf true; printf 'x\\r\\ny\\r\\n' > crlf.txt",
    kept: ["crlf.txt"],
  },
  {
    name: "info/exclude and core.excludesFile",
    make: "echo one > .git/info/exclude; echo two > ../rules; git config core.excludesFile ../rules; touch one two",
    kept: ["one", "two"],
  },
  {
    name: "nested repositories",
    make(dir) {
      gitRepo(join(dir, "nested"), { "bin/x": "x\n", "build/y": "y\n" })
      shell(dir, "cd nested; echo dirty > bin/x; git checkout -qb build/topic; echo s > s; git stash -qu")
      git(dir, "init", "-q", "empty")
      writeFileSync(join(dir, "empty", "z"), "z\n")
      gitRepo(join(dir, "out", "inner"))
      appendFileSync(join(dir, ".gitignore"), "/cache-of-mine/\n")
      gitRepo(join(dir, "cache-of-mine", "deep", "repo"))
    },
    kept: [
      "nested/bin/x",
      "nested/build/y",
      "nested/.git/HEAD",
      "empty/z",
      "empty/.git/HEAD",
      "out/inner/a.txt",
    ],
    lose: ["nested", "empty", "out", "cache-of-mine"],
  },
  {
    name: "submodules",
    make(dir) {
      const other = gitRepo(join(dirname(dir), "other"), { "m.txt": "m\n" })
      shell(dir, `git -c protocol.file.allow=always submodule add -q '${other}' sub; echo dirty > sub/m.txt`)
    },
    kept: ["sub/m.txt", "sub/.git", ".gitmodules"],
    lose: ["sub"],
  },
  {
    name: "a worktree inside of the project",
    make: "git worktree add -q -b topic trees/one; echo dirty > trees/one/b.txt",
    kept: ["trees/one/b.txt", "trees/one/.git"],
    lose: ["trees"],
  },
  {
    name: "node_modules that is not ignored",
    make: "mkdir -p node_modules/x sub/node_modules/y; touch node_modules/x/i.js sub/node_modules/y/i.js",
    notKept: ["node_modules/x/i.js", "sub/node_modules/y/i.js"],
  },
  {
    name: "tracked files that a rule ignores",
    make: "mkdir -p dist node_modules/own; touch dist/x.js node_modules/own/i.js; echo dist >> .gitignore; git add -f dist node_modules; git commit -qm x",
    kept: ["dist/x.js", "node_modules/own/i.js"],
    lose: ["dist", "node_modules"],
  },
  {
    name: "5 GB in one file, untracked and ignored",
    make(dir) {
      for (const name of ["big.iso", "big.sqlite"]) {
        writeFileSync(join(dir, name), "")
        truncateSync(join(dir, name), 5 * 1024 ** 3)
      }
    },
    leftOut: ["big.iso", "big.sqlite"],
  },
  {
    name: "pipes and sockets",
    make: `mkfifo pipe .env; rm -f b.txt; mkfifo b.txt; node -e 'require("net").createServer().listen("sock", () => process.kill(process.pid, 9))' || true`,
    notKept: ["pipe", "sock", "b.txt"],
  },
  { name: "names that are no UTF-8", make: "touch $'bad\\xff'", leftOut: ["bad\ufffd"] },
  {
    name: "GIT_* in the environment",
    make(dir) {
      const other = gitRepo(join(dirname(dir), "other"))
      for (const [name, value] of Object.entries({
        GIT_DIR: join(other, ".git"),
        GIT_WORK_TREE: other,
        GIT_INDEX_FILE: join(other, "nowhere"),
        GIT_OBJECT_DIRECTORY: join(other, ".git/objects"),
        GIT_NAMESPACE: "x",
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "core.bare",
        GIT_CONFIG_VALUE_0: "true",
      }))
        vi.stubEnv(name, value)
    },
  },
  {
    name: "a path with spaces and quotes, in a subfolder of the repository",
    make: `mkdir -p "a 'b' \\"c\\""; echo x > "a 'b' \\"c\\"/x"`,
    kept: [`a 'b' "c"/x`],
  },
  { name: "a damaged index", make: "echo broken > .git/index", repository: null },
  ...(isRoot ? [{ name: "dubious ownership", make: "chown -R 65534 .", repository: null }] : []),
]

describe("repositories as they are", () => {
  it.each(CASES)("$name", async ({ make, kept = [], notKept = [], leftOut = [], lose = [], repository }) => {
    const first = join(await tempProject(), "the project")
    cpSync(template, first, { recursive: true })
    const made = typeof make === "string" ? void shell(first, make) : make(first)
    const dir = typeof made === "string" ? made : first
    writeFileSync(join(dir, "a.txt"), "changed\n")
    writeFileSync(join(dir, "dirty.txt"), "dirty\n")
    writeFileSync(join(dir, ".env.local"), "KEY=1\n")
    const project = around(dir)
    const [user, files] = [usersGit(dir), workTree(dir)]
    const state = await project.snapshots.take()
    expect(usersGit(dir)).toEqual(user)
    const names = namesIn(project.snapshots.dir(), state)
    expect(names).toEqual(expect.arrayContaining(["a.txt", "dirty.txt", ".env.local", ...kept]))
    expect(names.filter((each) => notKept.includes(each) || leftOut.includes(each))).toEqual([])
    expect(state.leftOut.map(({ path }) => path)).toEqual(leftOut)
    if (repository === null) expect(state.repository).toBeNull()
    else expect(state.repository).not.toBeNull()
    const targets = ["a.txt", "dirty.txt", ".env.local", ...lose].map((each) => `'${each}'`)
    const record = await project.call(`rm -rf ${targets.join(" ")}`)
    expect(workTree(dir)).not.toEqual(files)
    const { failed } = await project.restore(record)
    expect([failed, workTree(dir), usersGit(dir)]).toEqual([[], files, user])
    // Pruning is most likely to miss objects that are borrowed from another repository.
    if (longRun || dir !== first) {
      await project.snapshots.prune()
      shell(dir, "rm dirty.txt .env.local")
      const { written } = await project.restore(record, { paths: ["dirty.txt", ".env.local"] })
      expect([written, usersGit(dir)]).toEqual([["dirty.txt", ".env.local"], user])
    }
  })

  let template: string
  beforeAll(() => {
    template = mkdtempSync(join(tmpdir(), "hivemind-test-"))
    gitRepo(template, { "a.txt": "a\n", "b.txt": "b\n", ".gitignore": ".env*\n*.sqlite\n" })
  })

  afterAll(() => {
    rmSync(template, { recursive: true })
  })
})

describe("what cannot be kept", () => {
  it("leaves out files that may not be read", async () => {
    const dir = gitRepo(join(await tempProject(), "p"), { "a.txt": "a\n", ".gitignore": ".env\n" })
    for (const name of ["closed.txt", ".env", "dirty.txt"]) writeFileSync(join(dir, name), "x\n")
    const project = around(dir)
    await project.snapshots.take()
    for (const name of ["HOME", "XDG_CONFIG_HOME"]) vi.stubEnv(name, dir)
    vi.stubEnv("GIT_CONFIG_GLOBAL", "/dev/null")
    chmodSync(dirname(dir), 0o755)
    for (const name of ["closed.txt", ".env"]) writeFileSync(join(dir, name), "changed\n")
    const modes = { [join(dir, "closed.txt")]: 0, [join(dir, ".env")]: 0 }
    const state = await asNobody(dir, modes, () => project.snapshots.take())
    execFileSync("chown", ["-R", String(process.getuid?.() ?? 0), dir])
    expect(state.leftOut).toMatchObject([
      { path: "closed.txt", bytes: 8, why: "unreadable" },
      { path: ".env", bytes: 8, why: "unreadable", isIgnored: true },
    ])
    expect(namesIn(project.snapshots.dir(), state)).toContain("dirty.txt")
  })

  it("has no earlier content of a file that git fails to read", async () => {
    const dir = gitRepo(join(await tempProject(), "p"), { "a.txt": "a\n", "b.txt": "b\n" })
    const project = around(dir)
    await project.snapshots.take()
    const real = execFileSync("which", ["git"], { encoding: "utf8" }).trim()
    const bin = await tempProject()
    const script = `#!/bin/bash
      [[ "$*" != *"update-index --add"* ]] && exec "${real}" "$@"
      cat > "${bin}/input"; grep -q b.txt "${bin}/input" && exit 1
      exec "${real}" "$@" < "${bin}/input"`
    writeFileSync(join(bin, "git"), script, { mode: 0o755 })
    vi.stubEnv("PATH", `${bin}${delimiter}${process.env["PATH"]}`)
    // More files than HiveMind reads itself, so that git reads them.
    shell(dir, "echo newer > b.txt; for n in $(seq 70); do echo $n > many-$n; done")
    const state = await project.snapshots.take()
    expect(state.leftOut).toMatchObject([{ path: "b.txt", why: "unreadable" }])
    const names = namesIn(project.snapshots.dir(), state)
    expect([names.includes("b.txt"), names.includes("many-70")]).toEqual([false, true])
  })

  it("keeps the other files while some change, are cut, vanish and come back as folders", async () => {
    const dir = gitRepo(join(await tempProject(), "p"), { "a.txt": "a\n", ".gitignore": "*.sqlite\n" })
    writeFileSync(join(dir, "dirty.txt"), "dirty\n")
    const loop =
      "while :; do head -c 300000 /dev/urandom > x.bin; cp x.bin x.sqlite; : > x.bin; rm -f y; mkdir y; rmdir y; echo > y; done"
    const noise = spawn("bash", ["-c", loop], { cwd: dir, stdio: "ignore", detached: true })
    onTestFinished(() => endGroup(noise))
    const project = around(dir)
    for (let n = 0; n < (longRun ? 100 : 8); n++) {
      writeFileSync(join(dir, "dirty.txt"), `${n}\n`)
      const { files } = await project.snapshots.take()
      expect(git(project.snapshots.dir(), "show", `${files}:dirty.txt`)).toBe(String(n))
    }
  })

  it("fails where the store cannot be made, and leaves everything as it is", async () => {
    const dir = gitRepo(join(await tempProject(), "p"))
    writeFileSync(join(dir, ".git", "hivemind"), "")
    const user = usersGit(dir)
    const { snapshots } = around(dir)
    await expect(snapshots.take()).rejects.toThrow(/ENOTDIR|EEXIST/)
    expect(usersGit(dir)).toEqual(user)
    expect([[...snapshots.list()], (await snapshots.size()).bytes]).toEqual([[], 0])
    await snapshots.prune()
    rmSync(join(dir, ".git", "hivemind"))
    expect((await snapshots.take()).leftOut).toEqual([])
  })

  it("fails on a full disk, and works again when there is space", async (test) => {
    const dir = gitRepo(join(await tempProject(), "p"))
    const inside = `mount -t tmpfs -o size=3m tmpfs "$0" && cp -r ${dir}/. "$0" && cd "$0" && head -c 1000000 /dev/urandom > new.bin && (cat /dev/zero > filler 2>/dev/null || true)`
    const mount = join(dirname(dir), "mount")
    mkdirSync(mount)
    const child = fileURLToPath(new URL("./snapshot-process.mjs", import.meta.url))
    const script = `${inside}; sum=$(cat .git/index a.txt | sha1sum)
      "${process.execPath}" "${child}" . take 2>/dev/null && echo taken; rm filler
      [ "$sum" = "$(cat .git/index a.txt | sha1sum)" ] && echo unchanged
      "${process.execPath}" "${child}" . take`
    try {
      execFileSync("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", mount])
    } catch {
      return test.skip("a file system of its own needs user namespaces")
    }
    const output = execFileSync("unshare", ["-rm", "bash", "-c", script, mount], { encoding: "utf8" })
    expect(output.trim().split("\n")).toEqual(["unchanged", "1"])
  })
})

/** Returns the content of all files in `.git`, except those of the private repository. */
function usersGit(dir: string): Record<string, string> {
  const found: Record<string, string> = {}
  const file = join(dir, ".git")
  const at = lstatSync(file, { throwIfNoEntry: false })
  if (at === undefined) return found
  const folder = at.isDirectory() ? file : dirname(dirname(readFileSync(file, "utf8").slice(8).trim()))
  for (const path of filesIn(folder))
    if (!path.startsWith("hivemind/")) found[path] = contentAt(join(folder, path))
  return found
}

function workTree(dir: string): Record<string, string> {
  const paths = filesIn(dir).filter((path) => !/^\.(git|hivemind)(\/|$)/.test(path))
  return Object.fromEntries(paths.map((path) => [path, contentAt(join(dir, path))]))
}

function contentAt(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return "a name that is no UTF-8"
  if (stat.isSymbolicLink()) return readlinkSync(path)
  if (!stat.isFile() || stat.size > 1 << 30) return `${stat.mode} ${stat.size}`
  return `${stat.mode & 0o100} ${createHash("sha1").update(readFileSync(path)).digest("hex")}`
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => !entry.isDirectory())
  return files.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)).toSorted()
}

function namesIn(store: string, { files, ignoredAndNested }: WorktreeState): string[] {
  const listed = [files, ignoredAndNested].map((tree) =>
    git(store, "ls-tree", "-r", "-z", "--name-only", tree),
  )
  return listed
    .flatMap((text) => text.split("\0").filter(Boolean))
    .map((name) => name.replaceAll(".git%", ".git"))
}

function worktreeOf(dir: string): string {
  const tree = join(dirname(dir), "a tree")
  git(dir, "worktree", "add", "-q", "-b", "of-the-tree", tree)
  return tree
}

function clone(dir: string, ...how: string[]): string {
  const cloned = join(dirname(dir), "cloned")
  git(dir, "clone", "-q", ...how, `file://${dir}`, cloned)
  return cloned
}

function grown(dir: string): string {
  for (const n of [1, 2, 3]) commitFiles(dir, { "c.txt": `${n}\n` }, `commit ${n}`)
  return dir
}

function endGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, "SIGKILL")
}
