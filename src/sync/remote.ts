import { askGit } from "../project/git/git.ts"
import { GitFailure, runGit } from "../project/git/run-git.ts"
import { HiveError } from "../shared/error.ts"
import { LOG_REF, remoteRef } from "./ref.ts"

/** The remote of the branch one is on; else `origin`, or the only one. Undefined where there is none. */
export async function chooseRemote(dir: string): Promise<string | undefined> {
  const remotes = ((await askGit(dir, ["remote"])) ?? "").split("\n").filter((name) => name !== "")
  const branch = (await askGit(dir, ["symbolic-ref", "--quiet", "--short", "HEAD"]))?.trim()
  const own = branch && (await askGit(dir, ["config", "--get", `branch.${branch}.remote`]))?.trim()
  if (own && remotes.includes(own)) return own
  return remotes.includes("origin") ? "origin" : remotes.length === 1 ? remotes[0] : undefined
}

/** Brings what the remote has; false where it has nothing yet. */
export async function fetchLog(dir: string, remote: string, timeoutMs?: number): Promise<boolean> {
  const refs = `+${LOG_REF}:${remoteRef(remote)}`
  try {
    await runGit(
      dir,
      ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", remote, refs],
      asked(timeoutMs),
    )
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
    await runGit(dir, ["push", "--quiet", "--no-verify", remote, `${LOG_REF}:${LOG_REF}`], asked(timeoutMs))
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

/** With a time limit nobody is there to be asked for a password. */
function asked(timeoutMs: number | undefined) {
  if (timeoutMs === undefined) return {}
  return { timeoutMs, env: { GIT_TERMINAL_PROMPT: "0", GIT_SSH_COMMAND: "ssh -oBatchMode=yes" } }
}

function explained(error: unknown, doing: string): unknown {
  if (!(error instanceof GitFailure)) return error
  const said = error.said.trim()
  const known = REASONS.find(({ sign }) => sign.test(said))
  return new HiveError(
    {
      code: "git_failed",
      what: `Could not ${doing}.`,
      why: `${known?.why ?? "Git refused it."} What is here stays as it is.`,
      use_instead: known?.use_instead ?? `Try \`git ${error.args.join(" ")}\` to see what it says.`,
      evidence:
        said.split("\n").find((line) => /fatal|error|denied/i.test(line)) ??
        said.split("\n")[0] ??
        `exit ${error.exit}`,
    },
    { cause: error },
  )
}

const REASONS = [
  {
    sign: /permission denied|authentication failed|access denied|could not read (username|password)|403|unable to access.*40[13]|protected|not allowed|hook declined|insufficient permission/i,
    why: "The remote does not let you write or read there.",
    use_instead:
      "Get the right to push to it, or choose another remote with `hivemind sync --remote <name>`.",
  },
  {
    sign: /does not appear to be a git repository|repository .* not found|no such (file|device)|not found/i,
    why: "There is no repository at the remote's address.",
    use_instead: "Check the address with `git remote -v`.",
  },
  {
    sign: /could not resolve|unable to connect|connection (refused|reset|timed out)|network is unreachable|timed out|hung up|early eof/i,
    why: "The remote cannot be reached.",
    use_instead: "Run `hivemind sync` again when you are online.",
  },
]
