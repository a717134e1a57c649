import { expect, it } from "vitest"
import { isCommitCommand } from "../../src/shared/commit-command.ts"

it.each([
  "git commit",
  'git commit -m "feat: login"',
  "npm test && git commit -am x",
  "git add -A; git commit --amend --no-edit",
  "(cd app && git commit -m x)",
  "git -C app commit -m x",
  'git -c user.name="A Name" -c user.email=a@b.c --no-pager commit -m x',
  "GIT_DIR=x git commit",
])("%s is a commit", (command) => {
  expect(isCommitCommand(command)).toBe(true)
})

it.each([
  "git log",
  "git log --grep commit",
  "git show HEAD -- commit.ts",
  "git add commit.ts",
  "git commit-graph write",
  "git commit.ts",
  "legit commit",
  "git status && echo commit",
])("%s is none", (command) => {
  expect(isCommitCommand(command)).toBe(false)
})
