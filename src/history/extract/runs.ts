import { shorten } from "../../shared/text/clean.ts"
import { findChecks } from "../../work/task/check-commands.ts"
import { judgeRun } from "../../work/task/check-result.ts"
import { failureExcerpt } from "../../work/task/failure-excerpt.ts"
import type { CallStep } from "../read/step.ts"
import { pick } from "./agent-says.ts"
import type { Candidate } from "./candidate.ts"

/** A command that tests, builds, runs or deploys here, with how it went in a session. */
export interface CommandRuns {
  command: string
  what: "tests" | "checks" | "runs" | "releases"
  runs: number
  passed: number
  lastPassed: Pick<CallStep, "ids" | "at" | "branch"> | undefined
}

interface Failing {
  times: number
  error: string
  step: CallStep
  edited: Set<string>
}

/** Follows the commands of a session: which pass, and what helped after they had failed again and again. */
export function createRunTracker() {
  const commands = new Map<string, CommandRuns>()
  const failing = new Map<string, Failing>()
  const commits: { subject: string; step: CallStep }[] = []

  return {
    commits,
    commands: () => [...commands.values()],
    edited(files: readonly string[]): void {
      for (const each of failing.values())
        for (const file of files) if (each.edited.size < MAX_FILES) each.edited.add(file)
    },
    /** A candidate where a command passes at last. */
    ran(step: CallStep): Candidate | undefined {
      const subject =
        step.isOk === true
          ? /^\[\S+(?: \(root-commit\))? [0-9a-f]{7,}\] (.+)$/m.exec(step.output)?.[1]
          : undefined
      if (subject !== undefined && commits.length < MAX_COMMITS) commits.push({ subject, step })
      const known = knownCommand(step.command)
      if (known === undefined || step.isOk === null) return undefined
      const result = judgeRun(step.command, { exit: step.isOk ? 0 : 1, output: step.output })
      if (result === "unknown") return undefined
      count(known, step, result === "passed")
      if (known.what !== "tests" && known.what !== "checks") return undefined
      return result === "passed" ? helped(known.command, step) : failed(known.command, step)
    },
  }

  function count(
    { command, what }: Pick<CommandRuns, "command" | "what">,
    step: CallStep,
    isPassed: boolean,
  ): void {
    const there = commands.get(command) ?? { command, what, runs: 0, passed: 0, lastPassed: undefined }
    there.runs++
    if (isPassed) {
      there.passed++
      there.lastPassed = pick(step)
    }
    if (commands.size < MAX_COMMANDS) commands.set(command, there)
  }

  function failed(command: string, step: CallStep): undefined {
    const error = shorten(
      failureExcerpt(step.output.replace(/^Exit code \d+\n/, ""), MAX_ERROR_CHARS).split("\n")[0] ?? "",
      160,
    )
    const there = failing.get(command)
    if (there?.error === error) there.times++
    else if (failing.size < MAX_COMMANDS) failing.set(command, { times: 1, error, step, edited: new Set() })
  }

  function helped(command: string, step: CallStep): Candidate | undefined {
    const before = failing.get(command)
    failing.delete(command)
    if (before === undefined || before.times < 2 || before.error.length < MIN_ERROR_CHARS) return undefined
    const files = [...before.edited]
    const how =
      files.length === 0
        ? ""
        : ` after ${files.slice(0, 3).map(lastParts).join(", ")} ${files.length === 1 ? "was" : "were"} changed`
    const text = `\`${command}\` failed ${before.times} times with "${before.error}"; it passed${how}.`
    return {
      kind: "failed",
      text,
      quote: before.error,
      by: "agent",
      files,
      worth: 4,
      ...pick(before.step),
      at: step.at,
    }
  }
}

/** Without filters and options of one run, so that runs of the same command count together. */
function knownCommand(line: string): Pick<CommandRuns, "command" | "what"> | undefined {
  if (line.length > MAX_LINE_CHARS || line.includes("\n")) return undefined
  const [check] = findChecks(line)
  if (check !== undefined && check.kind !== "commit") {
    const words = check.words.join(" ")
    return isPlain(words) ? { command: words, what: check.kind === "test" ? "tests" : "checks" } : undefined
  }
  const plain = line
    .replace(/ 2>&1$/, "")
    .replace(/ \| (?:tail|head)\b.*$/, "")
    .trim()
  const what = RELEASES.test(plain) ? "releases" : RUNS.test(plain) ? "runs" : undefined
  return what !== undefined && isPlain(plain) ? { command: plain, what } : undefined
}

/** No file of this session only, no variable, nothing joined. */
function isPlain(command: string): boolean {
  return command.length <= 100 && !/[;&|<>$]|\/(?:tmp|private|var|home|Users)\//.test(command)
}

function lastParts(path: string): string {
  return path.split("/").slice(-2).join("/")
}

const RUNS =
  /^(?:(?:npm|pnpm|yarn|bun|deno|mise|just|task|make)(?: run| task)? (?:start|dev|serve|watch|preview)\b|docker[ -]compose up\b)/
const RELEASES =
  /^(?:(?:npm|pnpm|yarn|bun|mise|just|task|make)(?: run| task)? \S*(?:deploy|release|publish)\S*|goreleaser release|(?:npm|pnpm|cargo) publish|(?:vercel|fly|wrangler|netlify|cdk|sam|serverless) deploy|terraform apply|kubectl apply|helm upgrade)\b/
const MAX_LINE_CHARS = 400
const MAX_ERROR_CHARS = 400
const MIN_ERROR_CHARS = 12
const MAX_COMMANDS = 200
const MAX_COMMITS = 50
const MAX_FILES = 20
