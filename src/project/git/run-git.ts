import { spawn } from "node:child_process"
import { tmpdir } from "node:os"
import { endProcessTree, hasGroups } from "../../shared/end-process.ts"
import { systemCode } from "../../shared/system-error.ts"

/** A git command has failed; `said` is its output on stderr. */
export class GitFailure extends Error {
  readonly args: readonly string[]
  readonly exit: number
  readonly said: string
  /** The limit at which git was ended, in ms; null where git ended by itself. */
  readonly limitMs: number | null
  /** The system's error code where git could not be started: ENOENT where git is not installed. */
  readonly code: string | undefined
  constructor(
    args: readonly string[],
    exit: number,
    said: string,
    { limitMs = null, code }: { limitMs?: number | null; code?: string | undefined } = {},
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
  /** Ended after so long, and without a terminal: no password can be asked for. */
  timeoutMs?: number | undefined
  /** Ended after so long without any output. Git keeps the terminal, so it can ask for a password. */
  maxSilenceMs?: number | undefined
  /** Ended after so much output. */
  maxBytes?: number
  /** Passes on no variable of git's own, except `env` and those that name its configuration. */
  isPrivate?: boolean
  onStderr?: (text: string) => void
  onWarning?: (text: string) => void
}

/** The output of a git command; throws a GitFailure. Messages are in English, so that they can be recognised. */
export function runGit(dir: string, args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
  const { input, env = {}, timeoutMs, maxSilenceMs, isPrivate = false, onStderr, onWarning } = options
  const { maxBytes = Number.POSITIVE_INFINITY } = options
  const isAlone = timeoutMs !== undefined
  return new Promise((resolve, reject) => {
    const child = spawn("git", ["--no-pager", ...args], {
      cwd: dir,
      env: gitEnv({ ...PLAIN, ...(isAlone && UNATTENDED), ...env }, isPrivate),
      // In a session of its own it has no terminal to ask on, whichever way the user has set up ssh.
      detached: isAlone && hasGroups(),
      windowsHide: true,
    })
    let reached: number | null = null
    const endAfter = (ms: number | undefined) =>
      ms === undefined ? undefined : setTimeout(() => end(ms), ms)
    const limit = endAfter(timeoutMs)
    const silence = endAfter(maxSilenceMs)
    function end(ms: number): void {
      reached = ms
      // Its child processes too: ssh would wait on.
      if (isAlone) endProcessTree(child.pid, "SIGTERM")
      else child.kill()
      // A transport such as ssh may outlive git and hold these open.
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
      clearTimeout(limit)
      clearTimeout(silence)
      reject(new GitFailure(args, -1, error.message, { code: systemCode(error) }))
    })
    child.on("close", (code) => {
      clearTimeout(limit)
      clearTimeout(silence)
      const said = reached === null ? Buffer.concat(errors).toString("utf8") : `timed out after ${reached} ms`
      if (code === 0) {
        if (said !== "") onWarning?.(said)
        resolve(Buffer.concat(output))
      } else reject(new GitFailure(args, code ?? -1, said, { limitMs: reached }))
    })
    child.stdin.on("error", () => {}) // It ended before it had read all: its exit says why.
    child.stdin.end(input)
  })
}

export async function isGitInstalled(): Promise<boolean> {
  try {
    await runGit(tmpdir(), ["--version"], { isPrivate: true, timeoutMs: VERSION_LIMIT_MS })
    return true
  } catch {
    return false // Not in PATH, or it cannot be run.
  }
}

const PLAIN = { LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0" }
const UNATTENDED = { GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "", SSH_ASKPASS_REQUIRE: "never" }
const VERSION_LIMIT_MS = 10_000

/**
 * The environment for a git command in a folder. A git hook, or a script around it, sets variables that name another
 * repository: those would win over the folder.
 */
export function gitEnv(more: Record<string, string> = {}, isPrivate = false): NodeJS.ProcessEnv {
  const env = { ...process.env }
  for (const name of isPrivate ? Object.keys(env).filter(isOfGit) : OF_A_REPOSITORY) delete env[name]
  return { ...env, ...more }
}

/** Variables that name git's configuration are the user's setup, not a repository's. */
function isOfGit(name: string): boolean {
  return name.startsWith("GIT_") && !/^GIT_(CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)|EXEC_PATH)$/.test(name)
}

const OF_A_REPOSITORY = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_COMMON_DIR",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_NAMESPACE",
  "GIT_PREFIX",
]
