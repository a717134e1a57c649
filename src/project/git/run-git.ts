import { spawn } from "node:child_process"

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
  /** Ended after so long; none where a person may be asked for a password. */
  timeoutMs?: number | undefined
}

/** What git prints; throws a GitFailure. Messages are English, so that they can be told apart. */
export function runGit(dir: string, args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
  const { input, env = {}, timeoutMs } = options
  return new Promise((resolve, reject) => {
    const child = spawn("git", ["--no-pager", ...args], {
      cwd: dir,
      env: { ...process.env, LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0", ...env },
      timeout: timeoutMs,
      windowsHide: true,
    })
    const output: Buffer[] = []
    const errors: Buffer[] = []
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk))
    child.stderr.on("data", (chunk: Buffer) => errors.push(chunk))
    child.on("error", (error) => reject(new GitFailure(args, -1, error.message)))
    child.on("close", (code, signal) => {
      const isLate = signal !== null && timeoutMs !== undefined
      const said = isLate ? `timed out after ${timeoutMs} ms` : Buffer.concat(errors).toString("utf8")
      if (code === 0) resolve(Buffer.concat(output))
      else reject(new GitFailure(args, code ?? -1, said))
    })
    child.stdin.on("error", () => {}) // It ended before it had read all: its exit says why.
    child.stdin.end(input)
  })
}
