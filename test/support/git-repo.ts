import { execFileSync, type StdioOptions } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { LOG_REF } from "../../src/sync/ref.ts"

/** Runs the real git without the developer's settings. Throws if git fails. */
export function git(dir: string, ...args: string[]): string {
  const stdio: StdioOptions = ["ignore", "pipe", "pipe"]
  return execFileSync("git", args, { cwd: dir, encoding: "utf8", env: ENV, stdio }).trimEnd()
}

export function gitRepo(dir: string, files: Record<string, string> = { "a.txt": "a\n" }): string {
  mkdirSync(dir, { recursive: true })
  git(dir, "init", "-q", "-b", "main")
  commitFiles(dir, files, "first")
  return dir
}

/** A repository, and a worktree of it beside it. */
export function repoWithLinked(root: string, ...branch: string[]): { repo: string; linked: string } {
  const repo = gitRepo(join(root, "repo"))
  const linked = join(root, "linked")
  git(repo, "worktree", "add", "-q", ...branch, linked)
  return { repo, linked }
}

/** A bare repository, and a worktree of it. */
export function bareWithLinked(root: string, from: string): { bare: string; linked: string } {
  const [bare, linked] = [join(root, "team.git"), join(root, "linked")]
  git(root, "clone", "-q", "--bare", from, bare)
  git(bare, "worktree", "add", "-q", linked)
  return { bare, linked }
}

export function commitFiles(dir: string, files: Record<string, string>, message: string): void {
  writeFiles(dir, files)
  git(dir, "add", "-A")
  git(dir, "commit", "-q", "-m", message)
}

export function writeFiles(dir: string, files: Record<string, string | Buffer>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), content)
  }
}

export function gitStatus(dir: string): string[] {
  const lines = git(dir, "status", "--porcelain", "-uall").split("\n")
  return lines.filter((line) => line !== "")
}

export const GIT_ENV = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "A Tester",
  GIT_AUTHOR_EMAIL: "tester@example.com",
  GIT_COMMITTER_NAME: "A Tester",
  GIT_COMMITTER_EMAIL: "tester@example.com",
}
const ENV: Record<string, string | undefined> = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"))),
  ...GIT_ENV,
}

export function linesInLog(dir: string): number {
  const files = git(dir, "ls-tree", "-r", "--name-only", LOG_REF).trim().split("\n")
  return files.flatMap((file) => git(dir, "show", `${LOG_REF}:${file}`).trim().split("\n")).length
}
