import { type ChildProcess, spawn } from "node:child_process"
import { gitEnv } from "./git-env.ts"

/** Git could not do it; `said` is what it printed. */
export class GitFailure extends Error {
  readonly args: readonly string[]
  readonly exit: number
  readonly said: string
  constructor(args: readonly string[], exit: number, said: string) {
    super(`git ${args[0] ?? ""}: ${said.trim().split("\n")[0] ?? `exit ${exit}`}`)
    this.args = args
    this.exit = exit
    this.said = said
  }
}

export interface GitOptions {
  input?: string | Buffer
  env?: Record<string, string>
  /** Ended after so long, and nobody is asked for a password; none where a person may be. */
  timeoutMs?: number | undefined
  /** Gets what git has printed beside its output, where it has not failed. */
  onWarning?: (text: string) => void
}

/** What git prints; throws a GitFailure. Messages are English, so that they can be told apart. */
export function runGit(dir: string, args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
  const { input, env = {}, timeoutMs, onWarning } = options
  const isAlone = timeoutMs !== undefined
  return new Promise((resolve, reject) => {
    const child = spawn("git", ["--no-pager", ...args], {
      cwd: dir,
      env: gitEnv({ ...PLAIN, ...(isAlone && UNATTENDED), ...env }),
      // In a session of its own it has no terminal to ask on, whichever way the user has set up ssh.
      detached: isAlone,
      windowsHide: true,
    })
    let isLate = false
    const limit = isAlone ? setTimeout(end, timeoutMs) : undefined
    function end(): void {
      isLate = true
      endGroup(child)
    }
    const output: Buffer[] = []
    const errors: Buffer[] = []
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk))
    child.stderr.on("data", (chunk: Buffer) => errors.push(chunk))
    child.on("error", (error) => {
      clearTimeout(limit)
      reject(new GitFailure(args, -1, error.message))
    })
    child.on("close", (code) => {
      clearTimeout(limit)
      const said = isLate ? `timed out after ${timeoutMs} ms` : Buffer.concat(errors).toString("utf8")
      if (code === 0) {
        if (said !== "") onWarning?.(said)
        resolve(Buffer.concat(output))
      } else reject(new GitFailure(args, code ?? -1, said))
    })
    child.stdin.on("error", () => {}) // It ended before it had read all: its exit says why.
    child.stdin.end(input)
  })
}

/** With what it has started: ssh would wait on. */
function endGroup(child: ChildProcess): void {
  try {
    if (child.pid === undefined || process.platform === "win32") child.kill()
    else process.kill(-child.pid)
  } catch {
    // It has ended by itself.
  }
}

const PLAIN = { LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0" }
const UNATTENDED = { GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "", SSH_ASKPASS_REQUIRE: "never" }
