import type { Command } from "commander"
import { inboxIdOf } from "../graph/inbox.ts"
import { isActiveSession } from "../graph/lifecycle.ts"
import { type Pressure, pressureOf } from "../graph/pressure.ts"
import { headOf } from "../graph/read-head.ts"
import type { GraphState } from "../graph/state.ts"
import type { Hive } from "../hive/hive.ts"
import { quarantineNotice, unmovedNotice, unreadNotice } from "../migrate/automatic.ts"
import { counted } from "../shared/amounts.ts"
import { runInSlices } from "../shared/slices.ts"
import { readableStamp } from "../shared/stamp.ts"
import { shorten } from "../shared/text/clean.ts"
import { duration } from "../shared/time.ts"
import { hasHive } from "../store/files/layout.ts"
import { describeSyncState, type SyncState, syncState } from "../sync/state.ts"
import { renderTree } from "../views/hierarchy/render.ts"
import { type Tree, type TreeNode, treeOf } from "../views/hierarchy/tree.ts"
import { inspectScan } from "../views/inspect/scan.ts"
import type { PlanRow } from "../views/lists/plans.ts"
import { describeFileProblems, fileProblems, listBrokenCopies } from "../views/problems.ts"
import { countsOf, countsText, workStatus } from "../views/status.ts"
import { driftReport } from "../watch/drift-report.ts"
import { type SessionStanding, sessionName, sessionStanding } from "../work/session/status.ts"
import { inactiveNotice } from "./install/active.ts"
import { newerFormatNote } from "./project/file-health.ts"
import { findHostId, newestSessions } from "./project/find-session.ts"
import { configLocation, withHive } from "./project/open-project.ts"
import type { CliCommand } from "./terminal/command.ts"
import { windowText } from "./terminal/detail-text.ts"
import { fieldLines, type Style } from "./terminal/style.ts"

interface StatusOptions {
  session?: string
}

/** The current plan and task, what needs attention, and whether the files are in order. Reads only. */
export const command: CliCommand<StatusOptions> = {
  configure(status: Command) {
    status
      .option("--session <session>", "as that session sees it: its time or id (default: the project)")
      .addHelpText("after", '\nExample: hivemind status --session "2026-02-11 14:30"')
  },

  run: (input) =>
    withHive(input, async ({ project, place, hive, configProblems }) => {
      const { session } = input.options
      const host = session === undefined ? null : await findHostId(hive, session)
      const { status, tree } = await projectStatus(project, hive, host)
      const sync = await syncState(hive.store, hive.dir).catch(() => null) // Doctor reports git's errors.
      const inactive = await inactiveNotice(configLocation(place, input.io))
      const notices = [unreadNotice(project), unmovedNotice(project), quarantineNotice(project)]
      const olderFiles = notices.filter((each) => each !== undefined)
      const quarantined = status.problems.some(({ level }) => level === "quarantined")
      const shown = { ...status, inactive, sync, configProblems, olderFiles }
      return {
        data: { ...status, inactive, sync, config_problems: configProblems, older_files: olderFiles },
        text: statusLines(shown, withoutInbox(tree, hive.store.read().state), hive.source.now(), input.style),
        trouble: quarantined || configProblems.length > 0 || status.format.note !== null,
      }
    }),
}

type ProjectStatus = Awaited<ReturnType<typeof projectStatus>>["status"]

interface Shown extends ProjectStatus {
  /** The notice that no agent loads HiveMind in this folder, with the command that changes it. */
  inactive: string | null
  sync: SyncState | null
  configProblems: string[]
  olderFiles: string[]
}

/** `host` is the id of the session that was asked for; null for the project's last one. */
async function projectStatus(project: string, hive: Hive, host: string | null) {
  const { store } = hive
  const health = store.health()
  const { state } = store.read()
  const work = workStatus(hive, host, MAX_UNPLANNED)
  const { session, intent, plan, phase, tasks } = work
  const { path } = treeOf(state, headOf(state, host))
  const [root] = path
  const branch = hive.branch()
  const sessions = openSessions(state)
  const madeOn = state.plan.get(plan?.id ?? "")?.branch ?? null
  const { look, open_decisions, delegations, refresh } = await runInSlices(inspectScan(hive, host))
  const status = {
    project,
    /** The folder whose files it is about: another one if worktrees share a hive. */
    worktree: hive.dir,
    /** False before the first write: then there is no `.hivemind/` yet. */
    is_there: hasHive(project),
    branch,
    /** The branch of the current plan, if it was made on another one. */
    plan_branch: madeOn === branch ? null : madeOn,
    session,
    /** The session that was asked for, if it has no record in the graph. */
    unrecorded: session === null ? host : null,
    intent,
    plan,
    phase,
    tasks,
    /** The current plan, down to its sub-tasks. */
    tree: root ?? null,
    /** The plans that are open besides the current one. */
    other_plans: work.otherPlans,
    /** Without a current plan: the open ones with their next tasks, the most recently worked first. */
    open_plans: work.openPlans,
    /** Work without a plan, by session, the newest first. */
    unplanned: work.unplanned,
    open_sessions: sessions,
    /** That of the session that was asked for. */
    window: work.window,
    /** Signals of the session that was asked for, else of the newest open one. */
    signals: driftReport(hive, host ?? sessions[0]?.host_id ?? null).warnings,
    /** Records that are stale, stuck or due. */
    look,
    open_decisions,
    delegations,
    /** Knowledge that is stale or soon will be. */
    refresh,
    counts: countsOf(state, store.archive.size()),
    unfolded: health.unfolded,
    /** How many wait to be settled. */
    conflicts: work.conflicts,
    format: { version: health.format, note: newerFormatNote(health.format) },
    problems: fileProblems(project, health.problems),
    /** Problems beyond those listed. */
    unlisted: health.unlisted,
    /** Broken files that were moved out of the way. */
    set_aside: listBrokenCopies(project),
  }
  return { status, tree: { roots: root === undefined ? [] : [root], path } }
}

