import { acceptRefinedReport } from "../context/compaction/researcher.ts"
import { dropOutdatedTurningPoints } from "../context/turning-points/turning-points.ts"
import { currentTask } from "../graph/current-task.ts"
import { sessionOf } from "../graph/read-head.ts"
import type { Hive } from "../hive/hive.ts"
import { extractCommits, extractDecisions, extractFinishedTasks } from "../knowledge/extract/extract-mems.ts"
import { TAKE_OUT, trackedHive } from "../project/git/git.ts"
import { onceEach } from "../shared/ids.ts"
import { keepOutOfGit } from "../store/older-tool.ts"
import { exportOnIdle } from "../views/export/export-session.ts"
import type { SessionFiles } from "../views/session-file/update.ts"
import { recordReport } from "../work/delegation/assign.ts"
import { runningFor } from "../work/delegation/check-delegation.ts"
import { completeDonePlans } from "../work/plan/end.ts"
import { unplannedTask } from "../work/session/unplanned.ts"
import { recordCheckpoint } from "../work/task/checkpoint.ts"
import type { SessionCaller } from "../work/write.ts"
import type { BackgroundSync } from "./background-sync.ts"
import type { Step, TurnInput } from "./between-turns.ts"
import { listed } from "./change-notes.ts"

export function turnEnd(input: TurnInput, files: SessionFiles, sync: BackgroundSync) {
  const { hive, log, lastAnswer, validate } = input
  const recordChanges = recordUnclaimedChanges(input)
  const warnOfTracked = warnIfTracked(input)

  /** When a subagent or researcher has ended its turn, records its last message as its report. */
  async function takeReport(session: string): Promise<void> {
    const opened = await hive()
    const { state } = opened.store.read()
    const running = runningFor(state, session)
    if (running === undefined) return
    const caller = { session, agent: null, tool: "session end" }
    // Tries twice to read the answer, because it contains all findings.
    const said = (only?: "to the end") => lastAnswer(session, only).catch(() => lastAnswer(session, only))
    const finished = await said("to the end")
    await acceptRefinedReport(opened, caller, finished)
    // The findings of a stopped researcher are a result, but a delegated task that was stopped is not done.
    const isHandedOver = state.task.get(running.task_id)?.purpose === "work"
    await recordReport(opened, caller, session, isHandedOver ? finished : await said())
  }

  async function exportTurn(session: string): Promise<void> {
    const caller = { session, agent: null, tool: "export on idle" }
    const exported = await exportOnIdle(await hive(), caller, () => lastAnswer(session))
    if (exported !== undefined) log("debug", `exported ${exported.name}`)
  }

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
    // Runs now and not as a queued step, because files that change later were changed by the user.
    const recorded = recordChanges(session, "turn end")
    type Work = (hive: Hive, caller: SessionCaller) => Promise<unknown>
    const by = (tool: string, work: Work) => async () => work(await hive(), { session, agent: null, tool })
    recorded.catch(() => {}) // The step "changes" logs the error.
    return [
      ["changes", () => recorded],
      ["report", () => takeReport(session)],
      ["validation", () => validateFiles(session)],
      ["plans that are done", by("turn end", completeDonePlans)],
      ["mems of finished tasks", by("extraction", extractFinishedTasks)],
      ["mems of decisions", by("extraction", extractDecisions)],
      ["mems of commits", by("extraction", extractCommits)],
      ["turning points", by("turn end", dropOutdatedTurningPoints)],
      ["export", () => exportTurn(session)],
      ["session file", async () => files.update(await hive(), session)],
      ["files in git", () => warnOfTracked(session)],
      // The fold comes late, because the steps above read unfolded entries faster.
      ["fold", foldIfWorthIt],
      ["sync", () => sync("turn end")],
    ]
  }
}

export function recordUnclaimedChanges(input: Pick<TurnInput, "hive" | "tree" | "changeNotes">) {
  const { hive, tree, changeNotes } = input
  return async (session: string, tool: string): Promise<void> => {
    const opened = await hive()
    const changed = await tree.turnEnded(opened, session)
    const task = currentTask(opened.store.read().state, session)
    await changeNotes.later(opened, { session, agent: null, changed, task })
    const kept = task ?? unplannedTask(opened.store.read().state, session)
    if (changed.length === 0 || kept === undefined) return
    const outcome = { tool, summary: `changed ${listed(changed)}`, files: changed, command: null, ok: true }
    await recordCheckpoint(opened, { session, agent: null, tool }, kept, outcome)
  }
}

export type RecordUnclaimedChanges = ReturnType<typeof recordUnclaimedChanges>

/** Warns once per session if git tracks the hive. Runs after a turn, because git would slow down the first answer. */
export function warnIfTracked({ hive, log, toast }: Pick<TurnInput, "hive" | "log" | "toast">) {
  const isFirst = onceEach()

  return async (session: string): Promise<void> => {
    const opened = await hive()
    keepOutOfGit(opened.home)
    if (sessionOf(opened.store.read().state, session)?.parent_host_id || !isFirst(session)) return
    const [tracked] = await trackedHive(opened)
    if (tracked === undefined) return
    log("info", `git has ${tracked.files} file(s) of the hive in ${tracked.folder}`)
    await toast(`Git tracks HiveMind's files on this branch. To untrack and keep them: ${TAKE_OUT}`)
  }
}
