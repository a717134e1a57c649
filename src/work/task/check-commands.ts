import { checkProgram, fileCheck, programCheck, scriptCheck } from "../../shared/shell/check-names.ts"
import { hasConditions, type Step, splitShell, withoutQuotes } from "../../shared/shell/split-line.ts"

export interface CheckCommand {
  kind: "test" | "build" | "commit"
  words: readonly string[]
  text: string
  /** The programs that print the check's output or a part of it, such as `tail -5`. */
  filters: readonly (readonly string[])[]
  /** True if the line's exit is not the check's own: `npm test | tail`, `npm test || true`, `npm test; echo done`. */
  isExitHidden: boolean
}

/** Finds checks by the usual names of programs and scripts, and by the project's `declared` ones. */
export function findChecks(line: string, declared: readonly string[] = []): CheckCommand[] {
  if (line.length > MAX_CHARS) return []
  const steps = splitShell(line)
  const plain = withoutQuotes(line)
  const isUncertain = hasConditions(line) || steps.at(-1)?.next === "&"
  const isPipefail = /\bpipefail\b/.test(plain)
  const isStrict = /(^|[;&\n]\s*)set -\w*e/.test(plain) && !/\bset \+\w*e/.test(plain)
  return steps.flatMap((step, at): CheckCommand[] => {
    const inner = shellText(step.words)
    const checks = inner === undefined ? checkAt(steps, at, declared) : findChecks(inner, declared)
    if (checks.length === 0) return []
    const pipeEnd = steps.findIndex(({ next }, index) => index >= at && next !== "|")
    const piped = steps.slice(at + 1, pipeEnd + 1)
    // `npm test > log; grep ok log` shows no more than `npm test | grep ok`, so grep counts as a filter in both.
    const later = WRITES_FILE.test(step.text) ? steps.slice(pipeEnd + 1) : []
    const ofFile = later.filter(({ words: [program = ""] }) => SHOWS_PART.test(program))
    const filters = [...piped, ...ofFile].map(({ words }) => words)
    const isExitHidden =
      isUncertain ||
      steps[at - 1]?.next === "||" ||
      (piped.length > 0 && !isPipefail) ||
      steps.slice(pipeEnd, -1).some(({ next }) => /^(\|\||&)$/.test(next) || (next === ";" && !isStrict))
    return checks.map((check) => ({
      ...check,
      filters: [...check.filters, ...filters],
      isExitHidden: isExitHidden || check.isExitHidden,
    }))
  })
}

function checkAt(steps: readonly Step[], at: number, declared: readonly string[]): CheckCommand[] {
  const step = steps[at]
  const kind = step && checkKind(step, declared)
  if (step === undefined || kind === undefined) return []
  const setup = steps.slice(0, at).filter(({ words: [program = ""] }) => SETS_UP.test(program))
  const text = [...setup, step].map((one) => one.text).join(" && ")
  return [{ kind, words: step.words, text, filters: [], isExitHidden: false }]
}

export function changesGit(line: string): boolean {
  if (line.length > MAX_CHARS || hasConditions(line)) return false
  const steps = splitShell(line)
  return steps.some(({ words: [program, ...rest], next }, at) => {
    const [verb = "", object] = gitWords(rest)
    const changes = GIT_CHANGES.test(verb) || (GIT_CHANGES_NAMED.test(verb) && object !== undefined)
    return (
      program === "git" &&
      changes &&
      next !== "|" &&
      steps.slice(at).every((each) => /^(&&|\||)$/.test(each.next))
    )
  })
}

export function runsInBackground(line: string): boolean {
  return splitShell(line).some(({ next, words: [program] }) => next === "&" || program === "setsid")
}

