import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { carryOut } from "../../../src/work/restore/restore.ts"
import { around, snapshotProject } from "../../snapshots/snapshot-project.ts"
import { git } from "../../support/git-repo.ts"

const PURGE = "git reflog expire --expire=now --all; git gc -q --prune=now"

describe("restoring branches, stashes and staged content", () => {
  it.each(["true", PURGE])("brings back a deleted branch and tag, and a reset, after `%s`", async (purge) => {
    const project = await snapshotProject()
    project.sh("git checkout -qb topic; echo t > t; git add t; git commit -qm topic; git checkout -q main")
    project.sh("git tag light topic; git tag -a -m x heavy topic; git commit -q --allow-empty -m second")
    const refs = git(project.dir, "for-each-ref")
    const head = git(project.dir, "rev-parse", "HEAD")
    const record = await project.call(
      `git branch -qD topic; git tag -d light heavy; git reset -q --hard HEAD~1; ${purge}`,
    )
    expect(record.counts.refs).toBe(4)
    const { failed } = await project.restore(record, { refs: true })
    expect([failed, git(project.dir, "for-each-ref"), git(project.dir, "rev-parse", "HEAD")]).toEqual([
      [],
      refs,
      head,
    ])
    expect(git(project.dir, "fsck", "--connectivity-only")).not.toContain("missing")
    expect(git(project.dir, "status", "--porcelain")).toBe("")
  })

  it.each(["true", PURGE])("brings stashes back in order, and staged content, after `%s`", async (purge) => {
    const project = await snapshotProject()
    for (const n of [1, 2, 3]) project.sh(`echo ${n} > s${n}; git stash -qu -m "stash ${n}"`)
    project.sh("echo staged > a.txt; git add a.txt; echo dirty > a.txt; git rm -q --cached b.txt")
    const before = project.sh(
      "git stash list; git stash show -p --include-untracked stash@{1}; git diff --cached; git diff",
    )
    const record = await project.call(`git stash clear; git reset -q --hard; ${purge}`)
    expect(project.sh("git stash list")).toBe("")
    const { failed } = await project.restore(record, { refs: true })
    expect(failed).toEqual([])
    expect(
      project.sh(
        "git stash list; git stash show -p --include-untracked stash@{1}; git diff --cached; git diff",
      ),
    ).toBe(before)
  })

  it("gives a lost detached commit a branch, and none to one that a branch still has", async () => {
    const project = await snapshotProject()
    project.sh("git checkout -q --detach; echo d > d; git add d; git commit -qm detached")
    const commit = git(project.dir, "rev-parse", "HEAD")
    const lost = await project.call(`git checkout -q main; ${PURGE}`)
    await project.restore(lost, { refs: true })
    expect(git(project.dir, "rev-parse", `restored/S${lost.number}/HEAD`)).toBe(commit)
    project.sh("git checkout -q --detach main")
    const kept = await project.call("git checkout -q main")
    expect((await project.plan(`S${kept.number}`, { refs: true })).repository?.refs).toEqual([])
  })

  it("puts a branch or tag beside one that has moved since", async () => {
    const project = await snapshotProject()
    project.sh("git commit -q --allow-empty -m second; git tag -a -m x v1; git branch side")
    const [old, tag] = [git(project.dir, "rev-parse", "main"), git(project.dir, "rev-parse", "v1")]
    const record = await project.call("git reset -q --hard HEAD~1; git branch -qD side; git tag -d v1")
    project.sh(
      "git commit -q --allow-empty -m later; git branch side; git tag v1; git branch deep; git branch -m deep side2",
    )
    const stands = git(project.dir, "rev-parse", "main")
    const { failed } = await project.restore(record, { refs: true })
    const refOf = (name: string) => git(project.dir, "rev-parse", name)
    expect(failed).toEqual([])
    expect([refOf("main"), refOf("side"), refOf("v1")]).toEqual([stands, stands, stands])
    const beside = `restored/S${record.number}`
    expect([refOf(`${beside}/main`), refOf(`${beside}/side`), refOf(`refs/tags/${beside}/v1`)]).toEqual([
      old,
      old,
      tag,
    ])
  })

  it("leaves remote branches and branches of other worktrees alone", async () => {
    const project = await snapshotProject()
    project.sh("git branch other; git commit -q --allow-empty -m second; git worktree add -q ../tree other")
    project.sh("git update-ref refs/remotes/origin/main HEAD")
    const record = await project.call(
      "git update-ref -d refs/remotes/origin/main; git -C ../tree commit -q --allow-empty -m there",
    )
    const { plan } = await project.restore(record, { refs: true })
    expect(plan.repository?.refs).toEqual([])
    expect(plan.repository?.notes.join()).toContain("refs/heads/other is checked out in another worktree")
    const inTree = around(join(project.dir, "../tree"))
    await expect(inTree.plan(`S${record.number}`, {})).rejects.toMatchObject({ code: "invalid_argument" })
  })

  it("does not stage one branch's files on another", async () => {
    const project = await snapshotProject()
    project.sh("git checkout -qb topic; echo t > a.txt; git commit -qam topic; echo s > b.txt; git add b.txt")
    const record = await project.call("git reset -q --hard; git checkout -q main; git branch -qD topic")
    const { plan } = await project.restore(record, { refs: true })
    expect(project.sh("git diff --cached --name-only; git log -1 --format=%s topic")).toBe("b.txt\ntopic")
    expect(plan.repository?.notes.join()).toContain("HEAD is not moved")
  })

  it("leaves alone what was staged between the plan and its execution", async () => {
    const project = await snapshotProject()
    project.sh("echo mine > a.txt; git add a.txt")
    const record = await project.call("git reset -q --hard")
    const plan = await project.plan(`S${record.number}`, { refs: true })
    project.sh("git update-index --cacheinfo 100644,$(echo other | git hash-object -w --stdin),a.txt")
    const { failed } = await carryOut(project.snapshots, plan, record)
    expect(failed).toEqual([{ path: "index", why: "the file changed during the restore" }])
    expect(project.sh("git show :a.txt")).toBe("other")
  })
})
