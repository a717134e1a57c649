import type { Step } from "./certain-steps.ts"
import { gitVerb, isCheck } from "./named-checks.ts"
import { withoutQuoted } from "./plain-shell.ts"
import { runsNothing } from "./runs-nothing.ts"
import { stepsOf } from "./shell-steps.ts"
import { baseName } from "./shell-words.ts"

/**
 * Does an exit of 0 tell that a command did what it is for? Not where the shell answers with the exit of something else:
 * `npm test || true`, `npm test; git status`, `npm test | tail`. Where a check is among its steps, one must have passed for
 * sure; where none is plainly one, all that do something.
 */
export function hasTellingExit(command: string): boolean {
  // What is too long to be read tells nothing.
  if (command.length > MAX_CHARS || withoutQuoted(command).length > MAX_TEXT) return false
  const steps = stepsOf(command)
  if (steps === undefined) return false
  const { all, certain } = steps
  if (all.some(isCheck)) return certain.some((step) => isCheck(step) && !runsNothing(step))
  const acting = all.filter(acts)
  // Alone, what only looks is a check too: `test -f made.txt`, `grep -q done notes.md`.
  const wanted =
    acting.length > 0 ? acting : all.filter(({ words: [program = ""] }) => CAN_DENY.test(program))
  return wanted.length > 0 && wanted.every((step) => certain.includes(step) && !runsNothing(step))
}

function acts({ words, isReader }: Step): boolean {
  const [program = "", ...rest] = words
  if (program === "git") return !GIT_LOOKS.test(gitVerb(rest))
  return !isReader && !SAYS_NOTHING.has(baseName(program))
}

const SAYS_NOTHING: ReadonlySet<string> = new Set(
  (
    ": true false echo printf cat tac tail head grep egrep rg sed awk tee less more wc sort uniq cut tr jq xargs column ts date " +
    "sleep ls pwd cd pushd popd wait kill rm cp mv mkdir touch ln chmod find diff cmp stat du test [ [[ which type export set " +
    "source . umask ulimit yes exit return command read local declare unset shift break continue"
  ).split(" "),
)
const GIT_LOOKS = /^(log|status|diff|show|rev-parse|ls-files|describe|grep|blame|)$/
const CAN_DENY = /^(test|\[|\[\[|grep|egrep|rg|diff|cmp|git)$/
const MAX_CHARS = 10_000
/** Without what stands in quotes. */
const MAX_TEXT = 3000
