import { compactionsOf } from "../../graph/marks.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Delegation, Task } from "../../schemas/task.ts"

/** What a researcher is asked. It names the compaction: an answer that comes after the next one is out of date. */
export function reportQuestion(state: GraphState, session: string): string {
  return `${QUESTION} ${compactionsOf(state, session) + 1}`
}

/** True if somebody was started for a report, of this compaction or an earlier one. */
export function isForReport(state: GraphState, { task_id }: Delegation): boolean {
  const task = state.task.get(task_id)
  return task !== undefined && isReportTask(task)
}

export function isReportTask({ title }: Task): boolean {
  return title.includes(QUESTION)
}

/** True if the report that it was started for is still wanted. */
export function isStillWanted(state: GraphState, { task_id, session_id }: Delegation): boolean {
  const title = state.task.get(task_id)?.title ?? ""
  return session_id !== null && title.endsWith(reportQuestion(state, session_id))
}

const QUESTION = "what must be kept at compaction"
