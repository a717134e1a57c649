import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { runGit } from "../../src/project/git/run-git.ts"

/** A small project under git as somebody works on it: on a branch, most is committed, two files are not. */
export async function scratchRepository(dir: string): Promise<void> {
  const git = (...args: string[]) => runGit(dir, ["-c", "user.name=x", "-c", "user.email=x@x", ...args])
  await git("init", "-q", "-b", "my-branch")
  for (const file of COMMITTED) await put(dir, file, `${file}\n`)
  await put(dir, ".gitignore", "node_modules\ndist\n.env\n")
  await git("add", "-A")
  await git("commit", "-q", "-m", "first")
  for (const file of ["node_modules/a/index.js", "dist/index.js"]) await put(dir, file, "made\n")
  await put(dir, "src/app.ts", "changed\n")
  await put(dir, "src/draft.ts", "new\n")
}

async function put(dir: string, file: string, text: string): Promise<void> {
  await mkdir(dirname(join(dir, file)), { recursive: true })
  await writeFile(join(dir, file), text)
}

const COMMITTED = [
  "package.json",
  "package-lock.json",
  "pnpm-lock.yaml",
  "README.md",
  "Makefile",
  "src/app.ts",
  "src/old.ts",
  "lib/index.js",
  "test/app.test.ts",
  "docs/index.md",
  "scripts/build.sh",
]
