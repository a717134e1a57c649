import { askGit } from "../project/git/git.ts"
import { GitFailure, runGit } from "../project/git/run-git.ts"
import { HiveError } from "../shared/error.ts"
import { duration } from "../shared/time.ts"
import { explained } from "./git-errors.ts"
import { LOG_REF, type Repository, remoteRef } from "./ref.ts"

/** Chooses the current branch's remote, else `origin`, else the only remote. */
export async function chooseRemote(dir: string): Promise<string | undefined> {
  const remotes = await remotesOf(dir)
  const branch = (await askGit(dir, ["symbolic-ref", "--quiet", "--short", "HEAD"]))?.trim()
  const own = branch && (await askGit(dir, ["config", "--get", `branch.${branch}.remote`]))?.trim()
  if (own && remotes.includes(own)) return own
  return remotes.includes("origin") ? "origin" : remotes.length === 1 ? remotes[0] : undefined
}

export async function requireRemote(dir: string, name: string): Promise<string> {
  const remotes = await remotesOf(dir)
  if (remotes.includes(name)) return name
  throw new HiveError({
    code: "not_found",
    what: `There is no remote "${name}".`,
    why: "HiveMind sends the log only to remotes that are set up in git.",
    use_instead:
      remotes.length === 0
        ? `Add it with \`git remote add ${name} <address>\`.`
        : `Use one of: ${remotes.join(", ")}.`,
    evidence: "git remote",
  })
}

async function remotesOf(dir: string): Promise<string[]> {
  return ((await askGit(dir, ["remote"])) ?? "").split("\n").filter((name) => name !== "")
}

export interface Contact {
  /** The time limit of the whole git command. Not set if a person waits for the result. */
  timeoutMs?: number | undefined
  /** How long a remote may send nothing before HiveMind gives up. */
  maxSilenceMs?: number | undefined
  /** Receives messages for the user. */
  onNote?: ((note: string) => void) | undefined
  /** Receives git's progress, such as `Receiving objects:  45%`. */
  onTransfer?: ((progress: string) => void) | undefined
}

/** Returns false if the remote has no log yet. */
export async function fetchLog(repository: Repository, remote: string, contact: Contact): Promise<boolean> {
  const known = remoteRef(remote)
  // Without `--no-filter`, a partial clone would later fetch each blob of the log separately.
  const options = ["--no-filter", "--no-tags", "--no-write-fetch-head"]
  try {
    await repository.removeUnreadable(known)
    await askRemote(repository.dir, remote, ["fetch", ...options], [`+${LOG_REF}:${known}`], contact)
    return true
  } catch (error) {
    if (error instanceof GitFailure && /couldn't find remote ref/i.test(error.said)) return false
    throw explained(error, `fetch from ${remote}`)
  }
}

/** Returns "behind" if another clone has pushed first, or "locked" if another push is running. The caller tries again. */
export async function pushLog(
  repository: Repository,
  remote: string,
  contact: Contact,
): Promise<"pushed" | "behind" | { locked: unknown }> {
  try {
    // Skips hooks, because they check the project's code.
    await askRemote(repository.dir, remote, ["push", "--no-verify"], [`${LOG_REF}:${LOG_REF}`], contact)
    return "pushed"
  } catch (error) {
    const said = error instanceof GitFailure ? error.said : ""
    const failure = explained(error, `push to ${remote}`)
    if (/\.lock': File exists/i.test(said)) return { locked: failure }
    if (/\[rejected\]|non-fast-forward|fetch first|cannot lock ref/i.test(said)) return "behind"
    throw failure
  }
}

async function askRemote(
  dir: string,
  remote: string,
  [command = "", ...options]: readonly string[],
  refs: readonly string[],
  { timeoutMs, maxSilenceMs = MAX_SILENCE_MS, onNote, onTransfer }: Contact,
): Promise<void> {
  onNote?.(command === "push" ? `Sending to ${remote}` : `Fetching from ${remote}`)
  const note = setTimeout(() => {
    const limit = duration(maxSilenceMs)
    onNote?.(`${remote} has not answered for ${duration(NOTE_AFTER_MS)}; HiveMind gives up after ${limit}`)
  }, NOTE_AFTER_MS)
  const onStderr = (text: string) => {
    note.refresh()
    const progress = text.split(/[\r\n]/).findLast((line) => line.includes("%"))
    if (progress !== undefined) onTransfer?.(progress.replace(/^remote: /, "").trim())
  }
  try {
    await runGit(dir, [command, "--progress", ...options, remote, ...refs], {
      timeoutMs,
      maxSilenceMs,
      onStderr,
    })
  } catch (error) {
    throw error instanceof GitFailure && error.limitMs !== null ? silent(remote, error) : error
  } finally {
    clearTimeout(note)
  }
}

function silent(remote: string, error: GitFailure): HiveError {
  return new HiveError(
    {
      code: "git_failed",
      what: `${remote} did not answer.`,
      why: `It sent nothing for ${duration(error.limitMs ?? 0)}, so HiveMind closed the connection. Your local data is unchanged.`,
      use_instead: `Check the connection with \`git ls-remote ${remote}\`, then run \`hivemind sync\` again. If the remote is slow, run \`hivemind sync --wait <seconds>\`.`,
      evidence: `git ${error.args[0] ?? ""} ${remote}`,
    },
    { cause: error },
  )
}

// Longer than a person needs to enter a password, and than most servers need to check a push.
export const MAX_SILENCE_MS = 120_000
const NOTE_AFTER_MS = 10_000
