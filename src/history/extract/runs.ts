import { shorten } from "../../shared/text/clean.ts"
import { findChecks } from "../../work/task/check-commands.ts"
import { judgeRun } from "../../work/task/check-result.ts"
import { failureExcerpt } from "../../work/task/failure-excerpt.ts"
import type { CallStep } from "../read/step.ts"
import { type Candidate, candidateFrom } from "./candidates.ts"

export interface CommandRuns {
  command: string
  does: "tests" | "checks" | "runs" | "releases"
  runs: number
  passed: number
  /** The message ids of the last run that passed. */
  ids: readonly string[]
  at: string
}

/** Finds commands that pass, and the files edited between a command's repeated failures and its next success. */
export function createRunTracker() {
  const commands = new Map<string, CommandRuns>()
  const failing = new Map<string, { times: number; error: string; step: CallStep; edited: Set<string> }>()

  return {
    commands: () => [...commands.values()],
    edited(files: readonly string[]): void {
      for (const { edited } of failing.values())
        for (const file of files) if (edited.size < MAX_FILES) edited.add(file)
    },
    /** Records a run of a command. Returns a candidate if it passes after repeated failures. */
    ran(step: CallStep): Candidate | undefined {
      const known = knownCommand(step.command)
      if (known === undefined || step.isOk === null) return undefined
      const result = judgeRun(step.command, { exit: step.isOk ? 0 : 1, output: step.output })
      if (result === "unknown") return undefined
      const { command, does } = known
      const before = commands.get(command) ?? { ...known, runs: 0, passed: 0, ids: [], at: "" }
      const isPassed = result === "passed"
      const { ids, at } = isPassed ? step : before
      if (commands.size < MAX_COMMANDS || before.runs > 0)
        commands.set(command, {
          ...{ command, does, ids, at },
          ...{ runs: before.runs + 1, passed: before.passed + Number(isPassed) },
        })
      if (does === "runs" || does === "releases") return undefined
      return isPassed ? helped(command, step) : failed(command, step)
    },
  }

  function failed(command: string, step: CallStep): undefined {
    const output = step.output.replace(/^Exit code \d+\n/, "")
    const error = shorten(failureExcerpt(output, MAX_ERROR_CHARS).split("\n")[0] ?? "", 160)
    const there = failing.get(command)
    if (there?.error === error) there.times++
    else if (failing.size < MAX_COMMANDS) failing.set(command, { times: 1, error, step, edited: new Set() })
  }

  function helped(command: string, step: CallStep): Candidate | undefined {
    const before = failing.get(command)
    failing.delete(command)
    if (before === undefined || before.times < 2 || before.error.length < MIN_ERROR_CHARS) return undefined
    const { times, error: quote } = before
    const files = [...before.edited]
    const names = files.slice(0, 3).map((path) => path.split("/").slice(-2).join("/"))
    const how =
      names.length > 0 ? ` after ${names.join(", ")} ${files.length === 1 ? "was" : "were"} changed` : ""
    const text = `\`${command}\` failed ${times} times with "${quote}"; it passed${how}.`
    return candidateFrom(before.step, { kind: "failed", text, quote, files, worth: 4, at: step.at })
  }
}

/** The command without parts that differ between runs, such as `| tail`, so that its runs are counted together. */
function knownCommand(line: string): Pick<CommandRuns, "command" | "does"> | undefined {
  if (line.length > MAX_LINE_CHARS || line.includes("\n")) return undefined
  const [check] = findChecks(line)
  if (check !== undefined && check.kind !== "commit") {
    const words = check.words.join(" ")
    return isPlain(words) ? { command: words, does: check.kind === "test" ? "tests" : "checks" } : undefined
  }
  const plain = line
    .replace(/ 2>&1$/, "")
    .replace(/ \| (?:tail|head)\b.*$/, "")
    .trim()
  const does = RELEASES.test(plain) ? "releases" : RUNS.test(plain) ? "runs" : undefined
  return does !== undefined && isPlain(plain) ? { command: plain, does } : undefined
}

/** True for a single short command without variables, redirections and paths outside of the project. */
function isPlain(command: string): boolean {
  return command.length <= 100 && !/[;&|<>$]|\/(?:tmp|private|var|home|Users)\//.test(command)
}

const RUNS =
  /^(?:(?:npm|pnpm|yarn|bun|deno|mise|just|task|make)(?: run| task)? (?:start|dev|serve|watch|preview)\b|docker[ -]compose up\b)/
const RELEASES =
  /^(?:(?:npm|pnpm|yarn|bun|mise|just|task|make)(?: run| task)? \S*(?:deploy|release|publish)\S*|goreleaser release|(?:npm|pnpm|cargo) publish|(?:vercel|fly|wrangler|netlify|cdk|sam|serverless) deploy|terraform apply|kubectl apply|helm upgrade)\b/
const MAX_LINE_CHARS = 400
const MAX_ERROR_CHARS = 400
const MIN_ERROR_CHARS = 12
const MAX_COMMANDS = 200
const MAX_FILES = 20
