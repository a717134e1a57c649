import { spawn } from "node:child_process"
import { tmpdir } from "node:os"
import { endProcessTree, hasGroups } from "../../shared/end-process.ts"
import { systemCode } from "../../shared/system-error.ts"

export class GitFailure extends Error {
  readonly args: readonly string[]
  readonly exit: number
  /** Git's output on stderr. */
  readonly said: string
  /** The time limit at which git was killed, in ms; null if git exited by itself. */
  readonly limitMs: number | null
  /** The system's error code if git could not be started: ENOENT if git is not installed. */
  readonly code: string | undefined
  constructor(
    args: readonly string[],
    exit: number,
    said: string,
    limitMs: number | null = null,
    code?: string,
  ) {
    super(`git ${args[0] ?? ""}: ${said.trim().split("\n")[0] ?? `exit ${exit}`}`)
    this.args = args
    this.exit = exit
    this.said = said
    this.limitMs = limitMs
    this.code = code
  }
}

export interface GitOptions {
  input?: string | Buffer
  env?: Record<string, string>
  /** Kills git after this time, and runs it without a terminal, so that it cannot ask for a password. */
  timeoutMs?: number | undefined
  /** Kills git after this time without output. Git keeps the terminal, so that it can ask for a password. */
  maxSilenceMs?: number | undefined
  maxBytes?: number
  /** Removes all `GIT_…` environment variables but those in `env` and those that name git's configuration. */
  isPrivate?: boolean
  onStderr?: (text: string) => void
  onWarning?: (text: string) => void
}

/** The output of a git command. Throws GitFailure. Git's messages are in English, so that they can be matched. */
export function runGit(dir: string, args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
  const { input, env = {}, timeoutMs, maxSilenceMs, isPrivate = false, onStderr, onWarning } = options
  const { maxBytes = Number.POSITIVE_INFINITY } = options
  const isAlone = timeoutMs !== undefined
  return new Promise((resolve, reject) => {
    const child = spawn("git", ["--no-pager", ...args], {
      cwd: dir,
      env: gitEnv({ ...PLAIN, ...(isAlone && UNATTENDED), ...env }, isPrivate),
      // A detached process has no terminal, so that neither git nor ssh can ask for a password.
      detached: isAlone && hasGroups(),
      windowsHide: true,
    })
    let reached: number | null = null
    const limit = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs, timeoutMs)
    const silence = maxSilenceMs === undefined ? undefined : setTimeout(end, maxSilenceMs, maxSilenceMs)
    const stopTimers = () => {
      clearTimeout(limit)
      clearTimeout(silence)
    }
    function end(ms: number): void {
      reached = ms
      // Also kills child processes such as ssh, which would go on waiting.
      if (isAlone) endProcessTree(child.pid, "SIGTERM")
      else child.kill()
      // A child process such as ssh may outlive git and keep the streams open.
      child.stdout.destroy()
      child.stderr.destroy()
    }
    const output: Buffer[] = []
    let bytes = 0
    const errors: Buffer[] = []
    child.stdout.on("data", (chunk: Buffer) => {
      silence?.refresh()
      output.push(chunk)
      bytes += chunk.length
      if (bytes > maxBytes) child.kill()
    })
    child.stderr.on("data", (chunk: Buffer) => {
      silence?.refresh()
      errors.push(chunk)
      onStderr?.(chunk.toString("utf8"))
    })
    child.on("error", (error) => {
      stopTimers()
      reject(new GitFailure(args, -1, error.message, null, systemCode(error)))
    })
    child.on("close", (code) => {
      stopTimers()
      const said = reached === null ? Buffer.concat(errors).toString("utf8") : `timed out after ${reached} ms`
      if (code === 0) {
        if (said !== "") onWarning?.(said)
        resolve(Buffer.concat(output))
      } else reject(new GitFailure(args, code ?? -1, said, reached))
    })
    child.stdin.on("error", () => {}) // Git exited without reading all input: its exit code tells the reason.
    child.stdin.end(input)
  })
}

export async function isGitInstalled(): Promise<boolean> {
  try {
    await runGit(tmpdir(), ["--version"], { isPrivate: true, timeoutMs: VERSION_LIMIT_MS })
    return true
  } catch {
    return false // Git is not in PATH, or cannot be run.
  }
}

const PLAIN = { LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0" }
const UNATTENDED = { GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "", SSH_ASKPASS_REQUIRE: "never" }
const VERSION_LIMIT_MS = 10_000

/** The environment for git. Omits variables that git sets for hooks, which would override the folder's repository. */
export function gitEnv(more: Record<string, string> = {}, isPrivate = false): NodeJS.ProcessEnv {
  const env = { ...process.env }
  const ofGit = Object.keys(env).filter((name) => name.startsWith("GIT_") && !OF_THE_USER.test(name))
  for (const name of isPrivate ? ofGit : OF_A_REPOSITORY) delete env[name]
  return { ...env, ...more }
}

/** Variables that name the user's configuration of git, and the folder of git's programs. */
const OF_THE_USER = /^GIT_(CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)|EXEC_PATH)$/
const OF_A_REPOSITORY = [
  ...["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_NAMESPACE", "GIT_PREFIX"],
  ...["GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"],
]
