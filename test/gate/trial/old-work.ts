import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { GIT_ENV, writeFiles } from "../../support/git-repo.ts"

/**
 * A repository after weeks of work: branches merged, pushed and not, a tag that alone has a commit, a
 * linked worktree, and commits that no remote has. `dirty` adds work in no commit: changed, staged and new files, a stash, a
 * repository within. Every line of it is of before the session.
 */
export function oldWork(dir: string, state: "dirty" | "clean"): string {
  const project = join(dir, "p")
  mkdirSync(join(dir, "home"))
  git(dir, "init", "-q", "--bare", "-b", "main", "origin.git")
  git(dir, "init", "-q", "-b", "main", "p")
  writeFiles(project, FIRST)
  commit(project, "one")
  writeFiles(project, { "src/b.ts": "base b\ntwo\n" })
  commit(project, "two")
  git(project, "tag", "v1")
  git(project, "remote", "add", "origin", "../origin.git")
  git(project, "push", "-q", "-u", "origin", "main")
  branch(project, "merged", { "src/m.ts": "m\n" })
  git(project, "merge", "-q", "merged")
  git(project, "push", "-q")
  branch(project, "feature", { "src/f.ts": "only here\n" })
  branch(project, "pushed", { "src/pf.ts": "pf\n" })
  git(project, "push", "-q", "-u", "origin", "pushed")
  branch(project, "away", { "src/tagged.ts": "only in the tag\n" })
  git(project, "tag", "lonely", "away")
  git(project, "branch", "-q", "-D", "away")
  writeFiles(project, { "src/local.ts": "in no remote\n" })
  commit(project, "local")
  if (state === "dirty") leaveOpen(project)
  git(project, "worktree", "add", "-q", "../wt", "-b", "wtbranch", "v1")
  writeFiles(join(dir, "wt"), { "src/a.ts": "changed in the worktree\n" })
  writeFiles(project, IGNORED)
  writeFileSync(join(project, ".git/info/exclude"), ".hivemind/\n")
  return project
}

function leaveOpen(project: string): void {
  writeFiles(project, { "src/c.ts": "base c\nput away\n" })
  git(project, "stash", "-q")
  const nested = join(project, "vendor/lib")
  writeFiles(nested, { "l.txt": "l\n" })
  git(nested, "init", "-q", "-b", "main")
  commit(nested, "l")
  writeFiles(nested, { "l.txt": "changed\n" })
  writeFiles(project, { "src/staged.ts": "staged\n" })
  git(project, "add", "src/staged.ts")
  writeFiles(project, {
    "src/staged.ts": "changed since\n",
    "src/a.ts": "base a\nchanged\n",
    "src/new.ts": "new\n",
    "notes.md": "notes\n",
    "data/input.csv": "data\n",
    "docs/draft.md": "draft\n",
    "local.yaml": "a: 2\n",
  })
}

function branch(project: string, name: string, files: Record<string, string>): void {
  git(project, "checkout", "-q", "-b", name)
  writeFiles(project, files)
  commit(project, name)
  git(project, "checkout", "-q", "main")
}

function commit(dir: string, message: string): void {
  git(dir, "add", "-A")
  git(dir, "commit", "-q", "-m", message)
}

function git(dir: string, ...args: string[]): void {
  const dates = { GIT_AUTHOR_DATE: LONG_AGO, GIT_COMMITTER_DATE: LONG_AGO }
  execFileSync("git", args, { cwd: dir, env: { ...process.env, ...GIT_ENV, ...dates }, stdio: "ignore" })
}

const LONG_AGO = "2020-02-02T20:20:20Z"

const FIRST = {
  ".gitignore": "node_modules/\ndist/\n.env\n*.log\ncoverage/\nbuild/\n",
  ...Object.fromEntries(
    ["a", "b", "c", "clean", "clean2", "staged", "old"].map((name) => [`src/${name}.ts`, `base ${name}\n`]),
  ),
  "README.md": "# readme\n",
  "docs/x.md": "doc\n",
  "test/a.test.ts": "t\n",
  "package.json": '{"name":"p","scripts":{"test":"true","build":"true"}}\n',
  "package-lock.json": "{}\n",
  Makefile: "all:\n",
  "scripts/run.sh": "#!/bin/sh\n",
  "packages/a/i.ts": "pa\n",
  "packages/b/i.ts": "pb\n",
  "config.yaml": "a: 1\n",
}

const IGNORED = {
  "dist/i.js": "d\n",
  "build/o.js": "o\n",
  "node_modules/x/i.js": "n\n",
  "coverage/lcov.info": "c\n",
  ".env": "S=1\n",
  "app.log": "log\n",
  ".hivemind/graph/tasks.jsonl": "of the hive\n",
  ".hivemind/system/config.json": "{}\n",
  ".hivemind/artifacts/n.md": "note\n",
}
