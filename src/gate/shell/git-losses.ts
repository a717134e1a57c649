import type { GitCall } from "./git.ts"
import { COMMIT_RULES } from "./git-commit-rules.ts"
import { newBranch, noteGit } from "./git-done.ts"
import { FROM_FILE } from "./git-rule.ts"
import { TREE_RULES } from "./git-tree-rules.ts"
import { isPathLike } from "./git-writes.ts"
import { type Options, parseOptions, setOf } from "./options.ts"

/**
 * What of git's work may not be taken back: commits that others have (pushed by force, rewritten), and changes that are
 * in no commit. A rule returns what is reported at once, or what git is to be asked.
 */
export function gitLosses(call: GitCall): void {
  const options = parseOptions(call.args, VALUED.get(call.verb))
  const found = (COMMIT_RULES[call.verb] ?? TREE_RULES[call.verb])?.(options, call)
  if (typeof found === "string") call.run.destroys(found)
  // On another machine there is nobody to ask.
  else if (found !== undefined && call.frame.elsewhere) call.run.destroys(LOST_ELSEWHERE)
  else if (found !== undefined) call.run.loses(found)
  remember(options, call)
}

/** A later git command of the same text finds another branch, a commit of its own, a stash of its own. */
function remember(options: Options, call: GitCall): void {
  const { verb, args, run } = call
  noteGit(options, call)
  const isCommit = verb === "commit" && !options.has("--amend")
  if (isCommit || (/^(cherry-pick|revert)$/.test(verb) && !options.has("-n", "--no-commit")))
    run.git.hasCommitted = true
  if (verb === "commit" || verb === "stash") run.git.stepped = null
  if (verb === "stash" && !/^(drop|clear|list|show|pop|apply|branch)$/.test(args[0] ?? ""))
    run.git.stashed = parseOptions(args).has("-u", "--include-untracked", "-a", "--all") ? "all" : "tracked"
  const isChange = verb === "checkout" || verb === "switch"
  const name = newBranch(options) ?? options.operands[0]
  const isOfFiles = options.operands.length > 1 || (args.includes("--") && args.at(-1) !== "--")
  if (!isChange || isOfFiles || name === undefined) return
  // A file is put back, and the branch stays.
  if (verb === "checkout" && newBranch(options) === undefined && isPathLike(name)) return
  run.git.branch = name
  run.git.hasCommitted = false
}

const LOST_ELSEWHERE = "throws changes away on another machine"
const VALUED = new Map([
  ["push", setOf("-o --push-option --repo --receive-pack --exec")],
  ["commit", setOf("-m --message -F --file -C -c --author --date --fixup --squash -t --template --trailer")],
  ["checkout", setOf(`-b -B --orphan --conflict ${FROM_FILE}`)],
  ["switch", setOf("-c -C --create --force-create --orphan")],
  ["restore", setOf(`-s --source ${FROM_FILE}`)],
  ["rm", setOf(FROM_FILE)],
  ["merge", setOf("-m -F -s -X --file --strategy --strategy-option")],
  ["fetch", setOf("-o -j --depth --upload-pack --refmap --negotiation-tip --shallow-since --jobs")],
  ["tag", setOf("-m -F -u --file --message --local-user --sort --format")],
  ["update-ref", setOf("-m")],
  ["add", setOf(`--chmod ${FROM_FILE}`)],
  ["branch", setOf("-u --set-upstream-to")],
  ["clean", setOf("-e --exclude")],
  ["rebase", setOf("--onto -s --strategy -X --strategy-option -x --exec -C --whitespace --empty")],
])
