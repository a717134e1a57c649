import type { Bench, Findings, Section } from "../section.ts"
import { measure as corrections } from "./corrections.ts"
import { measure as evidence } from "./evidence.ts"
import { measure as intent } from "./intent.ts"
import type { SessionsPart } from "./part.ts"
import { readRecordedSessions } from "./read-sessions.ts"
import { measure as warnings } from "./warnings.ts"

/** How HiveMind does on recorded sessions of real engineers. */
export const sessionsSection: Section = { name: "sessions", title: "Real sessions", run }

const PARTS: Readonly<Record<string, () => Promise<SessionsPart>>> = {
  corrections,
  warnings,
  evidence,
  intent,
}

async function run(bench: Bench): Promise<Findings> {
  const head = ["what", "figure", ""]
  if (readRecordedSessions() === undefined)
    return {
      table: { head, rows: [] },
      bars: [],
      notes: ["The recorded sessions are not beside the repository: nothing was measured."],
      figures: {},
    }
  const parts: [string, SessionsPart][] = []
  for (const [name, measure] of Object.entries(PARTS)) {
    bench.progress(name)
    parts.push([name, await measure()])
  }
  const all = parts.map(([, part]) => part)
  return {
    table: { head, rows: all.flatMap(({ rows }) => rows) },
    bars: all.flatMap(({ bars }) => bars),
    notes: all.flatMap(({ notes }) => notes),
    list: all.flatMap(({ list = [] }) => list),
    figures: Object.fromEntries(parts.map(([name, { figures }]) => [name, figures])),
  }
}
