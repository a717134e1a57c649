import { execFile } from "node:child_process"
import { gitEnv } from "./git-env.ts"

/**
 * What git prints, or undefined on any failure: no git, no repository, too slow, too much. For reading only; never
 * waits for a password or an editor.
 */
export function askGit(dir: string, args: readonly string[]): Promise<string | undefined> {
  const options = { cwd: dir, env: gitEnv(), timeout: LIMIT_MS, maxBuffer: MAX_BYTES, windowsHide: true }
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
      resolve(undefined) // The process could not be started, for example because the folder is gone.
    }
  })
}

const LIMIT_MS = 10_000
const MAX_BYTES = 4 << 20
