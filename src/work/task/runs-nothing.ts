import { checkProgram } from "../../shared/shell/check-names.ts"
import type { Step } from "./certain-steps.ts"
import { baseName } from "./shell-words.ts"

/** With such words a test or build program only helps, lists or pretends, or answers 0 whatever it finds. */
export function runsNothing({ words }: Step): boolean {
  if (words.slice(1).some(isEmptyOption)) return true
  // What is said in blanks is no option.
  const named = words.map((word) => (/\s/.test(word) ? '""' : word))
  if (named.includes("-V") && !named.some((word) => VERBOSE.has(baseName(word)))) return true
  return named.slice(0, MANY).some((word, at) => {
    const program = baseName(word)
    const rest = named.slice(at + 1)
    const rule = Object.hasOwn(BY_PROGRAM, program) ? BY_PROGRAM[program] : undefined
    if (rule?.test(` ${rest.join(" ")} `) === true) return true
    return checkProgram(program) !== undefined && EMPTY_VERB.test(rest[0] ?? "")
  })
}

function isEmptyOption(word: string): boolean {
  return OPTIONS.has((/^--?[a-z-]+/i.exec(word)?.[0] ?? word).toLowerCase())
    ? NO_VALUE.test(word)
    : EMPTY.test(word)
}

/** Whatever the program. In small letters. */
const OPTIONS: ReadonlySet<string> = new Set(
  (
    "--help --version --init --collect-only --collectonly --cache-show --funcargs --dry --dry-run --just-print --recon --touch " +
    "--question --print-config --print-labels --show-config --showconfig --show-only --show-files --show-settings --no-run " +
    "--no-run-tests --install-only --notest --nobuild --fixtures --markers --setup-plan --setup-only --clear-cache --clearcache " +
    "--env-info --support-info --find-config-path --graph --exit-zero --fail-never --ignore-errors --pass-with-no-tests " +
    "--passwithnotests --permit-no-files --if-present --build-plan --allow-empty -h -help -version -list -dry-run"
  ).split(" "),
)
const NO_VALUE = /^(?!.*=false$)/
const EMPTY =
  /^(-\?|--list(?!en$|en=|Files$|Emitted|-different)[\w-]*|--(no-tests=(pass|ignore)|issues-exit-code=0))/i
const MAKE = / -[bBdeEkLmrRsSw]*[intqpv]/
const VERSION = / -v /
const GRADLE = / (-[mv]|help) /
const MAVEN = / -(v|fn|D(skipTests|maven\.test\.(skip|failure\.ignore))(=(?!false)\S*)?) /
const PYTEST = / (-[lqsvx]*h[lqsvx]*|--co(l(l(ec?)?)?)?) /
/** What means this to one of them only: in the words behind it, with a blank at either end. */
const BY_PROGRAM: Readonly<Record<string, RegExp>> = {
  make: MAKE,
  gmake: MAKE,
  ninja: / -[nt] /,
  // Behind its goal they are the goal's own.
  just: /^( -\S+)* (-[nls]|--(list|show|summary|evaluate|dump|choose|edit|variables)) /,
  task: / (-[nl]|--(summary|status)) /,
  pytest: PYTEST,
  "py.test": PYTEST,
  go: / -([nc]|list|run[ =]\^\$|count[ =]0|exec[ =](true|:|echo)?) |-list=/,
  tsc: / --clean |^(?!.* (-b|--build) ).* -v | (-b|--build) .*-d | -d .*(-b|--build) /,
  dotnet: /^ test .*(-t|--list-tests) | -showsdks /,
  gradle: GRADLE,
  gradlew: GRADLE,
  mvn: MAVEN,
  mvnw: MAVEN,
  // They only prepare a build.
  cmake: /^(?!.* --(build|workflow) )/,
  meson: /^(?! (compile|test|install) )/,
  // They only read the file.
  node: /^( -\S+)* (-c|--check) /,
  php: /^( -\S+)* (-l|--syntax-check) /,
  ruby: /^( -\S+)* -\w*c /,
  perl: /^( -\S+)* -\w*c /,
  rake: / -[TPDWn] /,
  ctest: / -N /,
  bats: / (-[cv]|--count) /,
  tox: / -l /,
  nox: / -l /,
  swift: / -l | test list |^ package /,
  nextest: /^ list | --no-tests (pass|ignore) /,
  "golangci-lint": / --issues-exit-code 0 /,
  mix: /^ (help|info) /,
  npm: VERSION,
  eslint: VERSION,
  jest: VERSION,
  vitest: VERSION,
  prettier: VERSION,
  rspec: VERSION,
  webpack: VERSION,
  rollup: VERSION,
  vite: VERSION,
}
const EMPTY_VERB =
  /^(list|init|install|verify|version|help|info|open|rule|config|cache|explain|rage|linters|uninstall|codegen|show-\w+)$/
/** To these -V says to tell more. */
const VERBOSE = new Set(["ctest", "mvn", "mvnw"])
/** So far into a command its program stands. */
const MANY = 12
