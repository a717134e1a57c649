import type { GitCall } from "./git.ts"
import { COMMIT_RULES } from "./git-commit-rules.ts"
import { noteGit } from "./git-done.ts"
import { loseNames } from "./git-name-losses.ts"
import { FROM_FILE, LOST_ELSEWHERE } from "./git-rule.ts"
import { remember } from "./git-so-far.ts"
import { TREE_RULES } from "./git-tree-rules.ts"
import { parseOptions, setOf } from "./options.ts"

/**
 * What of git's work may not be taken back: commits that others have (pushed by force, rewritten), and changes that are
 * in no commit. A rule returns what is reported at once, or what git is to be asked.
 */
export function gitLosses(call: GitCall): void {
  // git has no such verb, but every table of rules does: `git constructor`.
  if (call.verb in Object.prototype) return
  const options = parseOptions(call.args, VALUED.get(call.verb))
  const found = (COMMIT_RULES[call.verb] ?? TREE_RULES[call.verb])?.(options, call)
  if (typeof found === "string") call.run.destroys(found)
  // On another machine there is nobody to ask.
  else if (found !== undefined && call.frame.elsewhere) call.run.destroys(LOST_ELSEWHERE)
  else if (found !== undefined) call.run.loses(found)
  noteGit(options, call)
  loseNames(options, call)
  remember(options, call)
}

const VALUED = new Map([
  ["push", setOf("-o --push-option --repo --receive-pack --exec")],
  ["commit", setOf("-m --message -F --file -C -c --author --date --fixup --squash -t --template --trailer")],
  ["checkout", setOf(`-b -B --orphan --conflict ${FROM_FILE}`)],
  ["switch", setOf("-c -C --create --force-create --orphan")],
  ["restore", setOf(`-s --source ${FROM_FILE}`)],
  ["rm", setOf(FROM_FILE)],
  ["merge", setOf("-m -F -s -X --file --strategy --strategy-option")],
  ["fetch", setOf("-o -j --depth --upload-pack --refmap --negotiation-tip --shallow-since --jobs")],
  [
    "pull",
    setOf("-o -j -s -X --depth --upload-pack --refmap --strategy --strategy-option --shallow-since --jobs"),
  ],
  ["worktree", setOf("-b -B --reason")],
  ["tag", setOf("-m -F -u --file --message --local-user --sort --format")],
  ["update-ref", setOf("-m")],
  ["add", setOf(`--chmod ${FROM_FILE}`)],
  ["branch", setOf("-u --set-upstream-to")],
  ["clean", setOf("-e --exclude")],
  ["rebase", setOf("--onto -s --strategy -X --strategy-option -x --exec -C --whitespace --empty")],
])
