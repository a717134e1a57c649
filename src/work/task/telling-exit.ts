import { plainShell, programOf } from "./plain-shell.ts"

/**
 * Does an exit of 0 tell that a command did what it is for? Not where the shell answers with the exit of something else:
 * `npm test || true`, `npm test; git status`, `npm test | tail`. Read roughly: one command alone tells, of several it must
 * be plain that the one which decides is the check.
 */
export function hasTellingExit(command: string): boolean {
  if (command.length > MAX_CHARS) return true
  const inner = SHELL_TEXT.exec(command)?.[2]
  if (inner !== undefined) return hasTellingExit(inner)
  // A shell in it, a function, or an end before the end may make anything of the exit.
  if (HIDES.test(command) || /(^|[\s;&|])(exit|exec)\b/.test(command.replace(FAILS_ON, ""))) return false
  const isPipefail = /\bpipefail\b/.test(command)
  const isStrict = /^\s*set\s+-\w*e/.test(command)
  const words = plainShell(command.replace(FAILS_ON, ""))
  return tells(words.replace(/[;\s]+$/, ""), { isPipefail, isStrict })
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
  const saysSomething =
    !/^!?$/.test(programOf(last)) && !SAYS_NOTHING.has(programOf(last)) && !RUNS_NOTHING.test(last)
  if (sign === "") return saysSomething
  // In the background nobody sees how it ends.
  if (sign === "&" || last.trim() === "" || programOf(last) === "!") return false
  if (sign === "||") return /^\s*(return\s+[1-9]|false\b)/.test(last) && tells(before, shell)
  if (saysSomething && (isCheck(last) || isSetup(before))) return true
  const isNeeded = sign === "&&" || (sign.startsWith("|") ? shell.isPipefail : shell.isStrict)
  return isNeeded && tells(before, shell)
}

function isCheck(part: string): boolean {
  if (/\s-[vVh](\s|$)/.test(part)) return false
  return programOf(part) === "git" ? /\bcommit\b/.test(part) : CHECKS.test(part)
}

/** Nothing in it could be what the command is for. */
function isSetup(words: string): boolean {
  return words.split(/[|;&\n]+/).every((part) => programOf(part) === "" || SETS_UP.has(programOf(part)))
}

/** `bash -c "…"` and nothing else: its text is what counts. */
const SHELL_TEXT = /^\s*(?:ba|z|da|k)?sh\s+-\w*c\s+(['"])([\s\S]*)\1\s*$/
const HIDES = /(^|[\s;&|(])((ba|z|da|k)?sh\s+-\w*c|eval|trap|alias|function)\s|\w\s*\(\s*\)/
/** At its end: it fails where the check has failed, and only says so. */
const FAILS_ON =
  /(\|\|\s*(exit\s+[1-9]\d*|[({]\s*[^(){}|&]*;\s*exit\s+[1-9]\d*\s*;?\s*[)}])|;\s*exit\s+\$\?|;\s*(\w+)=\$\?\s*;\s*exit\s+"?\$\3"?)\s*;?\s*$/
/** Options with which no test or build is run, or none is needed. */
const RUNS_NOTHING =
  /\s(--(help|version|init|collect-only|co|listTests|list|dry-run|dry|print-config|passWithNoTests|pass-with-no-tests|if-present|allow-empty)(?=[\s=]|$)|list$)|^\s*g?make\b.*\s-\w*[int]\w*(\s|$)/
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
