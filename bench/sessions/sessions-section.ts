import type { Bench, Findings, Section } from "../section.ts"
import { measure } from "./intent.ts"
import { readRecordedSessions } from "./read-sessions.ts"

/** How HiveMind does on recorded sessions of real engineers. */
export const sessionsSection: Section = { name: "sessions", title: "Real sessions", run }

async function run(bench: Bench): Promise<Findings> {
  const head = ["what", "figure", ""]
  if (readRecordedSessions() === undefined)
    return {
      table: { head, rows: [] },
      bars: [],
      notes: ["The recorded sessions are not beside the repository: nothing was measured."],
      figures: {},
    }
  bench.progress("intent")
  const { rows, ...intent } = await measure()
  return { table: { head, rows }, ...intent, figures: { intent: intent.figures } }
}
