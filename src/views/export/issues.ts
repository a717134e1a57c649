import { ALL } from "../../graph/indexes.ts"
import { isTaskUnderWay } from "../../graph/lifecycle.ts"
import type { Place } from "../../graph/place.ts"
import type { Problem } from "../../graph/problem.ts"
import type { GraphState } from "../../graph/state.ts"
import { EXPORT_LIMITS, type ExportIssue } from "../../schemas/export.ts"
import type { Checkpoint } from "../../schemas/task.ts"
import type { Pausing } from "../../shared/slices.ts"
import { shorten } from "../../shared/text/clean.ts"
import { existsIn, missingCheck, missingEvidence, movedAmong, removedIn } from "../../work/task/evidence.ts"

export interface IssuesInput {
  state: GraphState
  place: Place
  problems: readonly Problem[]
  /** Those of the session, oldest first. */
  checkpoints: Checkpoint[]
  /** Files that the session wrote. */
  written: readonly string[]
  dir: string
}

/** What is still open or contradictory, by rule. */
export function* issuesOf(input: IssuesInput): Pausing<ExportIssue[]> {
  const { state, place, problems, checkpoints, written, dir } = input
  const { plan, tasks } = place
  const issues: ExportIssue[] = []
  const add = (kind: ExportIssue["kind"], text: string) =>
    issues.push({ kind, text: shorten(text, MAX_CHARS) })

  for (const task of tasks) {
    if (!isTaskUnderWay(task)) continue
    add("task", `"${task.title}" is ${task.status}`)
    for (const missing of [...missingCheck(state, task), ...(yield* missingEvidence(state, task, dir))])
      add("evidence", `"${task.title}": ${missing}`)
  }
  for (const { id, content } of state.mem.by("undecided", ALL))
    if ([...state.task.by("decisions", id)].some(({ parent_plan_id }) => parent_plan_id === plan?.id))
      add("decision", `undecided: ${content}`)
  const required = [plan?.sot_document_path, ...tasks.map(({ file }) => file)].flatMap((path) => path ?? [])
  const wasRemoved = removedIn(checkpoints)
  const isMissing = (path: string) => !existsIn(dir, path)
  const gone = written.slice(-MAX_FILES).filter((path) => isMissing(path) && !wasRemoved(path))
  const moved = yield* movedAmong(state, checkpoints, gone, dir)
  const left = gone.filter((path) => !moved.has(path))
  for (const path of [...required.filter(isMissing), ...left]) add("file", `${path} is missing`)
  const quarantined = problems.filter(({ level }) => level === "quarantined").length
  if (quarantined > 0) add("quarantine", `${quarantined} record(s) of the graph could not be read`)
  return unique(issues).slice(0, EXPORT_LIMITS.issues)
}

function unique(issues: ExportIssue[]): ExportIssue[] {
  return [...new Map(issues.map((issue) => [issue.text, issue])).values()]
}

const MAX_CHARS = 300
const MAX_FILES = 200
