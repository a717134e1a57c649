import type { Command } from "commander"
import type { Hive } from "../hive/hive.ts"
import {
  brokenOffNotices,
  quarantineNotice,
  unmovedNotice,
  untakenNotice,
} from "../migrate/take-over/notice.ts"
import { counted } from "../shared/amounts.ts"
import { shorten } from "../shared/text/clean.ts"
import { duration } from "../shared/time.ts"
import { describeSyncState, type SyncState, syncState } from "../sync/state.ts"
import { describeFileProblems } from "../views/health/file-problems.ts"
import { countsText } from "../views/hierarchy/counts.ts"
import { renderTree } from "../views/hierarchy/render.ts"
import { foldNote, unlistedNote } from "./project/file-health.ts"
import { findHostId } from "./project/find-session.ts"
import { withOldMems } from "./project/open-project.ts"
import { type ProjectStatus, projectStatus } from "./project/project-status.ts"
import type { CliCommand } from "./terminal/command.ts"
import { type Row, rowsWith, type Style, styleFor } from "./terminal/style.ts"
import { windowText } from "./terminal/window-text.ts"

interface StatusOptions {
  session?: string
}

/** Where the project stands, and whether its files are in order. Reads only. */
export const statusCommand: CliCommand<StatusOptions> = {
  configure(command: Command) {
    command
      .option("--session <session>", "as that session sees it: its stamp or id (default: the project)")
      .addHelpText("after", "\nExample: hivemind status --session 301411022026")
  },

  run: (input) =>
    withOldMems(input, async ({ project, hive, configProblems }) => {
      const { session } = input.options
      const host = session === undefined ? null : await findHostId(hive, session)
      const { status, tree } = projectStatus(project, hive, host)
      const sync = await syncState(hive.store, hive.dir).catch(() => null) // Git's trouble is for doctor to tell.
      const notices = [
        untakenNotice(project),
        unreadNotice(hive),
        unmovedNotice(project),
        ...brokenOffNotices(project),
        quarantineNotice(project),
      ]
      const olderFiles = notices.filter((each) => each !== undefined)
      const quarantined = status.problems.some(({ level }) => level === "quarantined")
      return {
        data: { ...status, sync, config_problems: configProblems, older_files: olderFiles },
        text: statusText(
          { ...status, sync, configProblems, olderFiles },
          renderTree(tree, { width: TREE_WIDTH, limit: TREE_NODES }),
          hive.source.now(),
          styleFor(input.io.stdout, input.io.env),
        ),
        trouble: quarantined || configProblems.length > 0 || status.format.note !== null,
      }
    }),
}

/** Of very many, a part is read beside the graph. */
function unreadNotice({ store }: Hive): string | undefined {
  const count = store.older?.unreadCount() ?? 0
  return count === 0
    ? undefined
    : `About ${counted(count, "mem")} more in them: \`hivemind recall\` finds each.`
}

interface Shown extends ProjectStatus {
  sync: SyncState | null
  configProblems: string[]
  olderFiles: string[]
}

function statusText(status: Shown, tree: string[], now: number, style: Style): string {
  const row = rowsWith(style, LABEL_WIDTH)
  const { session, format } = status
  return [
    style("bold", `HiveMind in ${status.project}`),
    ...(status.worktree === status.project ? [] : [`shared with worktree ${status.worktree}`]),
    ...(format.note === null ? [] : [style("red", format.note)]),
    "",
    ...row("session", session === null ? [] : [`${session.stamp} (${session.status}, ${session.mode})`]),
    ...row("session", unrecordedLines(status)),
    ...positionLines(status, row, style),
    ...row("also open", otherPlanLines(status)),
    ...row("window", status.window === null ? [] : [windowText(status.window)]),
    ...row("sessions", openSessionLines(status, now)),
    ...row("signals", signalLines(status, style)),
    "",
    ...(tree.length === 0 ? [] : [...tree, ""]),
    ...row("graph", [countsText(status.counts)]),
    ...row("conflicts", status.conflicts === 0 ? [] : [conflictLine(status.conflicts, style)]),
    ...row("sync", status.sync === null ? [] : [describeSyncState(status.sync)]),
    ...row("fold", [foldNote(status.unfolded)]),
    ...row(
      "config",
      status.configProblems.map((problem) => style("red", problem)),
    ),
    ...row("files", fileLines(status, style)),
    ...row(
      "older",
      status.olderFiles.map((each) => style("yellow", each)),
    ),
  ].join("\n")
}

