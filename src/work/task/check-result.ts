import { splitShell } from "../../shared/shell/split-line.ts"
import { type CheckCommand, findChecks, WRITES_FILE } from "./check-commands.ts"
import { withoutColours } from "./failure-excerpt.ts"

/** How the checks of a command line ended. `unknown`: neither the exit code nor the output tells. */
export interface CheckResult {
  kinds: CheckCommand["kind"][]
  result: "passed" | "failed" | "unknown"
  isExitHidden: boolean
}

/** Judges by the exit code, or by the test runner's summary in the output if the line hides the exit code. */
export function judgeChecks(
  line: string,
  { exit, output }: { exit: number | null; output: string },
  declared: readonly string[] = [],
): CheckResult | undefined {
  const checks = findChecks(line, declared)
  if (checks.length === 0) return undefined
  const kindsOf = (some: readonly CheckCommand[]) => [...new Set(some.map(({ kind }) => kind))]
  const all = kindsOf(checks)
  const isExitHidden = exit === null || checks.every((check) => check.isExitHidden)
  if (exit === null) return { kinds: all, result: "unknown", isExitHidden }
  const text = plainText(output)
  const summary = readSummary(text, isExitHidden)
  // The output of a `git commit` alone proves no failure, because the commit message may quote one.
  if (summary === "failed" && all.some((kind) => kind !== "commit"))
    return { kinds: all, result: "failed", isExitHidden }
  const [lastProgram = ""] = checks.at(-1)?.filters.at(-1) ?? []
  if (exit !== 0 && !GREP.test(lastProgram)) return { kinds: all, result: "failed", isExitHidden }
  const proven = checks.filter((check) => {
    if (!check.isExitHidden) return exit === 0
    if (!check.filters.every((filter) => letsSummaryThrough(filter, text))) return false
    if (check.kind === "commit") return COMMITTED.test(text)
    if (CUT_BY_HOST.test(text) || MAY_BE_KILLED.test(check.words.join(" "))) return false
    return summary === "passed" || isSilentPass(check, text)
  })
  return proven.length > 0
    ? { kinds: kindsOf(proven), result: "passed", isExitHidden }
    : { kinds: all, result: "unknown", isExitHidden }
}

/** Judges any command line. Without a known check in it, the exit code decides, unless a pipe or `;` hides it. */
export function judgeRun(line: string, ran: { exit: number | null; output: string }): CheckResult["result"] {
  const judged = judgeChecks(line, ran)
  if (judged !== undefined) return judged.result
  const isOwnExit = splitShell(line).every(({ next }) => next === "&&" || next === "")
  return ran.exit === null || !isOwnExit ? "unknown" : ran.exit === 0 ? "passed" : "failed"
}

function readSummary(text: string, isExitHidden: boolean): "passed" | "failed" | undefined {
  const tellsFailure = ({ failed, error }: Runner) =>
    failed?.test(text) === true || (isExitHidden && error?.test(text) === true)
  const runners = Object.values(RUNNERS)
  if (runners.some(tellsFailure)) return "failed"
  return runners.some(({ passed }) => passed?.test(text)) ? "passed" : undefined
}

function letsSummaryThrough([program = "", ...words]: readonly string[], output: string): boolean {
  if (/^(tail|tee|cat)$/.test(program)) return true
  if (program === "head") {
    const count = Number(/\d+/.exec(words.join(" "))?.[0] ?? 10)
    return !words.some((word) => word.startsWith("-c")) && output.trimEnd().split("\n").length < count
  }
  if (!GREP.test(program)) return false
  const namesFailure = /fail|error|issues|problems|result|tests|suites|examples/i.test(words.join(" "))
  return words.some((word) => /^-(\w*v|-invert)/.test(word)) ? !namesFailure : namesFailure
}

/** Some programs print nothing if they find no problem; npm prints only the script's command: `> tsc --noEmit`. */
function isSilentPass({ words, text, filters }: CheckCommand, output: string): boolean {
  if (WRITES_FILE.test(text) || filters.some(([program = ""]) => GREP.test(program))) return false
  if (output.replaceAll(SCRIPT_LINE, "").trim() !== "") return false
  const script = [...output.matchAll(SCRIPT_LINE)].at(-1)?.[1] ?? words.join(" ")
  if (/[;|]/.test(script) || WRITES_FILE.test(script)) return false
  return script
    .split(" && ")
    .every((command) => SILENT.test(command.replace(/^(npx|bunx|pnpm( exec)?|yarn) (-\S+ )*/, "")))
}

/** Removes colours and the name that a task runner puts before each line: `[lint:go] `, `web:test: `, `[ERROR] `. */
function plainText(output: string): string {
  return withoutColours(output)
    .split("\n")
    .map((line) => line.slice(0, 300).replace(/^(\[[\w:.-]+\]|[\w@/.-]+:[\w-]+:) /, ""))
    .join("\n")
}

interface Runner {
  passed?: RegExp
  failed?: RegExp
  /** A sign of failure that a log may contain too, so it counts only if the exit code is hidden. */
  error?: RegExp
}

/** Matches only at the end of the output: after this linter, an unknown one may have reported failures. */
const END = String.raw`\s*(?![^])`

