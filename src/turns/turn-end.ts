import { acceptRefinedReport } from "../context/compaction/researcher.ts"
import { dropOutdatedTurningPoints } from "../context/turning-points/record.ts"
import { sessionOf } from "../graph/read-head.ts"
import { extractCommits } from "../knowledge/extract/commits.ts"
import { extractDecisions } from "../knowledge/extract/decision-anchors.ts"
import { extractFinishedTasks } from "../knowledge/extract/finished-tasks.ts"
import { exportOnIdle } from "../views/export/export-session.ts"
import type { SessionFiles } from "../views/session-file/update.ts"
import { runningFor } from "../work/delegation/rules.ts"
import { recordReport } from "../work/delegation/run.ts"
import type { Step } from "./background.ts"
import { committedHive } from "./committed-hive.ts"
import { lookAround } from "./look-around.ts"
import type { SyncBetween } from "./sync-between.ts"
import type { TurnInput } from "./turn-input.ts"

/** A turn has ended and the host waits for the user. */
export function turnEnd(input: TurnInput, files: SessionFiles, sync: SyncBetween) {
  const { hive, log, lastAnswer, validate } = input
  const look = lookAround(input)
  const tellOfGit = committedHive(input)

  /** A researcher that nobody waits for has ended its turn: what it said is its report. */
  async function takeReport(session: string): Promise<void> {
    const opened = await hive()
    const { state } = opened.store.read()
    if (runningFor(state, session) === undefined) return
    const caller = { session, agent: null, tool: "session end" }
    // Once more where the host fails: all that it has found out is in these words.
    const said = (only?: "to the end") => lastAnswer(session, only).catch(() => lastAnswer(session, only))
    // Half a sentence of one that was stopped is a result, but no report.
    await acceptRefinedReport(opened, caller, await said("to the end"))
    await recordReport(opened, caller, session, await said())
  }

  async function exportTurn(session: string): Promise<void> {
    const exported = await exportOnIdle(await hive(), by(session, "export on idle"), () =>
      lastAnswer(session),
    )
    if (exported !== undefined) log("debug", `exported ${exported.name}`)
  }

  /** A subagent's turn is a part of its parent's. */
  async function validateFiles(session: string): Promise<void> {
    const opened = await hive()
    if (sessionOf(opened.store.read().state, session)?.parent_host_id) return
    const marked = await validate(opened, { session, agent: null, tool: "turn end" }, "turn end")
    if (marked.length > 0) log("info", "validated", marked)
  }

  async function foldIfWorthIt(): Promise<void> {
    const { store } = await hive()
    const { unfolded, problems } = store.health()
    if (unfolded.entries > 0 || problems.length > 0) log("debug", "fold on idle", await store.fold("idle"))
  }

  return (session: string): Step[] => {
    // At once, not in its turn among the steps: what the user does from now on is not the agent's.
    // A server that was left running, a call that was stopped, a subagent's end.
    const looked = look(session, "turn end")
    looked.catch(() => {}) // The step says so.
    return [
      ["changes", () => looked],
      ["report", () => takeReport(session)],
      ["validation", () => validateFiles(session)],
      ["mems of finished tasks", async () => extractFinishedTasks(await hive(), by(session, "extraction"))],
      ["mems of decisions", async () => extractDecisions(await hive(), by(session, "extraction"))],
      ["mems of commits", async () => extractCommits(await hive(), by(session, "extraction"))],
      ["turning points", async () => dropOutdatedTurningPoints(await hive(), by(session, "turn end"))],
      ["export", () => exportTurn(session)],
      // Tells what the steps before have written.
      ["session file", async () => files.update(await hive(), session)],
      ["files in git", () => tellOfGit(session)],
      // Late: what is not in the history yet is quick to read for the steps before.
      ["fold", foldIfWorthIt],
      ["sync", () => sync("turn end")],
    ]
  }
}

function by(session: string, tool: string) {
  return { session, agent: null, tool }
}