function unrecordedLines({ unrecorded }: ProjectStatus): string[] {
  return unrecorded === null ? [] : [`${unrecorded} (without a record of its own in the graph)`]
}

function positionLines(
  { intent, plan, plan_branch, phase, tasks, session, unrecorded }: ProjectStatus,
  row: Row,
  style: Style,
): string[] {
  const titled = ({ title, status }: { title: string; status: string }) =>
    `${shorten(title)} ${style("dim", `(${status})`)}`
  const nowhere =
    session === null && unrecorded === null
      ? "no plan yet: the first session makes one"
      : "nowhere in the plans yet"
  const madeOn = plan_branch === null ? "" : style("dim", `, made on branch ${plan_branch}`)
  return [
    ...row("intent", intent === null ? [] : [shorten(intent)]),
    ...row("plan", [plan === null ? nowhere : `${titled(plan)}${madeOn}`]),
    ...row("phase", phase === null ? [] : [titled(phase)]),
    ...row(tasks.length > 1 ? "tasks" : "task", tasks.map(titled)),
  ]
}

/** Others may be at plans of their own. */
function otherPlanLines({ other_plans }: ProjectStatus): string[] {
  const shown = other_plans.slice(0, MAX_SESSIONS)
  const lines = shown.map(
    ({ short, title, tasks }) =>
      `${short} ${shorten(title, 60)}, ${tasks.done} of ${counted(tasks.all, "task")} done`,
  )
  const more = other_plans.length - shown.length
  return more > 0 ? [...lines, `and ${counted(more, "plan")} more: \`hivemind plans\``] : lines
}

/** The project's position is that of its last session; each other session has its own. */
function openSessionLines({ open_sessions, session, unrecorded }: ProjectStatus, now: number): string[] {
  if (session !== null || unrecorded !== null) return []
  const shown = open_sessions.slice(0, MAX_SESSIONS)
  const lines = shown.map(
    ({ stamp, intent, standing, updated_at, window }) =>
      `session ${stamp}: ${shorten(intent ?? "no intent yet", 60)}, ${duration(now - Date.parse(updated_at))} ago` +
      (standing === "open" ? "" : `, ${standing}`) +
      (window === null ? "" : `, ${windowText(window)}`),
  )
  const more = open_sessions.length - shown.length
  return more > 0 ? [...lines, `and ${counted(more, "session")} more`] : lines
}

/** Signals of the session at hand; the model is not told of those in grey. */
function signalLines({ signals }: ProjectStatus, style: Style): string[] {
  return signals.map(({ signal, text, shown_to }) =>
    style(shown_to === "model" ? "yellow" : "dim", `${signal}: ${text}`),
  )
}

function conflictLine(conflicts: number, style: Style): string {
  return style("yellow", `${conflicts} to settle: \`hivemind conflicts\``)
}

function fileLines(
  { is_there, problems, unlisted, edited, set_aside, olderFiles }: Shown,
  style: Style,
): string[] {
  if (!is_there) return [`no ${olderFiles.length > 0 ? "graph" : ".hivemind/"} yet; the first write makes it`]
  const quarantined = problems.filter(({ level }) => level === "quarantined")
  const warnings = problems.filter(({ level }) => level === "warning")
  const lines: string[] = []
  if (quarantined.length > 0) {
    const what = `${counted(quarantined.length, "part")} could not be used; the rest is in use`
    lines.push(style("red", what), ...indented(describeFileProblems(quarantined)))
  }
  if (unlisted > 0) lines.push(unlistedNote(unlisted))
  if (warnings.length > 0) {
    lines.push(
      style("yellow", counted(warnings.length, "warning")),
      ...indented(describeFileProblems(warnings)),
    )
  }
  if (edited.length > 0) lines.push(`changed by hand, in use: ${edited.join(", ")}`)
  if (set_aside.length > 0) lines.push(`broken copies kept for you: ${set_aside.join(", ")}`)
  return lines.length === 0 ? [style("green", "all in order")] : lines
}

function indented(lines: string[]): string[] {
  return lines.map((line) => `  ${line}`)
}

const TREE_WIDTH = 80
const TREE_NODES = 30
const LABEL_WIDTH = 11
const MAX_SESSIONS = 3