interface OpenSession {
  stamp: string
  /** The session's name as shown to people. */
  name: string
  host_id: string
  intent: string | null
  /** `left`: the program that it ran in has ended. */
  standing: SessionStanding
  updated_at: string
  /** How full its window is; null if that is not known. */
  window: Pressure | null
}

/** Without those of subagents, which are parts of others. */
function openSessions(state: GraphState): OpenSession[] {
  return newestSessions(state)
    .filter((session) => isActiveSession(session) && session.parent_host_id === null)
    .map((session) => {
      const { stamp, host_id, intent, updated_at } = session
      const window = pressureOf(state, host_id) ?? null
      const name = sessionName(state, session)
      return { stamp, name, host_id, intent, standing: sessionStanding(state, session), updated_at, window }
    })
}

function statusLines(status: Shown, tree: Tree, now: number, style: Style): string[] {
  const { session, unrecorded, plan, tasks, window, format } = status
  const titled = ({ title, status: state }: { title: string; status: string }) =>
    `${shorten(title)} ${style("dim", `(${state})`)}`
  const madeOn = status.plan_branch === null ? "" : style("dim", `, made on branch ${status.plan_branch}`)
  const isInbox = status.phase !== null && inboxIdOf(plan?.id ?? "") === status.phase.id
  const drawn = renderTree(tree, { width: TREE_WIDTH, limit: TREE_NODES })
  const position = {
    session:
      session !== null
        ? `of ${readableStamp(session.stamp)} (${session.status}, ${session.mode})`
        : unrecorded && `${unrecorded} (without a record of its own in the graph)`,
    intent: status.intent && shorten(status.intent),
    plan: plan === null ? noPlanText(status) : `${titled(plan)}${madeOn}`,
    // The inbox is bookkeeping.
    phase: status.phase && !isInbox ? titled(status.phase) : null,
    [tasks.length > 1 ? "tasks" : "task"]: tasks.map(titled),
    "open plans": openPlanLines(status, now, style),
    "also open": otherPlanLines(status),
    unplanned: unplannedLines(status, now),
    window: window && windowText(window),
    sessions: openSessionLines(status, now),
    // The model is not shown those in grey.
    signals: status.signals.map(({ signal, text, shown_to }) =>
      style(shown_to === "model" ? "yellow" : "dim", `${signal}: ${text}`),
    ),
    "to look at": status.look,
    undecided: status.open_decisions,
    delegated: status.delegations,
    "to refresh": status.refresh,
  }
  const health = {
    graph: countsText(status.counts),
    conflicts:
      status.conflicts === 0
        ? null
        : style("yellow", `${status.conflicts} to settle: \`hivemind sync conflicts\``),
    sync: status.sync && describeSyncState(status.sync),
    config: status.configProblems.map((problem) => style("red", problem)),
    files: fileLines(status, style),
    older: status.olderFiles.map((each) => style("yellow", each)),
  }
  return [
    style("bold", `HiveMind in ${status.project}`),
    ...(status.worktree === status.project ? [] : [`shared with worktree ${status.worktree}`]),
    ...(status.inactive === null ? [] : [style("red", status.inactive)]),
    ...(format.note === null ? [] : [style("red", format.note)]),
    "",
    ...fieldLines(position, style, LABEL_WIDTH),
    "",
    ...(drawn.length === 0 ? [] : [...drawn, ""]),
    ...fieldLines(health, style, LABEL_WIDTH),
  ]
}

