import { acceptRefinedReport } from "../context/compaction/researcher.ts"
import { dropOutdatedTurningPoints } from "../context/turning-points/turning-points.ts"
import { currentTask } from "../graph/current-task.ts"
import { sessionOf } from "../graph/read-head.ts"
import { extractCommits } from "../knowledge/extract/commits.ts"
import { extractDecisions } from "../knowledge/extract/decision-anchors.ts"
import { extractFinishedTasks } from "../knowledge/extract/finished-tasks.ts"
import { TAKE_OUT, trackedHive } from "../project/git/git.ts"
import { onceEach } from "../shared/ids.ts"
import { keepOutOfGit } from "../store/older-tool.ts"
import { exportOnIdle } from "../views/export/export-session.ts"
import type { SessionFiles } from "../views/session-file/update.ts"
import { recordReport } from "../work/delegation/assign.ts"
import { runningFor } from "../work/delegation/rules.ts"
import { completeDonePlans } from "../work/plan/end.ts"
import { unplannedTask } from "../work/session/unplanned.ts"
import { recordCheckpoint } from "../work/task/checkpoint.ts"
import type { BackgroundSync } from "./background-sync.ts"
import type { Step, TurnInput } from "./between-turns.ts"
import { listed } from "./change-notes.ts"

/** A turn has ended and the host waits for the user. */
export function turnEnd(input: TurnInput, files: SessionFiles, sync: BackgroundSync) {
  const { hive, log, lastAnswer, validate } = input
  const look = recordUnclaimedChanges(input)
  const tellOfGit = warnIfTracked(input)

  /** The session of a subagent or a researcher ended its turn: its last message is its report. */
  async function takeReport(session: string): Promise<void> {
    const opened = await hive()
    const { state } = opened.store.read()
    const running = runningFor(state, session)
    if (running === undefined) return
    const caller = { session, agent: null, tool: "session end" }
    // One retry: the words hold all that it found.
    const said = (only?: "to the end") => lastAnswer(session, only).catch(() => lastAnswer(session, only))
    const finished = await said("to the end")
    await acceptRefinedReport(opened, caller, finished)
    // What a stopped researcher has found is a result. A handed-over task that was stopped is not done.
    const isHandedOver = state.task.get(running.task_id)?.purpose === "work"
    await recordReport(opened, caller, session, isHandedOver ? finished : await said())
  }

  async function exportTurn(session: string): Promise<void> {
    const exported = await exportOnIdle(await hive(), authorFor(session, "export on idle"), () =>
      lastAnswer(session),
    )
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
    // Now, not in the order of the steps: later changes are the user's. It finds the changes of servers left
    // running, stopped calls and subagents.
    const looked = look(session, "turn end")
    looked.catch(() => {}) // The step says so.
    return [
      ["changes", () => looked],
      ["report", () => takeReport(session)],
      ["validation", () => validateFiles(session)],
      ["plans that are done", async () => completeDonePlans(await hive(), authorFor(session, "turn end"))],
      [
        "mems of finished tasks",
        async () => extractFinishedTasks(await hive(), authorFor(session, "extraction")),
      ],
      ["mems of decisions", async () => extractDecisions(await hive(), authorFor(session, "extraction"))],
      ["mems of commits", async () => extractCommits(await hive(), authorFor(session, "extraction"))],
      ["turning points", async () => dropOutdatedTurningPoints(await hive(), authorFor(session, "turn end"))],
      ["export", () => exportTurn(session)],
      // After the steps that it reports.
      ["session file", async () => files.update(await hive(), session)],
      ["files in git", () => tellOfGit(session)],
      // Late: entries that are not folded yet are fast to read for the steps before.
      ["fold", foldIfWorthIt],
      ["sync", () => sync("turn end")],
    ]
  }
}

function authorFor(session: string, tool: string) {
  return { session, agent: null, tool }
}

/** Records changes since the last snapshot as a checkpoint of the session's task, with notes for the model. */
export function recordUnclaimedChanges({
  hive,
  tree,
  changeNotes,
}: Pick<TurnInput, "hive" | "tree" | "changeNotes">) {
  return async (session: string, tool: string): Promise<void> => {
    const opened = await hive()
    const changed = await tree.turnEnded(opened, session)
    const task = currentTask(opened.store.read().state, session)
    await changeNotes.later(opened, { session, agent: null, changed, task })
    const kept = task ?? unplannedTask(opened.store.read().state, session)
    if (changed.length === 0 || kept === undefined) return
    const outcome = {
      tool,
      summary: `changed ${listed(changed)}`,
      files: changed,
      command: null,
      ok: true,
    }
    await recordCheckpoint(opened, { session, agent: null, tool }, kept, outcome)
  }
}

export type RecordUnclaimedChanges = ReturnType<typeof recordUnclaimedChanges>

/**
 * Keeps the hive out of git, and tells the person once per session if git tracks it. After a turn: git would slow down
 * the first answer.
 */
export function warnIfTracked({ hive, log, toast }: Pick<TurnInput, "hive" | "log" | "toast">) {
  const isFirst = onceEach()

  return async (session: string): Promise<void> => {
    const opened = await hive()
    // A branch may have an old `.gitignore`, or none.
    keepOutOfGit(opened.home)
    if (sessionOf(opened.store.read().state, session)?.parent_host_id || !isFirst(session)) return
    const [tracked] = await trackedHive(opened)
    if (tracked === undefined) return
    log("info", `git has ${tracked.files} file(s) of the hive in ${tracked.folder}`)
    await toast(`Git has HiveMind's files on this branch. They stay when you take them out: ${TAKE_OUT}`)
  }
}
