import { askGit } from "../project/git/git.ts"
import { GitFailure, runGit } from "../project/git/run-git.ts"
import { HiveError } from "../shared/error.ts"
import { duration } from "../shared/time.ts"
import { explained } from "./git-errors.ts"
import { LOG_REF, type Repository, remoteRef } from "./ref.ts"

/** The remote of the current branch; else `origin`, or the only one. Undefined if there is none. */
export async function chooseRemote(dir: string): Promise<string | undefined> {
  const remotes = await remotesOf(dir)
  const branch = (await askGit(dir, ["symbolic-ref", "--quiet", "--short", "HEAD"]))?.trim()
  const own = branch && (await askGit(dir, ["config", "--get", `branch.${branch}.remote`]))?.trim()
  if (own && remotes.includes(own)) return own
  return remotes.includes("origin") ? "origin" : remotes.length === 1 ? remotes[0] : undefined
}

/** Refuses the name of a remote that does not exist, and lists the others. */
export async function requireRemote(dir: string, name: string): Promise<string> {
  const remotes = await remotesOf(dir)
  if (remotes.includes(name)) return name
  throw new HiveError({
    code: "not_found",
    what: `There is no remote "${name}".`,
    why: "The log goes to a remote that git knows by name.",
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

/** How a sync talks to a remote. */
export interface Contact {
  /** Limit for git in all, if no person waits. */
  timeoutMs?: number | undefined
  /** How long the remote may be silent. */
  maxSilenceMs?: number | undefined
  /** Gets a line for a person: which remote is contacted, and that it is silent. */
  onNote?: ((note: string) => void) | undefined
  /** Gets git's own progress, such as `Receiving objects:  45%`. */
  onTransfer?: ((progress: string) => void) | undefined
}

/** Fetches the remote's log; false if it has none yet. */
export async function fetchLog(repository: Repository, remote: string, contact: Contact): Promise<boolean> {
  const known = remoteRef(remote)
  // A partial clone would fetch each blob of the log on its own later.
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

/** Pushes the log. "behind": another clone has pushed meanwhile. `locked`: another push holds a lock; the caller tries again. */
export async function pushLog(
  repository: Repository,
  remote: string,
  contact: Contact,
): Promise<"pushed" | "behind" | { locked: unknown }> {
  try {
    // A project's hooks are about its code.
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
    onNote?.(`${remote} has said nothing for ${duration(NOTE_AFTER_MS)}; giving up after ${limit} of silence`)
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
      why: `It said nothing for ${duration(error.limitMs ?? 0)}, so the connection was closed. Your local data is unchanged.`,
      use_instead: `Check the connection with \`git ls-remote ${remote}\`, then run \`hivemind sync\` again. For a slow remote: \`hivemind sync --wait <seconds>\`.`,
      evidence: `git ${error.args[0] ?? ""} ${remote}`,
    },
    { cause: error },
  )
}

// Longer than a person needs to type a password, and than most servers check a push without a word.
export const MAX_SILENCE_MS = 120_000
const NOTE_AFTER_MS = 10_000
