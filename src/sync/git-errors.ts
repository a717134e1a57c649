import { GitFailure } from "../project/git/run-git.ts"
import { HiveError } from "../shared/error.ts"

/** Explains a git failure. Other errors are returned unchanged. */
export function explained(error: unknown, doing: string): unknown {
  if (!(error instanceof GitFailure)) return error
  const said = error.said.trim()
  const known = REASONS.find(({ sign }) => sign.test(said))
  return new HiveError(
    {
      code: "git_failed",
      what: `Could not ${doing}.`,
      why: `${known?.why ?? "Git refused it."} Your local data is unchanged.`,
      use_instead: known?.use_instead ?? `Try \`git ${error.args.join(" ")}\` to see its message.`,
      evidence:
        said.split("\n").find((line) => /\.lock'|fatal|error|denied/i.test(line)) ??
        (said.split("\n")[0] || `exit ${error.exit}`),
    },
    { cause: error },
  )
}

const REASONS = [
  {
    sign: /spawn git ENOENT/,
    why: "Git is not installed, or not on the path.",
    use_instead: "Install git, then run `hivemind sync` again.",
  },
  {
    sign: /dubious ownership/i,
    why: "The repository belongs to another user, and git does not trust it.",
    use_instead: "If you trust it, run `git config --global --add safe.directory <folder>`.",
  },
  {
    sign: /unable to create '[^']*\.lock': File exists/i,
    why: "There is a lock file: another git process is running in the repository, or has crashed.",
    use_instead:
      "If no git process runs in that repository, delete the lock file named below, then sync again.",
  },
  {
    sign: /permission denied|authentication failed|access denied|could not read (username|password)|403|unable to access.*40[13]|protected|not allowed|hook declined|insufficient permission/i,
    why: "The remote denied you access.",
    use_instead: "Ask its owner for access, or choose another remote with `hivemind sync --remote <name>`.",
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
