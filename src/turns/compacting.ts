import { compactionContext, compactionPrompt } from "../context/compaction/prompt.ts"
import { noteTurningPoints } from "../context/turning-points/note.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { Hive } from "../hive/hive.ts"
import { within } from "../shared/timeout.ts"
import type { Log } from "../store/files/log-file.ts"

/** Sessions whose next request is a compaction: the host announces it right before it asks. */
export function compactingSessions() {
  const announced = new Set<string>()
  return {
    announce: (session: string): void => void announced.add(session),
    /** True once per announcement. */
    take: (session: string): boolean => announced.delete(session),
    /** It has ended one way or the other. With nothing to summarise, or stopped in between, it has asked for nothing. */
    over: (session: string): void => void announced.delete(session),
  }
}

export type CompactingSessions = ReturnType<typeof compactingSessions>

export interface CompactingInput {
  hive: () => Promise<Hive>
  compacting: CompactingSessions
  lastSummary: (session: string) => Promise<string>
  log: Log
}

/** What the host is about to ask, as it takes it: its own prompt and what is added to that, or another prompt. */
interface CompactionOutput {
  context: string[]
  prompt?: string
}

/**
 * Before a compaction: notes what the work has turned on, so that the first message after it can tell, and says what
 * the summary is to keep. Whatever fails here, the host's own prompt does.
 */
export function compactingHook({ hive, compacting, lastSummary, log }: CompactingInput) {
  return async (session: string, output: CompactionOutput): Promise<void> => {
    try {
      const opened = await hive()
      const caller = { session, agent: null, tool: "compaction" }
      await within(WRITE_MS, noteTurningPoints(opened, caller)).catch((error: unknown) =>
        log("error", "no turning points", error),
      )
      // What another plugin wants asked stands.
      if (output.prompt !== undefined) return
      const prompt = await reportPrompt(opened, session)
      if (prompt !== undefined) output.prompt = prompt
      else output.context.push(...contextFor(opened, session))
    } finally {
      // Last, and whatever happened: the very next request of the session is the compaction's own.
      compacting.announce(session)
    }
  }

  /** Undefined where there is no report, or where the last summary cannot be had: the host's own prompt has that. */
  async function reportPrompt(opened: Hive, session: string): Promise<string | undefined> {
    const next_report = sessionOf(opened.store.read().state, session)?.next_report ?? null
    if (next_report === null) return undefined
    try {
      const summary = await within(LOOKUP_MS, lastSummary(session))
      if (summary === undefined) throw new Error("the host did not give the last summary in time")
      const { state } = opened.store.read()
      const turning_points = sessionOf(state, session)?.turning_points ?? []
      const input = { state, session, now: opened.source.now() }
      return compactionPrompt(input, { next_report, turning_points }, summary)
    } catch (error) {
      log("error", "the report could not be used; the host's own prompt is", error)
      return undefined
    }
  }
}

function contextFor(hive: Hive, session: string): string[] {
  const { state } = hive.store.read()
  const context = compactionContext({ state, session, now: hive.source.now() })
  return context === "" ? [] : [context]
}

const WRITE_MS = 2000
const LOOKUP_MS = 3000
