import { writeReport } from "../context/compaction/report.ts"
import { startResearcher } from "../context/compaction/researcher.ts"
import { recordTurningPoints } from "../context/turning-points/record.ts"
import { forgetPressure } from "../graph/pressure.ts"
import { purgeAnchors } from "../knowledge/anchor/change.ts"
import type { SessionFiles } from "../views/session-file/update.ts"
import type { Step } from "./background.ts"
import type { TurnInput } from "./turn-input.ts"

/** The host has replaced the conversation by a summary of it. */
export function afterCompaction({ hive, log, lastSummary }: TurnInput, files: SessionFiles) {
  /** Once more: what subagents did while the summary was written counts too. */
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

  /** For the next compaction: by rules at once, and by a researcher later if the config wants one. */
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
