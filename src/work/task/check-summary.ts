import { splitShell } from "../../shared/shell/split-line.ts"
import { type CheckCommand, findChecks } from "./check-commands.ts"

/** How the checks of a command line ended. `unknown`: the exit is hidden, and the output does not tell. */
export interface CheckResult {
  kinds: CheckCommand["kind"][]
  result: "passed" | "failed" | "unknown"
}

/**
 * Did the checks of a command line pass? By its exit; where a filter or another command hides that, by the runner's own
 * summary in the output. A summary that tells of a failure counts with any exit. Undefined where there is no check.
 */
export function judgeChecks(
  line: string,
  { exit, output }: { exit: number | null; output: string },
  declared: readonly string[] = [],
): CheckResult | undefined {
  const checks = findChecks(line, declared)
  if (checks.length === 0) return undefined
  const kindsOf = (some: readonly CheckCommand[]) => [...new Set(some.map(({ kind }) => kind))]
  const all = kindsOf(checks)
  if (exit === null) return { kinds: all, result: "unknown" }
  const text = plainText(output)
  const summary = readSummary(
    text,
    checks.every(({ isExitHidden }) => isExitHidden),
  )
  // A commit's message may quote any summary.
  if (summary === "failed" && all.some((kind) => kind !== "commit")) return { kinds: all, result: "failed" }
  // grep ends with 1 where it has found nothing.
  const [lastProgram = ""] = checks.at(-1)?.filters.at(-1) ?? []
  if (exit !== 0 && !GREP.test(lastProgram)) return { kinds: all, result: "failed" }
  const proven = checks.filter((check) => {
    if (!check.isExitHidden) return exit === 0
    if (!check.filters.every((filter) => letsSummaryThrough(filter, text))) return false
    if (check.kind === "commit") return COMMITTED.test(text)
    return summary === "passed" || (text.trim() === "" && isSilentWhenPassing(check))
  })
  return proven.length > 0 ? { kinds: kindsOf(proven), result: "passed" } : { kinds: all, result: "unknown" }
}

/** The same for any command: one that is no known check is judged by its exit, where nothing can hide that. */
export function judgeRun(line: string, ran: { exit: number | null; output: string }): CheckResult["result"] {
  const judged = judgeChecks(line, ran)
  if (judged !== undefined) return judged.result
  const isOwnExit = splitShell(line).every(({ next }) => next === "&&" || next === "")
  return ran.exit === null || !isOwnExit ? "unknown" : ran.exit === 0 ? "passed" : "failed"
}

/** What a runner says at its end; undefined where no runner is known by it. */
function readSummary(text: string, isExitHidden: boolean): "passed" | "failed" | undefined {
  const tellsFailure = ({ failed, error }: Runner) =>
    failed?.test(text) === true || (isExitHidden && error?.test(text) === true)
  if (RUNNERS.some(tellsFailure)) return "failed"
  return RUNNERS.some(({ passed }) => passed?.test(text)) ? "passed" : undefined
}

/** Would a failure be seen behind this filter? */
function letsSummaryThrough([program = "", ...words]: readonly string[], output: string): boolean {
  if (/^(tail|tee|cat)$/.test(program)) return true
  if (program === "head") {
    const count = Number(/\d+/.exec(words.join(" "))?.[0] ?? 10)
    // As many lines as it lets through: the end may be missing.
    return !words.some((word) => word.startsWith("-c")) && output.trimEnd().split("\n").length < count
  }
  if (!GREP.test(program)) return false
  const namesFailure = /fail|error|issues|problems|result|Tests/i.test(words.join(" "))
  return words.some((word) => /^-\w*v/.test(word)) ? !namesFailure : namesFailure
}

/** Without any output they have found nothing wrong. */
function isSilentWhenPassing({ words, text, filters }: CheckCommand): boolean {
  if (/>\s*[^&\s]/.test(text) || filters.some(([program = ""]) => GREP.test(program))) return false
  return SILENT.test(words.join(" ").replace(/^(npx|bunx|pnpm( exec)?|yarn) (-\S+ )*/, ""))
}

