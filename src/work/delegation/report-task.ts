import { compactionsOf, registersOf } from "../../graph/metrics.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Transaction } from "../../graph/transaction.ts"
import type { Delegation } from "../../schemas/task.ts"

/** What a researcher is asked for the next compaction of a session. */
export function reportQuestion(state: GraphState, session: string): string {
  return `what must be kept at compaction ${compactionsOf(state, session) + 1}`
}

/** True if somebody was started for a report, of this compaction or an earlier one. */
export function isForReport(state: GraphState, { task_id }: Delegation): boolean {
  return state.task.get(task_id)?.purpose === "report"
}

/** Notes after which compaction the report was asked for: an answer that comes after the next one is out of date. */
export function noteReportAsked(tx: Transaction, state: GraphState, session: string): void {
  tx.register(session, ASKED_AFTER, compactionsOf(state, session))
}

/** True if no compaction has come since a report of the session was asked for. */
export function isReportInTime(state: GraphState, session: string): boolean {
  return registersOf(state, session)[ASKED_AFTER] === compactionsOf(state, session)
}

const ASKED_AFTER = "report_asked_after"
