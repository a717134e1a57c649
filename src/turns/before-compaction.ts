import { compactionContext, compactionPrompt } from "../context/compaction/prompt.ts"
import { recordTurningPoints } from "../context/turning-points/record.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { Hive } from "../hive/hive.ts"
import { withTimeout } from "../shared/timeout.ts"
import type { Log } from "../store/files/log-file.ts"

export interface BeforeCompactionInput {
  hive: () => Promise<Hive>
  lastSummary: (session: string) => Promise<string>
  log: Log
}

/** What a compaction is asked: a prompt in place of the host's own, or text that is added to that. */
export type CompactionRequest = { prompt: string } | { context: string }

/**
 * Before a compaction: notes the turning points, so that the first message after it can name them, and says what the
 * summary is to keep; undefined where there is nothing to say. On any failure the host's prompt is used.
 */
export function beforeCompaction({ hive, lastSummary, log }: BeforeCompactionInput) {
  return async (session: string, isPromptTaken: boolean): Promise<CompactionRequest | undefined> => {
    const opened = await hive()
    await noteTurns(opened, session)
    // Another plugin's prompt stays.
    if (isPromptTaken) return undefined
    const prompt = await reportPrompt(opened, session)
    if (prompt !== undefined) return { prompt }
    const context = contextFor(opened, session)
    return context === "" ? undefined : { context }
  }

  async function noteTurns(opened: Hive, session: string): Promise<void> {
    try {
      const noting = recordTurningPoints(opened, { session, agent: null, tool: "compaction" })
      if ((await withTimeout(noting, WRITE_MS)).timedOut) log("info", "turning points were not noted in time")
    } catch (error) {
      log("error", "could not note turning points", error)
    }
  }

  /** Undefined where there is no report, or where the last summary cannot be had: the host's own prompt has that. */
  async function reportPrompt(opened: Hive, session: string): Promise<string | undefined> {
    const next_report = sessionOf(opened.store.read().state, session)?.next_report ?? null
    if (next_report === null) return undefined
    try {
      const summary = await withTimeout(lastSummary(session), LOOKUP_MS)
      if (summary.timedOut) throw new Error("the host did not give the last summary in time")
      const { state } = opened.store.read()
      const turning_points = sessionOf(state, session)?.turning_points ?? []
      const archived = (id: string) => opened.store.archive.get(id)
      const input = { state, session, now: opened.source.now(), archived }
      return compactionPrompt(input, { next_report, turning_points }, summary.value)
    } catch (error) {
      log("error", "the report could not be used; the host's own prompt is", error)
      return undefined
    }
  }
}

function contextFor(hive: Hive, session: string): string {
  const { state } = hive.store.read()
  return compactionContext({ state, session, now: hive.source.now() })
}

const WRITE_MS = 2000
const LOOKUP_MS = 3000