/** Without colours, and without the name that a task runner puts before each line: `[lint:go] `, `web:test: `. */
function plainText(output: string): string {
  return (
    output
      // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
      .replace(/\u001b\[[\d;]{0,20}m/g, "")
      .split("\n")
      // A summary's lines are short; patterns are not tried on what is not.
      .map((line) => line.slice(0, MAX_LINE_CHARS).replace(/^(\[[\w:.-]+\]|[\w@/.-]+:[\w-]+:) /, ""))
      .join("\n")
  )
}

interface Runner {
  name: string
  passed?: RegExp
  failed?: RegExp
  /** A sign of failure that also a log may have: it counts where the exit is hidden. */
  error?: RegExp
}

const RUNNERS: readonly Runner[] = [
  {
    name: "vitest",
    passed: /^ *Tests +(\d+ \w+ \| )*\d+ passed/m,
    failed: /^ *(Tests|Test Files|Errors) +\d+ (failed|error)/m,
  },
  { name: "jest", passed: /^Tests: +(\d+ \w+, )*\d+ passed/m, failed: /^(Tests|Test Suites): .*\d+ failed/m },
  { name: "mocha", passed: /^ +\d+ passing\b/m, failed: /^ +\d+ failing\b/m },
  {
    name: "node --test",
    passed: /^[#ℹ] fail 0$/m,
    failed: /^[#ℹ] (fail|cancelled) [1-9]/m,
    error: /^not ok \d/m,
  },
  { name: "bun test", passed: /^ *0 fail$/m, failed: /^ *[1-9]\d* fail$/m },
  { name: "deno test", passed: /^ok \| \d+ passed/m, failed: /^FAILED \| /m },
  // Their last line may be of a part that passed.
  { name: "playwright", failed: /^ {2}\d+ failed$/m },
  { name: "dotnet test", failed: /^Failed! +- /m },
  { name: "pytest", passed: /\d+ passed\b.* in [\d.]+s/m, failed: /\b\d+ (failed|errors?)\b.* in [\d.]+s/m },
  { name: "unittest", passed: /^Ran \d+ tests? in .*\n\nOK/m, failed: /^FAILED \(/m },
  {
    name: "go test",
    passed: /^(ok {1,2}\t\S+\t|PASS$)/m,
    failed: /^(FAIL\b| *--- FAIL:)/m,
    error: /^panic: /m,
  },
  { name: "go build, go vet", error: /^(# \S+( \[.*\])?\n\S+\.go:\d+|\S+\.go:\d+:\d+: )/m },
  {
    name: "cargo",
    passed: /^test result: ok\./m,
    failed: /^test result: FAILED/m,
    error: /^error(\[E\d+\])?: /m,
  },
  { name: "maven", passed: /\bBUILD SUCCESS\b/, failed: /\bBUILD FAILURE\b/ },
  { name: "gradle", passed: /^BUILD SUCCESSFUL/m, failed: /^BUILD FAILED|^FAILURE: /m },
  {
    name: "rspec",
    passed: /^\d+ examples?, 0 failures/m,
    failed: /^\d+ examples?, [1-9]\d* failure|\d+ errors? occurred outside/m,
  },
  { name: "phpunit", passed: /^OK(,| \(\d+ test)/m, failed: /^(FAILURES|ERRORS)!/m },
  {
    name: "eslint",
    passed: /^✖ \d+ problems? \(0 errors/m,
    failed: /^✖ \d+ problems? \([1-9]|too many warnings/m,
  },
  { name: "tsc", passed: /^Found 0 errors/m, failed: /\berror TS\d+: /m },
  { name: "golangci-lint", passed: /^0 issues\.?$/m, failed: /^[1-9]\d* issues:/m, error: /^level=error/m },
  { name: "biome", passed: /^Checked \d+ files? in /m, failed: /^Found [1-9]\d* errors?\./m },
  { name: "ruff", passed: /^All checks passed!/m, failed: /^Found [1-9]\d* errors?\b/m },
  { name: "mypy", passed: /^Success: no issues found/m, failed: /^Found \d+ errors? in /m },
  {
    name: "task runners",
    failed: /^(ERROR task failed|make(\[\d+\])?: \*\*\* |error: Recipe .* failed|task: Failed to run)/m,
    error: /^npm (ERR!|error) |\bELIFECYCLE\b|^error Command failed|^ERROR +run failed|: command not found$/m,
  },
]
const COMMITTED = /^\[\S+( \(root-commit\))? [0-9a-f]{7,}\] /m
const GREP = /^([ef]?grep|rg)$/
const SILENT = /^(tsc|vue-tsc|eslint|go (build|vet)|shellcheck|flake8|pyright)\b/
const MAX_LINE_CHARS = 300
