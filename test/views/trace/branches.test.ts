import { join } from "node:path"
import { expect, it } from "vitest"
import { LOG_REF } from "../../../src/sync/ref.ts"
import { traceCommits } from "../../../src/views/trace/commits.ts"
import { git } from "../../support/git-repo.ts"
import { makeTeam } from "../../support/team.ts"
import { tempProject } from "../../support/temp-project.ts"

it("commits of every branch are found, here, at the remote and in other worktrees; those of our log are not", async () => {
  const root = await tempProject()
  const { anna, bert } = makeTeam(root)
  const stamp = "301411022026"
  const commit = (dir: string, what: string) =>
    git(dir, "commit", "-q", "--allow-empty", "-m", `${what} [${stamp}]`)
  git(anna, "switch", "-q", "-c", "side")
  commit(anna, "on a side branch")
  git(anna, "worktree", "add", "-q", join(root, "linked"), "-b", "third")
  commit(join(root, "linked"), "in a linked worktree")
  git(anna, "switch", "-q", "-")
  git(anna, "checkout", "-q", "--detach")
  git(bert, "switch", "-q", "-c", "theirs", "origin/main")
  commit(bert, "at the remote")
  git(bert, "push", "-q", "origin", "theirs")
  git(anna, "fetch", "-q")
  const tree = git(anna, "rev-parse", "HEAD^{tree}")
  git(anna, "update-ref", LOG_REF, git(anna, "commit-tree", tree, "-m", `log [${stamp}]`))
  const { commits } = await traceCommits(anna, stamp, new RegExp(stamp))
  expect(commits.map(({ text }) => text.replace(/ \[.*/, "")).sort()).toEqual([
    "at the remote",
    "in a linked worktree",
    "on a side branch",
  ])
})