function checkKind({ text, words }: Step, declared: readonly string[]): CheckCommand["kind"] | undefined {
  const [program = "", ...rest] = words
  if (program === "git")
    return gitWords(rest)[0] === "commit" && !rest.includes("--dry-run") ? "commit" : undefined
  if (words.length === 2 && /^-[vV]$/.test(words[1] ?? "")) return undefined
  if (rest.some((word) => RUNS_NOTHING.test(word)) || ABOUT_CHECKS.test(words.join(" "))) return undefined
  if (declared.some((command) => text === command || text.startsWith(`${command} `)))
    return /test/i.test(text) ? "test" : "build"
  const own = programKind(words, /\//)
  if (own !== undefined || !RUNS_ANOTHER.has(program)) return own
  // Any word may be the program: in `docker run app npm test` it is the fourth.
  for (let at = 0; at < Math.min(rest.length, 12); at++) {
    const kind = programKind(rest.slice(at), SCRIPT)
    if (kind !== undefined) return kind
  }
  return undefined
}

function gitWords(words: readonly string[]): string[] {
  return words.filter((word, at) => !word.startsWith("-") && !/^-[Cc]$/.test(words[at - 1] ?? ""))
}

/** Whether a command runs a test or a build. `file` matches the paths that may be scripts of the project. */
function programKind([word = "", ...rest]: readonly string[], file: RegExp): "test" | "build" | undefined {
  if (!/^[\w@./+-]+$/.test(word)) return undefined
  const program = word.slice(word.lastIndexOf("/") + 1).replace(/^python[\d.]+$/, "python")
  if (FORMATTERS.test(`${program} ${rest.join(" ")} `)) return undefined
  if (checkProgram(program) !== undefined && NO_CHECK_VERB.test(rest[0] ?? "")) return undefined
  const names = rest.filter((one) => !/\.[a-z]+$/.test(one))
  const known = programCheck(program, names)
  if (known !== undefined) return known
  if (INTERPRETERS.has(program)) {
    if (program === "node" && rest.includes("--test")) return "test"
    const at = rest.findIndex((one) => !one.startsWith("-"))
    return at < 0 || /^--?c(heck)?$/.test(rest[0] ?? "") ? undefined : programKind(rest.slice(at), SCRIPT)
  }
  if (SCRIPT_RUNNERS.has(program)) return goalKind(names)
  return file.test(word) && !word.startsWith("/") ? fileCheck(word) : undefined
}

/** Finds what a command runs (test or build): the words up to the one after `run`, or else the first three words. */
function goalKind(words: readonly string[]): "test" | "build" | undefined {
  const goals = words.filter((word) => !word.startsWith("-"))
  const run = goals.indexOf("run")
  for (const goal of goals.slice(0, run < 0 ? 3 : run + 2)) {
    const kind = scriptCheck(goal) ?? checkProgram(goal.slice(goal.lastIndexOf("/") + 1))
    if (kind !== undefined) return kind
  }
  return undefined
}

/** The command line inside `bash -lc '…'`. */
function shellText([program = "", ...rest]: readonly string[]): string | undefined {
  if (!/^(.*\/)?(ba|z|da)?sh$/.test(program)) return undefined
  const at = rest.findIndex((word) => /^-\w*c$/.test(word))
  return at < 0 ? undefined : rest[at + 1]
}

export const WRITES_FILE = />\s*[^&\s]/
const SHOWS_PART = /^([ef]?grep|rg|head|sed|awk)$/
const SETS_UP = /^(cd|source|\.|export)$/
const setOf = (text: string): ReadonlySet<string> => new Set(text.split(" "))
/** Programs that run another program, which is one of their arguments. */
const RUNS_ANOTHER = setOf(
  "timeout env sudo doas nice ionice time nohup stdbuf xvfb-run cross-env dotenv npx bunx pnpx uvx corepack command " +
    "poetry uv pipenv pdm hatch rye conda bundle mise asdf direnv doppler op coverage docker podman",
)
/** Programs whose first arguments contain the name of a script or a goal. */
const SCRIPT_RUNNERS = setOf("npm pnpm yarn bun cargo go composer rails rake artisan poetry uv pdm hatch rye")
const INTERPRETERS = setOf("python pypy node tsx ts-node ruby php perl sh bash zsh dash")
/** Options with which nothing is checked, or with which the exit code is always 0. */
const RUNS_NOTHING =
  /^(--?help|-h|--?version|--dry-run|--just-print|--list|--list-?tests|--collect-?only|--co|--init|--(print|show)-?config|--exit-zero|--fail-never|--issues-exit-code=0|-DskipTests|-Dmaven\.test\.failure\.ignore(=true)?|-fn|--no-run|--if-present|--clear-?cache)$/i
/** Subcommands of test and lint programs that check nothing. */
const NO_CHECK_VERB =
  /^(list|init|install(-deps)?|uninstall|serve|version|help|info|open|config|cache|clean|explain|rage|rule|linters|formatters|migrate|completion|codegen|show-\w+)$/
/** Formatters without a check option: they change files and report no problem. */
const FORMATTERS =
  /^(prettier|black|isort|dprint|(ruff|biome) format|golangci-lint fmt)\b(?!.* (-c|-l|--check|--list-different|--diff|check)[ =])/
/** Commands that contain a check's name, but only install, publish, list or clean up. */
const ABOUT_CHECKS =
  /^((npm|pnpm|yarn|bun|pip3?|poetry|uv|pdm|hatch|rye|cargo|go|composer|bundle|conda|mise) (i|ci|install|add|ls|list|why|view|info|remove|uninstall|publish|pack|get|mod|update|use|tasks?|dist-tag|run clean\S*)|(go|cargo) run|go (doc|env|generate|tool|fmt)|coverage (html|xml|json|report|erase)|make -\w*n\w*|cmake (?!--build|--workflow)\S+|(php|ruby|perl) -\w*[cl])( |$)/
/** A path that is run, or the name of a file with code. */
const SCRIPT = /^\.{1,2}\/|\.(\w?[jt]sx?|py|sh|bash|rb|php|pl)$/
const GIT_CHANGES = /^(push|pull|merge|rebase|cherry-pick|revert|am|reset)$/
/** Subcommands that only list if they get no name. */
const GIT_CHANGES_NAMED = /^(tag|branch|stash|checkout|switch|remote|worktree)$/
const MAX_CHARS = 10_000
