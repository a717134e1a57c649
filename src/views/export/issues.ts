import { isTaskUnderWay } from "../../graph/lifecycle.ts"
import { memIndex } from "../../graph/mem-map.ts"
import type { Place } from "../../graph/place.ts"
import type { Problem } from "../../graph/problem.ts"
import type { GraphState } from "../../graph/state.ts"
import { EXPORT_LIMITS, type ExportIssue } from "../../schemas/export.ts"
import type { Checkpoint } from "../../schemas/task.ts"
import { shorten } from "../../shared/text/clean.ts"
import { existsIn, missingEvidence, wasRemoved } from "../../work/task/evidence.ts"

export interface IssuesInput {
  state: GraphState
  place: Place
  problems: readonly Problem[]
  /** What the session has done, oldest first, and the files that it wrote. */
  trail: Checkpoint[]
  written: readonly string[]
  dir: string
}

/** What is still open or does not add up, by rule: nothing here is anybody's opinion. */
export function issuesOf({ state, place, problems, trail, written, dir }: IssuesInput): ExportIssue[] {
  const { plan, tasks } = place
  const issues: ExportIssue[] = []
  const note = (kind: ExportIssue["kind"], text: string) =>
    issues.push({ kind, text: shorten(text, MAX_CHARS) })

  for (const task of tasks) {
    if (!isTaskUnderWay(task)) continue
    note("task", `"${task.title}" is ${task.status}`)
    for (const missing of missingEvidence(state, task, dir)) note("evidence", `"${task.title}": ${missing}`)
  }
  const asked = new Set<string>()
  for (const task of state.task.values())
    if (task.parent_plan_id === plan?.id) for (const id of task.decisions) asked.add(id)
  for (const { id, content } of memIndex(state.mem).openDecisions)
    if (asked.has(id)) note("decision", `undecided: ${content}`)
  const named = [plan?.sot_document_path, ...tasks.map(({ file }) => file)].flatMap((path) => path ?? [])
  const left = written.slice(-MAX_FILES).filter((path) => !wasRemoved(trail, path))
  for (const path of [...named, ...left]) if (!existsIn(dir, path)) note("file", `${path} is missing`)
  const quarantined = problems.filter(({ level }) => level === "quarantined").length
  if (quarantined > 0) note("quarantine", `${quarantined} record(s) of the graph could not be read`)
  return unique(issues).slice(0, EXPORT_LIMITS.issues)
}

function unique(issues: ExportIssue[]): ExportIssue[] {
  return [...new Map(issues.map((issue) => [issue.text, issue])).values()]
}

const MAX_CHARS = 300
const MAX_FILES = 200