const RUNNERS: Readonly<Record<string, Runner>> = {
  vitest: {
    // Both lines must match, because tests in a file that cannot be loaded are not counted.
    passed: /^ *Test Files +(\d+ \w+ \| )*\d+ passed.*\n *Tests +(\d+ \w+ \| )*\d+ passed/m,
    failed: /^ *(Tests|Test Files|Errors) +[1-9]\d* (failed|error)|^ FAIL {2}\S/m,
  },
  jest: {
    passed: /^Test Suites: +(\d+ \w+, )*\d+ passed.*\nTests: +(\d+ \w+, )*\d+ passed/m,
    failed: /^(Tests|Test Suites): .*\b[1-9]\d* failed/m,
  },
  mocha: { passed: /^ +\d+ passing\b/m, failed: /^ +\d+ failing\b/m },
  "node --test": {
    passed: /^[#ℹ] fail 0$/m,
    failed: /^[#ℹ] (fail|cancelled) [1-9]/m,
    error: /^not ok \d/m,
  },
  "bun test": { passed: /^ *0 fail$/m, failed: /^ *[1-9]\d* (fail|errors?)$/m },
  "deno test": { passed: /^ok \| \d+ passed/m, failed: /^FAILED \| /m },
  // The next two have no `passed`: their last line may be about only one part, which passed.
  playwright: { failed: /^ {2}\d+ failed$/m },
  "dotnet test": { failed: /^Failed! +- /m },
  pytest: {
    passed: /\d+ passed\b.* in [\d.]+s/m,
    failed: /\b[1-9]\d* (failed|errors?)\b.* in [\d.]+s/m,
    error: /^(ERROR: file or directory not found|ImportError while loading conftest)/m,
  },
  unittest: { passed: /^Ran \d+ tests? in .*\n\nOK/m, failed: /^FAILED \(/m },
  coverage: {
    error: /coverage threshold .* not met|does not meet .*threshold|^FAIL Required test coverage/m,
  },
  "go test": { passed: /^ok {1,2}\t\S+\t/m, failed: /^(FAIL\b| *--- FAIL:)/m, error: /^panic: /m },
  "go build, go vet": { error: /^(# \S+( \[.*\])?\n\S+\.go:\d+|\S+\.go:\d+:\d+: )/m },
  cargo: {
    passed: new RegExp(`^test result: ok\\.|^ +Finished .* target\\(s\\) in .*${END}`, "m"),
    failed: /^test result: FAILED/m,
    error: /^error(\[E\d+\])?: /m,
  },
  maven: {
    passed: /\bBUILD SUCCESS\b/,
    failed: /\bBUILD FAILURE\b/,
    error: /\bTests run: \d+, Failures: ([1-9]|0, Errors: [1-9])|^Failed to execute goal/m,
  },
  gradle: {
    passed: /^BUILD SUCCESSFUL/m,
    failed: /^BUILD FAILED|^FAILURE: /m,
    error: /^\d+ tests? completed, [1-9]\d* failed|^There were failing tests/m,
  },
  rspec: {
    passed: /^\d+ examples?, 0 failures/m,
    failed: /^\d+ examples?, [1-9]\d* failure|\d+ errors? occurred outside/m,
  },
  rubocop: { error: /^\d+ files? inspected, [1-9]\d* offenses? detected(?!.* corrected)/m },
  // `passed` does not match "OK, but …", because PHPUnit may then end with any exit code.
  phpunit: { passed: /^OK \(\d+ test/m, failed: /^(FAILURES|ERRORS)!/m },
  // A summary with only warnings does not tell whether eslint failed: that depends on `--max-warnings`.
  eslint: { failed: /^✖ \d+ problems? \([1-9]|too many warnings/m },
  tsc: { passed: new RegExp(`^Found 0 errors.*${END}`, "m"), failed: /\berror TS\d+: /m },
  "golangci-lint": {
    passed: new RegExp(`^0 issues\\.?${END}`, "m"),
    failed: /^[1-9]\d* issues:/m,
    error: /^level=error/m,
  },
  biome: {
    passed: new RegExp(`^Checked \\d+ files? in .*${END}`, "m"),
    failed: /^Found [1-9]\d* errors?\./m,
    error: /Some (errors|warnings) were emitted/,
  },
  ruff: {
    passed: new RegExp(`^All checks passed!${END}`, "m"),
    failed: /^Found [1-9]\d* errors?\b/m,
  },
  mypy: {
    passed: new RegExp(`^Success: no issues found.*${END}`, "m"),
    failed: /^Found \d+ errors? in /m,
  },
  "prettier, black, ruff format": {
    passed: new RegExp(`^(All matched files use Prettier|\\d+ files? already formatted).*${END}`, "m"),
    error: /^Code style issues|^\d+ files? would be reformatted/m,
  },
  "task runners": {
    failed: /^(ERROR task failed|make(\[\d+\])?: \*\*\* |error: Recipe .* failed|task: Failed to run)/m,
    error:
      /^npm (ERR!|error) |\bELIFECYCLE\b|^error Command failed|^ *ERROR +run failed|: command not found$|^rake aborted!|^ +\S+: FAIL code|^ *NX +.*\bfailed/m,
  },
}
const COMMITTED = /^\[\S+( \(root-commit\))? [0-9a-f]{7,}\] /m
const GREP = /^([ef]?grep|rg)$/
const SILENT = /^(tsc|vue-tsc|eslint(?!.* (-o|--output-file))|go (build|vet)|shellcheck|flake8)\b/
const SCRIPT_LINE = /^> (.+)$/gm
/** Matches if the host has left out a part of the output, which may be its end. */
const CUT_BY_HOST = /^\.\.\.\d+ \w+ truncated\.\.\.|\btruncated\b.*\bFull output saved to\b/m
/** go and cargo print a summary per package, so a run that `timeout` killed can look like one that passed. */
const MAY_BE_KILLED = /^timeout .*\b(go|cargo)\b/
