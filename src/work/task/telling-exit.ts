import { plainShell, programOf } from "./plain-shell.ts"

/**
 * Does an exit of 0 tell that a command did what it is for? Not where the shell answers with the exit of something else:
 * `npm test || true`, `npm test; git status`, `npm test | tail`. Read roughly: one command alone tells, of several it must
 * be plain that the one which decides is the check.
 */
export function hasTellingExit(command: string): boolean {
  if (command.length > MAX_CHARS) return true
  const isPipefail = /\bpipefail\b/.test(command)
  const isStrict = /^\s*set\s+-\w*e/.test(command)
  return tells(plainShell(command).replace(/[;\s]+$/, ""), { isPipefail, isStrict })
}

interface Shell {
  isPipefail: boolean
  /** `set -e`. */
  isStrict: boolean
}

/** The last command decides; where the one before must have gone well too, that may tell as well. */
function tells(words: string, shell: Shell): boolean {
  const found = /(&&|\|\||\|&|[|;&\n])([^|;&\n]*)$/.exec(words)
  const [before, sign = "", last = words] = [words.slice(0, found?.index ?? 0).trim(), found?.[1], found?.[2]]
  const saysSomething = !/^!?$/.test(programOf(last)) && !SAYS_NOTHING.has(programOf(last))
  if (sign === "") return saysSomething
  // In the background nobody sees how it ends.
  if (sign === "&" || last.trim() === "" || programOf(last) === "!") return false
  if (sign === "||") return /^\s*(exit\s+[1-9]|return\s+[1-9]|false\b)/.test(last) && tells(before, shell)
  if (saysSomething && (isCheck(last) || isSetup(before))) return true
  const isNeeded = sign === "&&" || (sign.startsWith("|") ? shell.isPipefail : shell.isStrict)
  return isNeeded && tells(before, shell)
}

function isCheck(part: string): boolean {
  if (/\s(-[vVh]|--version|--help)(\s|$)/.test(part)) return false
  return programOf(part) === "git" ? /\bcommit\b/.test(part) : CHECKS.test(part)
}

/** Nothing in it could be what the command is for. */
function isSetup(words: string): boolean {
  return words.split(/[|;&\n]+/).every((part) => programOf(part) === "" || SETS_UP.has(programOf(part)))
}

const SETS_UP = new Set(
  ": true yes echo printf cat cd pushd set export source . mkdir umask ulimit".split(" "),
)
const SAYS_NOTHING = new Set(
  (
    ": true echo printf exit fi done esac cat tac tail head grep egrep rg sed awk tee less more wc sort uniq cut tr jq xargs " +
    "column ts date sleep ls pwd cd wait kill rm cp mv mkdir touch ln chmod find diff stat du test [ [[ which type export set"
  ).split(" "),
)
const CHECKS =
  /(^|[\s/:_.-])(tests?|spec|e2e|build|lint|check|types?|typecheck|compile|verify|tsc|vitest|jest|mocha|ava|pytest|unittest|tox|nox|rspec|phpunit|ctest|bats|eslint|biome|mypy|pyright|ruff|clippy|vet|make|gradlew?|mvnw?|ninja|playwright|cypress)(?![\w=])/
const MAX_CHARS = 10_000
