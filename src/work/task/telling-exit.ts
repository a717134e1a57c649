import { plainShell, programOf, withoutQuoted } from "./plain-shell.ts"

/**
 * Does an exit of 0 tell that a command did what it is for? Not where the shell answers with the exit of something else:
 * `npm test || true`, `npm test; git status`, `npm test | tail`. Read roughly: one command alone tells, of several it must
 * be plain that the one which decides is the check.
 */
export function hasTellingExit(command: string): boolean {
  // What is too long to be read tells nothing.
  if (command.length > MAX_CHARS) return false
  const shell = SHELL_TEXT.exec(command)?.groups
  if (shell !== undefined) {
    const options = `${shell["before"]} -${shell["with"]}`.replace(/ -$/, "")
    return hasTellingExit(`${options === "" ? "" : `set${options}\n`}${shell["text"]}`)
  }
  const text = withoutQuoted(command.replace(/"(\$(\?|\w+))"/g, "$1")).replace(FAILS_ON, "")
  // A shell in it, a function, a name in quotes, or an end before the end may make anything of the exit.
  if (text.length > MAX_TEXT || command.includes("$'") || HIDES.test(text) || ENDS.test(text)) return false
  const words = plainShell(text)
  if (SETS_OPTIONS.test(words) || NO_TEST_MEANT.test(command)) return false
  const isStrict = !/\bset\s+\+/.test(words) && /^set\s+-\w*e/.test(words)
  const isPipefail =
    !/\bset\s+\+/.test(words) && /^([^|]*[\s;&])?set\s+(-\w+\s+)*-\w*o\s+pipefail\b/.test(words)
  return tells(words.replace(/[;\s]+$/, ""), { isPipefail, isStrict })
}

interface Shell {
  isPipefail: boolean
  /** `set -e`. */
  isStrict: boolean
}

/** The last command decides; where the one before must have gone well too, that may tell as well. */
function tells(words: string, shell: Shell): boolean {
  const found = /(&&|\|\||(?<!\|)&|[;\n])((?:[^|;&\n]|\|&?(?!\|))*)$/.exec(words)
  const [before, sign = "", last = words] = [words.slice(0, found?.index ?? 0).trim(), found?.[1], found?.[2]]
  const stages = last.split(/\|&?/)
  const isNeeded = sign === "&&" || shell.isStrict
  // In the background nobody sees how it ends.
  if (sign === "&" || (sign !== "" && last.trim() === "")) return false
  if (sign === "||") return /^\s*false\s*$/.test(last) && tells(before, shell)
  if (stages.length > 1 && !pipeTells(stages, shell))
    // What a check prints is read by a program, whatever its name; behind a check it may be a look.
    return isNeeded && sign !== "" && !stages.some(isCheck) && isCheck(lastOf(before)) && tells(before, shell)
  const saysSomething = saysMuch(stages.at(-1) ?? "")
  if (stages.length > 1) return true
  // Alone, what only looks is a check too: `test -f made.txt`, `grep -q done notes.md`.
  if (sign === "") return saysSomething || LOOKS.test(last)
  if (programOf(last) === "!") return false
  if (saysSomething && (isCheck(last) || isSetup(before))) return true
  if (runsNothing(last) && !isCheck(lastOf(before))) return false
  return isNeeded && tells(before, shell)
}

/** Its last stage decides, unless the shell heeds all of them; what only prints in front of it is no check. */
function pipeTells(stages: readonly string[], shell: Shell): boolean {
  const [last = "", before] = [stages.at(-1), stages.slice(0, -1)]
  if (saysMuch(last) && isSetup(before.join("|"))) return true
  return shell.isPipefail && programOf(last) !== "!" && tells(before.join("|"), shell)
}

function saysMuch(part: string): boolean {
  return !/^!?$/.test(programOf(part)) && !SAYS_NOTHING.has(programOf(part)) && !runsNothing(part)
}

function lastOf(words: string): string {
  return words.split(/[|;&\n]+/).at(-1) ?? ""
}

function isCheck(part: string): boolean {
  if (programOf(part) === "git") return /\bcommit\b/.test(part)
  return !ABOUT_CHECKS.test(part) && CHECKS.test(part.replace(FILES, ""))
}

/** Nothing in it could be what the command is for. */
function isSetup(words: string): boolean {
  return words.split(/[|;&\n]+/).every((part) => programOf(part) === "" || SETS_UP.has(programOf(part)))
}

/** Only helps, lists or pretends, or answers 0 whatever it finds. */
function runsNothing(part: string): boolean {
  return OPTIONS.test(part) || LETTERS.test(part) || VERBS.test(part) || VERSION.test(part)
}

