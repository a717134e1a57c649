import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { LOG_REF } from "../../src/sync/ref.ts"

/** Runs the real git, untouched by the settings of whoever runs the tests. Throws where git fails. */
export function git(dir: string, ...args: string[]): string {
  return execFileSync("git", args, {
    cwd: dir,
    encoding: "utf8",
    env: ENV,
    stdio: ["ignore", "pipe", "pipe"],
  }).trimEnd()
}

/** A repository in a folder, with one commit. */
export function gitRepo(dir: string, files: Record<string, string> = { "a.txt": "a\n" }): string {
  mkdirSync(dir, { recursive: true })
  git(dir, "init", "-q", "-b", "main")
  commitFiles(dir, files, "first")
  return dir
}

export function commitFiles(dir: string, files: Record<string, string>, message: string): void {
  writeFiles(dir, files)
  git(dir, "add", "-A")
  git(dir, "commit", "-q", "-m", message)
}

/** Writes files, with the folders that they need. */
export function writeFiles(dir: string, files: Record<string, string | Buffer>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), content)
  }
}

/** What `git status` tells of, untracked files one by one. */
export function gitStatus(dir: string): string[] {
  return git(dir, "status", "--porcelain", "-uall")
    .split("\n")
    .filter((line) => line !== "")
}

/** Git as nobody has configured it. */
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

/** How many entries the repository's log has. */
export function linesInLog(dir: string): number {
  const files = git(dir, "ls-tree", "-r", "--name-only", LOG_REF).trim().split("\n")
  return files.flatMap((file) => git(dir, "show", `${LOG_REF}:${file}`).trim().split("\n")).length
}
