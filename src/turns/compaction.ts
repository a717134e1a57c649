import { compactionAddition, compactionContext, compactionPrompt } from "../context/compaction/prompt.ts"
import { startResearcher, writeReport } from "../context/compaction/researcher.ts"
import { recordTurningPoints } from "../context/turning-points/turning-points.ts"
import { forgetPressure } from "../graph/pressure.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { Hive } from "../hive/hive.ts"
import { purgeAnchors } from "../knowledge/anchor/anchors.ts"
import { withTimeout } from "../shared/timeout.ts"
import type { Log } from "../store/files/log-file.ts"
import type { SessionFiles } from "../views/session-file/update.ts"
import type { Step, TurnInput } from "./between-turns.ts"

interface BeforeCompactionInput {
  hive: () => Promise<Hive>
  lastSummary: (session: string) => Promise<string>
  addsToSummaryPrompt?: boolean
  log: Log
}

/** A prompt in place of the host's own, or context added to it. */
export type CompactionRequest = { prompt: string } | { context: string }

/**
 * Before a compaction: records the turning points and lists the points that the summary must keep. On any failure the host's
 * prompt is used.
 */
export function beforeCompaction({
  hive,
  lastSummary,
  addsToSummaryPrompt = false,
  log,
}: BeforeCompactionInput) {
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

  /** Undefined without a report or without the last summary: then the host's prompt is used. */
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
      if (addsToSummaryPrompt) return compactionAddition(input, { next_report, turning_points })
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

/** After the host replaced the conversation by a summary. */
export function afterCompaction({ hive, log, lastSummary }: TurnInput, files: SessionFiles) {
  /** Again: subagents may have worked during the compaction. */
  async function notePoints(session: string): Promise<void> {
    await recordTurningPoints(await hive(), { session, agent: null, tool: "compaction" })
  }

  async function record(session: string): Promise<void> {
    const { store } = await hive()
    await store.append({ tool: "compaction", session, agent: null }, (tx) => {
      tx.recordCompaction(session)
      forgetPressure(tx, session)
    })
  }

  /** The report for the next compaction: by rules now, refined by a researcher if configured. */
  async function report(session: string): Promise<void> {
    const opened = await hive()
    const caller = { session, agent: null, tool: "compaction" }
    const written = await writeReport(opened, caller)
    if (written === null || opened.config.purification !== "researcher") return
    const isStarted = await startResearcher(opened, caller, written, await lastSummary(session))
    if (isStarted) log("info", `a researcher writes the report of ${session}`)
  }

  async function purge(session: string): Promise<void> {
    const count = await purgeAnchors(await hive(), { session, agent: null, tool: "compaction" })
    if (count > 0) log("info", `${count} stale anchor(s) removed`)
  }

  return (session: string): Step[] => [
    ["turning points", () => notePoints(session)],
    ["record of the compaction", () => record(session)],
    ["purge of anchors", () => purge(session)],
    ["report for the next compaction", () => report(session)],
    ["session file", async () => files.update(await hive(), session)],
  ]
}

const WRITE_MS = 2000
const LOOKUP_MS = 3000
