import { compactionAddition, compactionContext, compactionPrompt } from "../context/compaction/prompt.ts"
import { startResearcher, writeReport } from "../context/compaction/researcher.ts"
import { recordTurningPoints } from "../context/turning-points/turning-points.ts"
import { forgetPressure } from "../graph/pressure.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { Hive } from "../hive/hive.ts"
import { purgeAnchors } from "../knowledge/anchor/anchors.ts"
import { withTimeout } from "../shared/timeout.ts"
import type { SessionFiles } from "../views/session-file/update.ts"
import type { SessionCaller } from "../work/write.ts"
import type { Step, TurnInput } from "./between-turns.ts"

interface BeforeCompactionInput extends Pick<TurnInput, "hive" | "log" | "lastSummary"> {
  addsToSummaryPrompt?: boolean
}

export type CompactionRequest = { prompt: string } | { context: string }

/** Records the turning points and returns what the summary must keep. After a failure the host's prompt is used. */
export function beforeCompaction({
  hive,
  lastSummary,
  addsToSummaryPrompt = false,
  log,
}: BeforeCompactionInput) {
  return async (session: string, isPromptTaken: boolean): Promise<CompactionRequest | undefined> => {
    const opened = await hive()
    await noteTurns(opened, session)
    if (isPromptTaken) return undefined
    const prompt = await reportPrompt(opened, session)
    if (prompt !== undefined) return { prompt }
    const { state } = opened.store.read()
    const context = compactionContext({ state, session, now: opened.source.now() })
    return context === "" ? undefined : { context }
  }

  async function noteTurns(opened: Hive, session: string): Promise<void> {
    try {
      const noting = recordTurningPoints(opened, { session, agent: null, tool: "compaction" })
      if ((await withTimeout(noting, 2000)).timedOut) log("info", "turning points were not noted in time")
    } catch (error) {
      log("error", "could not note turning points", error)
    }
  }

  async function reportPrompt(opened: Hive, session: string): Promise<string | undefined> {
    const next_report = sessionOf(opened.store.read().state, session)?.next_report ?? null
    if (next_report === null) return undefined
    try {
      const summary = await withTimeout(lastSummary(session), 3000)
      if (summary.timedOut) throw new Error("the host did not give the last summary in time")
      const { state } = opened.store.read()
      const turning_points = sessionOf(state, session)?.turning_points ?? []
      const archived = (id: string) => opened.store.archive.get(id)
      const input = { state, session, now: opened.source.now(), archived }
      if (addsToSummaryPrompt) return compactionAddition(input, { next_report, turning_points })
      return compactionPrompt(input, { next_report, turning_points }, summary.value)
    } catch (error) {
      log("error", "could not use the report; the host's own prompt is used", error)
      return undefined
    }
  }
}

export function afterCompaction({ hive, log, lastSummary }: TurnInput, files: SessionFiles) {
  async function record({ session, agent, tool }: SessionCaller): Promise<void> {
    const { store } = await hive()
    await store.append({ tool, session, agent }, (tx) => {
      tx.recordCompaction(session)
      forgetPressure(tx, session)
    })
  }

  /** Writes the report for the next compaction; if configured, a researcher refines it. */
  async function report(caller: SessionCaller): Promise<void> {
    const opened = await hive()
    const written = await writeReport(opened, caller)
    if (written === null || opened.config.purification !== "researcher") return
    const isStarted = await startResearcher(opened, caller, written, await lastSummary(caller.session))
    if (isStarted) log("info", `a researcher writes the report of ${caller.session}`)
  }

  async function purge(caller: SessionCaller): Promise<void> {
    const count = await purgeAnchors(await hive(), caller)
    if (count > 0) log("info", `${count} stale anchor(s) removed`)
  }

  return (session: string): Step[] => {
    const caller = { session, agent: null, tool: "compaction" }
    return [
      // Recorded once more, because subagents may have worked during the compaction.
      ["turning points", async () => recordTurningPoints(await hive(), caller)],
      ["record of the compaction", () => record(caller)],
      ["purge of anchors", () => purge(caller)],
      ["report for the next compaction", () => report(caller)],
      ["session file", async () => files.update(await hive(), session)],
    ]
  }
}
