import { askGit } from "../project/git/git.ts"
import { GitFailure, runGit } from "../project/git/run-git.ts"
import { HiveError } from "../shared/error.ts"
import { explained } from "./git-errors.ts"
import { LOG_REF, remoteRef } from "./ref.ts"

/** The remote of the branch one is on; else `origin`, or the only one. Undefined where there is none. */
export async function chooseRemote(dir: string): Promise<string | undefined> {
  const remotes = await remotesOf(dir)
  const branch = (await askGit(dir, ["symbolic-ref", "--quiet", "--short", "HEAD"]))?.trim()
  const own = branch && (await askGit(dir, ["config", "--get", `branch.${branch}.remote`]))?.trim()
  if (own && remotes.includes(own)) return own
  return remotes.includes("origin") ? "origin" : remotes.length === 1 ? remotes[0] : undefined
}

/** The remote of that name, or a refusal that lists those that are there. */
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

/** Brings what the remote has; false where it has nothing yet. */
export async function fetchLog(dir: string, remote: string, timeoutMs?: number): Promise<boolean> {
  const refs = `+${LOG_REF}:${remoteRef(remote)}`
  try {
    await runGit(dir, ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", remote, refs], { timeoutMs })
    return true
  } catch (error) {
    if (error instanceof GitFailure && /couldn't find remote ref/i.test(error.said)) return false
    throw explained(error, `fetch from ${remote}`)
  }
}

/** Sends the log; "behind" where the remote has got something new meanwhile. */
export async function pushLog(dir: string, remote: string, timeoutMs?: number): Promise<"pushed" | "behind"> {
  try {
    // A project's hooks are about its code.
    await runGit(dir, ["push", "--quiet", "--no-verify", remote, `${LOG_REF}:${LOG_REF}`], { timeoutMs })
    return "pushed"
  } catch (error) {
    if (
      error instanceof GitFailure &&
      /\[rejected\]|non-fast-forward|fetch first|cannot lock ref/i.test(error.said)
    )
      return "behind"
    throw explained(error, `push to ${remote}`)
  }
}