/** The tree with the tasks of a plan's inbox directly below the plan. */
function withoutInbox({ roots, path }: Tree, state: GraphState): Tree {
  const copies = new Map<TreeNode, TreeNode>()
  const isInbox = ({ id }: TreeNode) => state.phase.get(id)?.inbox === true
  const copyOf = (node: TreeNode): TreeNode => {
    const children = node.children.flatMap((child) => (isInbox(child) ? child.children : [child])).map(copyOf)
    const copy = { ...node, children }
    copies.set(node, copy)
    return copy
  }
  return { roots: roots.map(copyOf), path: path.flatMap((node) => copies.get(node) ?? []) }
}

function noPlanText({ open_plans, session, unrecorded, counts }: ProjectStatus): string {
  if (open_plans.length > 0) return "no current plan; name one of these tasks to your agent to start it"
  if (session === null && unrecorded === null)
    return counts.plans > 0
      ? "none is open; ask your agent for a new one"
      : "no plan yet: the first session makes one"
  return "nowhere in the plans yet"
}

/** Without a current plan: plans to go on with, and the task to begin with. */
function openPlanLines({ open_plans }: ProjectStatus, now: number, style: Style): string[] {
  return open_plans.flatMap((plan) => [
    `${progressText(plan)}, last worked on ${duration(now - Date.parse(plan.updated_at))} ago`,
    ...plan.next.map(
      (task) => `  ${task.short} ${shorten(task.title, 60)} ${style("dim", `(${task.status})`)}`,
    ),
  ])
}

function otherPlanLines({ other_plans, open_plans }: ProjectStatus): string[] {
  const others = other_plans.filter(({ id }) => !open_plans.some((open) => open.id === id))
  const more = others.length - MAX_SHOWN
  const lines = others.slice(0, MAX_SHOWN).map(progressText)
  return more > 0 ? [...lines, `and ${counted(more, "plan")} more: \`hivemind plans\``] : lines
}

function progressText({ short, title, tasks }: PlanRow): string {
  return `${short} ${shorten(title, 60)}, ${tasks.done} of ${counted(tasks.all, "task")} done`
}

/** Work without a plan, by session: the session's title, its files, checks and last answer. */
function unplannedLines({ unplanned }: ProjectStatus, now: number): string[] {
  return unplanned.flatMap(({ name, files, checks, last_answer, at }) => {
    const more = files.length > MAX_FILES ? `, and ${files.length - MAX_FILES} more` : ""
    const results = checks.map(({ command: run, ok }) => `${shorten(run, 40)} ${ok ? "passed" : "failed"}`)
    const changed = `${files.slice(0, MAX_FILES).join(", ")}${more}`
    return [
      `${shorten(name, 60)}, ${duration(now - Date.parse(at))} ago`,
      `  ${[changed, ...results].filter((part) => part !== "").join("; ")}`,
      ...(last_answer === null ? [] : [`  ${shorten(last_answer, 100)}`]),
    ]
  })
}

/** The project's position is that of its last session; each other session has its own. */
function openSessionLines({ open_sessions, session, unrecorded }: ProjectStatus, now: number): string[] {
  if (session !== null || unrecorded !== null) return []
  const more = open_sessions.length - MAX_SHOWN
  const lines = open_sessions
    .slice(0, MAX_SHOWN)
    .map(
      ({ stamp, name, standing, updated_at, window }) =>
        `${readableStamp(stamp)}: ${shorten(name, 60)}, ${duration(now - Date.parse(updated_at))} ago` +
        (standing === "open" ? "" : `, ${standing}`) +
        (window === null ? "" : `, ${windowText(window)}`),
    )
  return more > 0 ? [...lines, `and ${counted(more, "session")} more`] : lines
}

function fileLines({ is_there, problems, unlisted, set_aside, olderFiles }: Shown, style: Style): string[] {
  if (!is_there) return [`no ${olderFiles.length > 0 ? "graph" : ".hivemind/"} yet; the first write makes it`]
  const described = (level: string, head: (count: number) => string) => {
    const alike = problems.filter((each) => each.level === level)
    return alike.length === 0
      ? []
      : [head(alike.length), ...describeFileProblems(alike).map((line) => `  ${line}`)]
  }
  const lines = [
    ...described("quarantined", (n) =>
      style("red", `${counted(n, "part")} could not be used; the rest is in use`),
    ),
    ...(unlisted > 0 ? [`and ${counted(unlisted, "problem")} more, which no list holds`] : []),
    ...described("warning", (n) => style("yellow", counted(n, "warning"))),
    ...(set_aside.length > 0 ? [`broken copies kept for you: ${set_aside.join(", ")}`] : []),
  ]
  return lines.length === 0 ? [style("green", "all in order")] : lines
}

const LABEL_WIDTH = 11
const TREE_WIDTH = 80
const TREE_NODES = 30
const MAX_SHOWN = 3
const MAX_FILES = 5
const MAX_UNPLANNED = 3
