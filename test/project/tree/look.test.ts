import { execFileSync } from "node:child_process"
import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { lookAtTree } from "../../../src/project/tree/look.ts"
import { git, gitRepo } from "../../support/git-repo.ts"
import { untilFileIsOlder } from "../../support/old-file.ts"
import { tempProject } from "../../support/temp-project.ts"

/** A repository with three files, one of them changed already, looked at once. */
async function looked(
  files: Record<string, string> = { "a.txt": "a\n", "src/b.txt": "b\n", "c.txt": "c\n" },
) {
  const dir = gitRepo(await tempProject(), files)
  const tree = lookAtTree(dir)
  await tree.look()
  const run = (command: string) => execFileSync("bash", ["-c", command], { cwd: dir, stdio: "pipe" })
  return {
    dir,
    tree,
    /** What a look finds after a shell command. */
    changedBy: async (command: string) => {
      run(command)
      return (await tree.look()).changed
    },
    write: (path: string, text: string) => writeFileSync(join(dir, path), text),
  }
}

describe("with git", () => {
  it("the first look finds nothing, however much is changed already", async () => {
    const dir = gitRepo(await tempProject())
    writeFileSync(join(dir, "a.txt"), "changed")
    expect(await lookAtTree(dir).look()).toMatchObject({ changed: [], limit: null })
  })

  it("finds what was written, made, deleted, moved and made executable, whoever did it", async () => {
    const { changedBy } = await looked()
    expect(await changedBy("echo x >> a.txt")).toEqual(["a.txt"])
    expect(await changedBy("true")).toEqual([])
    expect(await changedBy("mkdir -p new/deep && echo x > new/deep/n.txt")).toEqual(["new/deep/n.txt"])
    expect(await changedBy("rm c.txt")).toEqual(["c.txt"])
    expect(await changedBy("mv src/b.txt src/moved.txt")).toEqual(["src/b.txt", "src/moved.txt"])
    expect(await changedBy("chmod +x a.txt")).toEqual(["a.txt"])
    expect(await changedBy("python3 -c \"open('a b.txt','w').write('1')\"")).toEqual(["a b.txt"])
  })

  it("sees the second change of a file that was changed already, also of the same length", async () => {
    const { changedBy } = await looked()
    expect(await changedBy("printf 1 > a.txt; printf 1 > new.txt")).toEqual(["a.txt", "new.txt"])
    expect(await changedBy("printf 2 > a.txt")).toEqual(["a.txt"])
    expect(await changedBy("printf 2 > new.txt")).toEqual(["new.txt"])
  })

  it("sees a change whose time was set back", async () => {
    const { dir, tree, changedBy } = await looked()
    expect(await changedBy("printf 1 > new.txt")).toEqual(["new.txt"])
    const old = new Date(2020, 1, 1)
    utimesSync(join(dir, "new.txt"), old, old)
    await tree.look()
    writeFileSync(join(dir, "new.txt"), "2")
    utimesSync(join(dir, "new.txt"), old, old)
    expect((await tree.look()).changed).toEqual(["new.txt"])
  })

  it("a write of what is there already changes nothing", async () => {
    const { changedBy } = await looked()
    expect(await changedBy("printf 1 > new.txt; echo x > a.txt")).toEqual(["a.txt", "new.txt"])
    expect(await changedBy("printf 1 > new.txt; echo x > a.txt; touch c.txt")).toEqual([])
  })

  it("a commit, an add, a soft reset and a stash with its pop change nothing", async () => {
    const { changedBy } = await looked()
    await changedBy("echo x >> a.txt; echo n > new.txt; rm c.txt; ln -s a.txt link; chmod +x src/b.txt")
    expect(await changedBy("git add -A")).toEqual([])
    expect(await changedBy("git -c user.name=t -c user.email=t@t commit -qm all")).toEqual([])
    expect(await changedBy("git reset -q --soft HEAD~1")).toEqual([])
    expect(await changedBy("git reset -q")).toEqual([])
    expect(await changedBy("git -c user.name=t -c user.email=t@t stash -qu && git stash pop -q")).toEqual([])
    expect(await changedBy("git rm -q --cached a.txt")).toEqual([])
  })

  it("a stash, a checkout, a hard reset and a patch come out as the files they changed", async () => {
    const { changedBy, dir } = await looked()
    await changedBy("echo x >> a.txt")
    expect(await changedBy("git -c user.name=t -c user.email=t@t stash -q")).toEqual(["a.txt"])
    expect(await changedBy("git stash pop -q")).toEqual(["a.txt"])
    await changedBy("git -c user.name=t -c user.email=t@t commit -qam second")
    expect(await changedBy("git checkout -q HEAD~1")).toEqual(["a.txt"])
    expect(await changedBy("git checkout -q main")).toEqual(["a.txt"])
    expect(await changedBy("git checkout -q HEAD~1 -- a.txt")).toEqual(["a.txt"])
    expect(await changedBy("git reset -q --hard HEAD~1")).toEqual([])
    writeFileSync(join(dir, ".git/p.diff"), git(dir, "diff", "HEAD", "ORIG_HEAD").concat("\n"))
    expect(await changedBy("git apply .git/p.diff")).toEqual(["a.txt"])
  })

  it("a commit of what was changed since the last look comes out as that change", async () => {
    const { changedBy } = await looked()
    expect(await changedBy("echo x >> a.txt; git -c user.name=t -c user.email=t@t commit -qam x")).toEqual([
      "a.txt",
    ])
  })

  it("works before the first commit, and over it", async () => {
    const dir = await tempProject()
    git(dir, "init", "-q")
    const tree = lookAtTree(dir)
    await tree.look()
    writeFileSync(join(dir, "a.txt"), "a")
    expect((await tree.look()).changed).toEqual(["a.txt"])
    git(dir, "add", "-A")
    git(dir, "commit", "-qm", "first")
    expect((await tree.look()).changed).toEqual([])
    writeFileSync(join(dir, "a.txt"), "b")
    expect((await tree.look()).changed).toEqual(["a.txt"])
  })

  it("leaves out HiveMind's own files, tracked or not, and what git ignores", async () => {
    const { changedBy } = await looked({ ".hivemind/a.json": "{}", ".gitignore": "out/\n" })
    expect(
      await changedBy("echo x > .hivemind/a.json; mkdir out; echo x > out/o.txt; echo y > .hivemind/b"),
    ).toEqual([])
  })

  it("a file that git changes on its way in is the same before and after its commit", async () => {
    const { changedBy, dir } = await looked({ ".gitattributes": "*.txt text eol=crlf\n", "a.txt": "a\n" })
    git(dir, "config", "core.autocrlf", "true")
    expect(await changedBy("printf 'one\\r\\ntwo\\r\\n' > a.txt")).toEqual(["a.txt"])
    expect(await changedBy("git -c user.name=t -c user.email=t@t commit -qam crlf")).toEqual([])
  })

  it("tells paths of a folder inside the repository relative to it, and nothing of what is outside", async () => {
    const top = gitRepo(await tempProject(), { "app/a.txt": "a\n", "b.txt": "b\n" })
    const tree = lookAtTree(join(top, "app"))
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

  it("touches neither the index nor the objects of the repository", async () => {
    const { dir, changedBy } = await looked()
    const state = () =>
      execFileSync("bash", ["-c", "find .git -type f | sort | xargs sha1sum"], { cwd: dir, encoding: "utf8" })
    const before = state()
    await changedBy("touch a.txt; echo x > new.txt")
    expect(state()).toBe(before)
  })

  it("does not tell of files that are accounted for, unless they change again", async () => {
    const { tree, write } = await looked()
    write("a.txt", "one")
    write("new.txt", "one")
    tree.account(["a.txt", "new.txt"])
    expect((await tree.look()).changed).toEqual([])
    write("a.txt", "two")
    expect((await tree.look()).changed).toEqual(["a.txt"])
    write("a.txt", "three")
    tree.account(["a.txt"])
    write("a.txt", "four")
    expect((await tree.look()).changed).toEqual(["a.txt"])
  })

  it("looks that are asked for at once share what there is: each change is told once", async () => {
    const { tree, write } = await looked()
    write("a.txt", "one")
    const looks = await Promise.all([tree.look(), tree.look(), tree.look()])
    expect(looks.flatMap(({ changed }) => changed)).toEqual(["a.txt"])
  })

  it("odd names are found: blanks, quotes, line ends, other letters", async () => {
    const { dir, tree } = await looked()
    const names = ["a b.txt", '"quoted".txt', "line\nend.txt", "ü é 漢.txt", "-dash.txt"]
    for (const name of names) writeFileSync(join(dir, name), "1")
    expect((await tree.look()).changed).toEqual([...names].sort())
    for (const name of names) writeFileSync(join(dir, name), "2")
    expect((await tree.look()).changed).toEqual([...names].sort())
    expect((await tree.look()).changed).toEqual([])
  })
})

describe("without git", () => {
  async function scanned(limits?: { files: number; ms: number }) {
    const dir = await tempProject()
    for (const name of ["a", "b", "c", "d"]) writeFileSync(join(dir, name), name)
    const tree = lookAtTree(dir, limits)
    // What is as old as the first look itself may count as new.
    await untilFileIsOlder(join(dir, "d"))
    return { dir, tree, first: await tree.look() }
  }

  it("finds what was written, made and deleted", async () => {
    const { dir, tree, first } = await scanned()
    expect(first).toMatchObject({ changed: [], limit: null })
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

  it("ends at its limit, says so, and tells nothing wrong about what it has not seen", async () => {
    const { dir, tree, first } = await scanned({ files: 3, ms: 60_000 })
    expect(first.limit).toContain("after 3 files")
    rmSync(join(dir, "a"))
    expect(await tree.look()).toMatchObject({ changed: ["a"] })
    writeFileSync(join(dir, "A-new"), "x")
    expect((await tree.look()).changed).toEqual(["A-new"])
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
