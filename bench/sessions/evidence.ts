import { readFileSync } from "node:fs"
import { findChecks } from "../../src/work/task/check-commands.ts"
import { judgeChecks } from "../../src/work/task/check-result.ts"
import { count, figure } from "../figures.ts"
import type { Bar } from "../section.ts"
import type { SessionsPart } from "./part.ts"
import { type RecordedSession, readRecordedSessions } from "./read-sessions.ts"

/**
 * How often the checks of recorded sessions are taken for proof. `check-labels.json` says, by session and event, how the
 * last check of each session ended and which check runs failed: read by hand, by the result's text.
 */
export async function measure(): Promise<SessionsPart> {
  const sessions = readRecordedSessions() ?? []
  const last = sessions.flatMap(({ session, events }) => {
    const [at = -1, label] = LABELS.last[session] ?? []
    const run = events[at]
    return run === undefined ? [] : [{ run, label }]
  })
  const passed = last.filter(({ label }) => label === "passed").map(({ run }) => run)
  const failed = sessions.flatMap(({ session, events }) =>
    (LABELS.failed[session] ?? []).flatMap((at) => events[at] ?? []),
  )
  const runs = sessions.flatMap(({ events }) => events.filter(isCheckRun))
  const figures = {
    last_passed: passed.length,
    last_passed_as_proof: passed.filter(isProof).length,
    failed_runs: failed.length,
    failed_runs_as_proof: failed.filter(isProof).length,
    runs: runs.length,
    runs_with_hidden_exit: runs.filter(isExitHidden).length,
    runs_unknown: runs.filter((run) => judged(run)?.result === "unknown").length,
  }
  const share = (part: number, whole: number) => (whole === 0 ? 0 : (part / whole) * 100)
  const row = (what: string, part: number, whole: number) => [
    what,
    `${figure(share(part, whole))} %`,
    `${count(part)} of ${count(whole)}`,
  ]
  const bars: Bar[] = [
    {
      what: "sessions whose last check passed: taken as proof",
      value: share(figures.last_passed_as_proof, figures.last_passed),
      unit: "%",
      atLeast: 85,
    },
    { what: "failed check runs taken as proof", value: figures.failed_runs_as_proof, unit: "", atMost: 0 },
  ]
  return {
    rows: [
      row("last check passed, taken as proof", figures.last_passed_as_proof, figures.last_passed),
      row("failed check runs, taken as proof", figures.failed_runs_as_proof, figures.failed_runs),
      row("check runs whose exit is hidden", figures.runs_with_hidden_exit, figures.runs),
      row("check runs with an unknown result", figures.runs_unknown, figures.runs),
    ],
    bars,
    notes: ["Results are cut in the data: whether `| head` cut an output off cannot be told there."],
    figures,
  }
}

type Run = RecordedSession["events"][number]

function isCheckRun(event: Run): boolean {
  return judged(event)?.kinds.some((kind) => kind !== "commit") === true
}

function isExitHidden({ command = "" }: Run): boolean {
  return findChecks(command).every((check) => check.isExitHidden)
}

function isProof(run: Run): boolean {
  return judged(run)?.result === "passed"
}

/** A call without `ok` was stopped. */
function judged({ command, ok, rejected, result = "" }: Run) {
  if (command === undefined || rejected === true) return undefined
  const exit = ok === true ? 0 : ok === false ? 1 : null
  return judgeChecks(command, { exit, output: result })
}

const LABELS: {
  last: Record<string, [event: number, label: "passed" | "failed" | "unknown"]>
  failed: Record<string, number[]>
} = JSON.parse(readFileSync(new URL("./check-labels.json", import.meta.url), "utf8"))
