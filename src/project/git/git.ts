import { execFile } from "node:child_process"

/**
 * What git prints, or undefined where it cannot be asked: no git, no repository, too slow, too much. Never changes
 * anything, and never waits for a password or an editor.
 */
export function askGit(dir: string, args: readonly string[]): Promise<string | undefined> {
  const options = { cwd: dir, timeout: LIMIT_MS, maxBuffer: MAX_BYTES, windowsHide: true }
  return new Promise((resolve) => {
    try {
      const child = execFile(
        "git",
        ["--no-optional-locks", "--no-pager", ...args],
        options,
        (error, stdout) => resolve(error === null ? stdout : undefined),
      )
      child.stdin?.end()
    } catch {
      resolve(undefined) // Not even a process could be made, as in a folder that is none.
    }
  })
}

const LIMIT_MS = 10_000
const MAX_BYTES = 4 << 20
