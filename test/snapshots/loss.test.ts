import { describe, expect, it } from "vitest"
import { NO_LOSS as NOTHING, snapshotProject } from "./snapshot-project.ts"

async function withUsersWork() {
  const project = await snapshotProject()
  project.write("a.txt", "mine\n")
  project.write("notes.md", "mine too\n")
  project.write(".env", "KEY=1\n")
  project.write("dev.sqlite", "data\n")
  return project
}

describe("what a call took away", () => {
  it.each([
    ["rm a.txt notes.md .env", { deleted: ["a.txt", "notes.md", ".env"] }],
    ["git checkout -q -f .", { overwritten: ["a.txt"] }],
    [
      "git reset -q --hard && git clean -fdxq",
      { deleted: ["notes.md", ".env", "dev.sqlite"], overwritten: ["a.txt"] },
    ],
    ["sed -i s/mine/Mine/ notes.md; echo other > .env", { overwritten: ["notes.md", ".env"] }],
    ["git stash -qu && git stash drop -q", { deleted: ["notes.md"], overwritten: ["a.txt"] }],
    [
      "git checkout -q --orphan new && git branch -qD main && git commit -qm new --date=2020-01-01",
      { commits: ["first"] },
    ],
  ])("%s", async (command, expected) => {
    const project = await withUsersWork()
    const { commits, ...files } = await project.loss(command)
    const subjects = commits.map(({ subject }) => subject)
    expect({ ...files, commits: subjects }).toEqual({ ...NOTHING, ...expected })
  })

  it.each<[name: string, command: string, before?: string]>([
    ["moved", "mkdir d; mv a.txt notes.md .env d"],
    ["at another place already", "rm notes.md", "cp notes.md backup.md"],
    [
      "in a build folder that is ignored from now on",
      "echo dist/ >> .gitignore",
      "mkdir dist; echo x > dist/p.html",
    ],
    [
      "stashed with other line ends",
      "git stash -q",
      "git config core.autocrlf true; printf 'mine\\r\\nwindows\\r\\n' > a.txt",
    ],
    ["copied and removed", "cp notes.md copy.md; rm notes.md"],
    ["stashed", "git stash -qu"],
    ["stashed with what is ignored", "git stash -qa"],
    ["committed", "git add -A; git commit -qm all; git checkout -q -b x; git checkout -q HEAD~1"],
    ["amended", "git add -A; git commit -q --amend -m all; rm a.txt notes.md"],
    ["rebased", "git stash -qu; git commit -q --allow-empty -m x; git rebase -q --root; git stash pop -q"],
    ["ignored from now on", "echo notes.md >> .gitignore"],
    ["a database that its program writes to", "echo more >> dev.sqlite"],
    ["a file that was committed and unchanged", "rm b.txt"],
    ["a new mode", "chmod +x a.txt"],
    ["a new file", "echo x > x; rm x; echo y > y"],
  ])("tells of nothing: %s", async (_, command, before = "true") => {
    const project = await withUsersWork()
    project.sh(before)
    expect(await project.loss(command)).toEqual(NOTHING)
  })

  it("does not report changes that an edit tool was asked to make", async () => {
    expect(await (await withUsersWork()).loss("echo x > a.txt", ["a.txt"])).toEqual(NOTHING)
  })

  it("does not report files that the session itself has created", async () => {
    const project = await withUsersWork()
    const start = await project.snapshots.saveSessionStart("s", await project.snapshots.take())
    project.sh("echo new > own.txt; git add own.txt; git commit -qm own; echo again > notes.md")
    const ended = await project.call("git reset -q --hard HEAD~1; rm notes.md")
    expect(await project.snapshots.loss(start, ended, new Set())).toEqual({
      ...NOTHING,
      overwritten: ["a.txt"],
    })
  })

  it("tells of commits that a reset, a deleted branch and a dropped stash left behind, not of rewritten ones", async () => {
    const project = await withUsersWork()
    project.sh(
      "git stash -qu; git checkout -qb topic; git commit -q --allow-empty -m one; git checkout -q main",
    )
    project.sh("git commit -q --allow-empty -m two; git commit -q --allow-empty -m three")
    const subjects = async (command: string) =>
      (await project.loss(command)).commits.map(({ subject }) => subject).toSorted()
    expect(await subjects("git commit -q --amend -m renamed; git rebase -q -f HEAD~2")).toEqual([])
    expect(await subjects("git branch -m topic renamed; git merge -q --no-edit renamed")).toEqual([])
    expect(await subjects("git reset -q --hard HEAD~2; git branch -D renamed")).toContain("one")
    expect(await subjects("git stash drop -q")).toContainEqual(expect.stringMatching(/^WIP on main/))
  })

  it("tells of files and folders that were too large to be kept, by name and size", async () => {
    const project = await withUsersWork()
    const large = { "big.iso": 60, "other.iso": 60, "app.sqlite": 2 }
    for (const [name, mb] of Object.entries(large)) project.sh(`truncate -s ${mb}M ${name}`)
    project.sh(
      "git init -q huge; truncate -s 51M huge/data; truncate -s 60M a.iso; git add a.iso; git commit -qm a",
    )
    const { notRestorable, ...others } = await project.loss(
      "rm -r big.iso huge a.iso; echo x > other.iso; truncate -s 1M app.sqlite",
    )
    expect(others).toEqual({ deleted: [], overwritten: [], commits: [] })
    expect(notRestorable.map(({ path, bytes, isDeleted }) => [path, bytes >> 20, isDeleted])).toEqual([
      ["big.iso", 60, true],
      ["other.iso", 60, false],
      ["app.sqlite", 2, false],
      ["huge/", 51, true],
    ])
    const [record] = project.snapshots.list()
    const recorded = record?.notRestorable.map(({ path }) => path)
    expect(recorded).toEqual(["a.iso", "big.iso", "other.iso", "app.sqlite", "huge/"])
    expect(await project.loss("truncate -s 70M app.sqlite")).toEqual(NOTHING)
  })

  it("tells of a folder that became a repository before the session, and brings back its commits", async () => {
    const project = await snapshotProject()
    project.write("sub/x", "x\n")
    await project.snapshots.take()
    project.sh("cd sub; git init -q; git add x; git commit -qm inner")
    await project.snapshots.saveSessionStart("ses_1", await project.snapshots.take())
    const { deleted } = await project.loss("rm -rf sub")
    expect(deleted).toContain("sub/x")
    const [record] = project.snapshots.list()
    await project.restore(record ?? { number: 0 })
    expect(project.sh("cd sub; git log --format=%s; git status --short")).toBe("inner")
  })

  it("remembers a session's start for the next process", async () => {
    const project = await withUsersWork()
    const start = await project.snapshots.saveSessionStart("s", await project.snapshots.take())
    expect(project.snapshots.sessionStart("s")).toEqual(start)
    expect(project.snapshots.sessionStart("t")).toBeUndefined()
    expect(Object.keys(start.uncommitted).toSorted()).toEqual([".env", "a.txt", "dev.sqlite", "notes.md"])
  })
})
