import { askGit } from "../../project/git/git.ts"
import { shorten } from "../../shared/text/clean.ts"
import type { Hit } from "./trace.ts"

/** Commits of any branch whose message has the stamp. If git cannot be asked, a note says so. */
export async function traceCommits(
  dir: string,
  stamp: string,
  pattern: RegExp,
): Promise<{ commits: Hit[]; note?: string }> {
  const printed = await askGit(dir, [
    "log",
    // Those of our own log say nothing, and there may be thousands.
    "--exclude=refs/hivemind/*",
    "--all",
    "--no-show-signature",
    "--encoding=UTF-8",
    "--extended-regexp",
    // The same rule as the pattern: otherwise commits with another stamp of that minute could fill the list.
    `--grep=(^|[^0-9A-Za-z])${stamp}($|[^-0-9A-Za-z]|-($|[^0-9]))`,
    `--max-count=${MAX_COMMITS}`,
    "-z",
    "--format=%H%n%aI%n%B",
  ])
  if (printed === undefined)
    return {
      commits: [],
      note: "git has no answer: not installed, no repository here, too slow, or too much",
    }
  const found = printed.split("\0").filter((commit) => commit !== "")
  const commits = found.flatMap((commit): Hit[] => {
    const [hash = "", at = "", ...message] = commit.split("\n")
    const text = message.join("\n")
    if (!pattern.test(text)) return []
    const time = Date.parse(at)
    return [
      {
        at: Number.isNaN(time) ? null : new Date(time).toISOString(),
        source: "git",
        where: `commit ${hash.slice(0, 12)}`,
        text: shorten(text),
      },
    ]
  })
  return found.length < MAX_COMMITS
    ? { commits }
    : { commits, note: `only the newest ${MAX_COMMITS} commits were counted` }
}

const MAX_COMMITS = 1000
