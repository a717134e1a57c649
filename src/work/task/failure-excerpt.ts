import { withoutHidden } from "../../shared/text/clean.ts"

/** The failure lines of known tools, each with a few lines after it; if there are none, the output's head and tail. */
export function failureExcerpt(output: string, maxChars: number): string {
  const lines = withoutColours(output)
    .split("\n")
    .map((line) => withoutHidden(line).trimEnd())
    .filter((line) => line !== "" && !NOISE.test(line))
  const failures = findFailures(lines)
  return failures.length === 0 ? headAndTail(lines, maxChars) : fitFailures(failures, maxChars)
}

export function withoutColours(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
  return text.replace(/\u001b\[[\d;]{0,20}m/g, "")
}

type Failure = { line: string; details: string[] }

function findFailures(lines: readonly string[]): Failure[] {
  const patterns = Object.values(FAILURES)
  const failures: Failure[] = []
  const seen = new Set<string>()
  let current: Failure | undefined
  for (const [at, fullLine] of lines.entries()) {
    const line = fullLine.length > MAX_LINE_CHARS ? `${fullLine.slice(0, MAX_LINE_CHARS)}…` : fullLine
    if (patterns.some((pattern) => pattern.test(line)) || isLintedFile(line, lines[at + 1])) {
      current = seen.has(line) ? undefined : { line, details: [] }
      seen.add(line)
      if (current !== undefined) failures.push(current)
    } else if (PASSED.test(line)) current = undefined
    else if (current !== undefined && current.details.length < MAX_DETAILS) current.details.push(line)
  }
  return failures
}

/** Shows failure lines in up to half of `maxChars`; the details of the first failures fill the rest. */
function fitFailures(failures: readonly Failure[], maxChars: number): string {
  let room = maxChars
  const shown = failures.filter(({ line }, at) => {
    if (at > 0 && room - line.length < maxChars / 2) return false
    room -= line.length + 1
    return true
  })
  const text = shown.flatMap(({ line, details }) => {
    const kept = details.filter((detail) => {
      room -= detail.length + 1
      return room >= 0
    })
    return [line, ...kept]
  })
  const leftOut = failures.length - shown.length
  return [...text, ...(leftOut > 0 ? [`… and ${leftOut} more failure lines`] : [])].join("\n")
}

function headAndTail(lines: readonly string[], maxChars: number): string {
  const text = lines.join("\n")
  if (text.length <= maxChars) return text
  const head = text.slice(0, maxChars / 3)
  const tail = text.slice(-(maxChars - head.length))
  return `${head}\n… ${text.length - maxChars} characters left out …\n${tail}`
}

/** eslint prints the file in a line of its own, above its findings. */
function isLintedFile(line: string, next = ""): boolean {
  return /^\S+\.\w+$/.test(line) && /^ +\d+:\d+ +(error|warning) /.test(next)
}

const FAILURES: Readonly<Record<string, RegExp>> = {
  "vitest, jest, bun, deno": /^ *FAIL {1,2}\S|^ *[×✗✘] |^ +● (?!Console)|^\(fail\) |\.\.\. FAILED\b/,
  "summaries of these, and of pytest":
    /^ *(Tests|Test Files|Test Suites|Errors):? .*[1-9]\d* (failed|error)|\b[1-9]\d* (failed|errors?)\b.* in [\d.]+s/,
  "mocha, rspec, phpunit: a numbered failure":
    /^ *\d+\) \S|^rspec \.\/|^ +\d+ failing\b|^\d+ examples?, [1-9]/,
  "node --test": /^ *not ok \d+|^ *✖ |^ *# fail [1-9]/,
  "pytest, unittest": /^(FAILED|ERROR|FAIL:|ERROR:) \S|^_{3,} .* _{3,}$|^E {3}\S/,
  "go test, go build, go vet, golangci-lint": /^ *--- FAIL: |^FAIL\t|^panic: |^\s*\S+\.go:\d+(:\d+)?: /,
  cargo: /^test .* FAILED$|^---- .* ----$|^error(\[E\d+\])?: |^thread '.*panicked at|^test result: FAILED/,
  maven: /^\[ERROR\] +\S/,
  gradle: /^\S.* > .* FAILED$|^\* What went wrong:|^\S+\.(java|kts?|groovy|scala):\d+: error: |^e: /,
  eslint: /^ +\d+:\d+ +error +/,
  tsc: /\berror TS\d+: /,
  biome: /^\S+(:\d+:\d+)? (lint|parse|assist|suppressions|format|check|ci)\S* .*━/,
  "ruff, mypy, flake8": /^\S+\.pyi?:\d+(:\d+)?: |^[A-Z]{1,4}\d{3,4} .*\S$/,
  "any program": /^\S*(Error|Exception): |: command not found$|^make(\[\d+\])?: \*\*\* |: not found$/,
}
const PASSED = /^ *([✓✔√]|ok\b|PASS\b|--- PASS|test .* \.\.\. ok$|# Subtest: |\[INFO\] )/
/** Stack frames of libraries, separator lines, durations, and Maven's and npm's advice on how to see more. */
const NOISE =
  /^\s*(at .*(node:internal|node_modules|\/rustc\/)|\d+: (core|std|__rustc|<fn)\b)|^ *[⎯━]{5,}| \(node:\w+|^ *(Duration|Start at) |^# (cancelled|skipped|todo|duration)|^ *(duration_ms|failureType): |^\[ERROR\] *(\[Help|-> \[Help|To see the full|Re-run Maven|For more information|After correcting|Please refer to|$)|^npm (ERR!|error) (A complete log|Lifecycle|workspace|location)/
const MAX_LINE_CHARS = 300
const MAX_DETAILS = 10