/** `bash -c "…"` and nothing else: its text is what counts. */
const SHELL_TEXT =
  /^\s*(?:\/\S*\/)?(?:ba|z|da|k)?sh(?<before>(?:\s+-[eux]+|\s+-[eux]*o\s+(?:pipefail|errexit|nounset))*)\s+-(?<with>[elux]*)c\s+(?<quote>['"])(?<text>(?:(?!\k<quote>)[^\\])*)\k<quote>\s*$/
const HIDES =
  /(^|[\s;&|(/])((ba|z|da|k|fi)?sh\s+([^;&|\n]*\s)?(-\w*c\b|<<)|(su|script)\s[^;&|\n]*-\w*c\b|eval\s|trap\s|alias\s|function\s|npx\s+((-p|--package)[\s=][^\s-]\S*\s+|-(?!(p|-package)\s)\S+\s+)*(-c|--call)\b|coproc\s|watch\s|set\s+-\w*n)|\|\s*(\S*\/)?(ba|z|da|k|fi)?sh\b|\bnoexec\b|\w\s*\(\s*\)|(^|[;&|({\n])\s*(""|\$\w)/
const ENDS =
  /(^|[\s;&|({])(exit|return)\b|(^|[;&|({!\n]|=\S*\s|\b(then|do|else|builtin|command|time)\s)\s*exec\b/
/** At its end: it fails where the check has failed, and only says so. */
const FAILS_ON =
  /(\|\|\s*((exit|return)\s+(?:[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])|[({]\s*[^(){}|&]*;\s*exit\s+(?:[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])\s*;?\s*[)}])|;\s*exit\s+\$\?|;\s*(\w+)=\$\?\s*;\s*exit\s+\$\4)\s*;?\s*$/
/** Options with which no test or build is run, none is needed, or none can fail. */
const OPTIONS =
  /\s(--(help|version|init|co(l(l(ec?)?)?)?|collect-?only|cache-show|funcargs|list(?!en|Files(\s|$)|Emitted|-different)[\w-]*|dry|dry-run|just-print|recon|touch|question|print-(config|labels)|show-?(config|only|files|settings)|no-?run(-tests)?|no-tests[\s=](pass|ignore)|install-only|notest|nobuild|fixtures|markers|setup-(plan|only)|clear-?cache|env-info|support-info|find-config-path|graph|exit-zero|issues-exit-code[\s=]0|fail-never|ignore-errors|pass-?with-?no-?tests|permit-no-files|if-present|allow-empty)(?=[\s=]|$)|-(h|\?|help|version|list|dry-run|showsdks|fn)(?=\s|$)|-exec[\s=](true|:|echo|"")(?=\s|$)|-list=|-count[\s=]0(?=\s|$)|-D(skipTests|maven\.test\.(skip|failure\.ignore))\b(?!=false))/i
/** The same in one letter, which means another thing to each program. */
const LETTERS =
  /(^|[\s/])(g?make\b.*\s-\w*[intqpv]\w*|(ninja|just|task)\b.*\s-[ntl]|(pytest|py\.test)\b.*\s-[lqsvx]*h[lqsvx]*|just\b.*\s(-s|--(show|summary|evaluate|dump|choose|edit|variables))|task\b.*\s--(summary|status)|gradlew?\b.*\s-m|(tox|nox|swift)\b.*\s-l|go\b.*\s-[nc]|ctest\b.*\s-N|bats\b.*\s-c|dotnet\b.*\s-t|tsc\b.*\s-(d|-clean)|(tsc|npm|eslint|jest|vitest|prettier|gradlew?|mvnw?|bats|rspec|webpack|rollup|vite)\b.*\s-v)(\s|$)/
/** ctest and Maven say more with it, and go on. */
const VERSION = /^\s*(?:\w+=\S*\s+)*(?!\S*(?:ctest|mvnw?)\s)\S+\s(?:.*\s)?-V(?:\s|$)/
const VERBS =
  /(^|[\s/])(vitest|playwright|cypress|ruff|biome|golangci-lint|webpack|tox|mix)\s+(list|init|install|verify|version|help|info|open|rule|config|cache|explain|rage|linters)(\s|$)|\b(swift\s+test|nextest)\s+list(\s|$)/
/** Options from the environment, which may be any of these; the usual ones of a build are none. */
const SETS_OPTIONS =
  /(^|[\s;&|(])(PYTEST_ADDOPTS=|MAKEFLAGS=(?!-j\d*([\s;&]|$))|GOFLAGS=(?!-(mod|tags|buildvcs)=[\w,]+([\s;&]|$)))/
/** `go test -run '^$'`: a name that no test has. */
const NO_TEST_MEANT = /\s-{1,2}run[\s=](['"]?)\^\$\1([\s;&|]|$)/
const SETS_UP = new Set(
  ": true yes echo printf cat cd pushd set export source . mkdir umask ulimit".split(" "),
)
const SAYS_NOTHING = new Set(
  (
    ": true echo printf if then elif else fi for while until select do done case esac cat tac tail head grep egrep rg sed awk tee less more wc sort uniq cut tr jq xargs " +
    "column ts date sleep ls pwd cd wait kill rm cp mv mkdir touch ln chmod find diff stat du test [ [[ which type export set"
  ).split(" "),
)
const LOOKS = /^\s*(test|\[|\[\[|grep|egrep|rg|diff|cmp)\s/
const CHECKS =
  /(^|[\s/:_.-])(tests?|spec|e2e|build|lint|check|types?|typecheck|compile|verify|tsc|vitest|jest|mocha|ava|pytest|unittest|tox|nox|rspec|phpunit|ctest|bats|eslint|biome|mypy|pyright|ruff|clippy|vet|make|gradlew?|mvnw?|ninja|playwright|cypress)(?![\w=])/
/** Installs, lists or cleans up after what a check is named like. */
const ABOUT_CHECKS =
  /(^|\s)((npm|pnpm|yarn|bun|pip3?)\s+(i|ci|install|add|ls|list|why|view|info|remove|uninstall|run\s+clean\S*)|coverage\s+(html|xml|json|report|erase)|dropdb)(\s|$)/
/** The name of a file that is read or written says nothing about the program. */
const FILES = /(?<=\S\s+)\S+\.[a-z]+(?=\s|$)|\d*>.*$/g
const MAX_CHARS = 10_000
/** Without what stands in quotes. */
const MAX_TEXT = 3000
