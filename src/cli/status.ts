import { inboxIdOf } from "../graph/inbox.ts"
import { isActiveSession } from "../graph/lifecycle.ts"
import { pressureOf } from "../graph/pressure.ts"
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
import { sessionName, sessionStanding } from "../work/session/status.ts"
import { inactiveNotice } from "./install/active.ts"
import { newerFormatNote } from "./project/file-health.ts"
import { findHostId, newestSessions } from "./project/find-session.ts"
import { configLocation, withHive } from "./project/open-project.ts"
import { type CliCommand, type Line, textLines } from "./terminal/command.ts"
import { windowText } from "./terminal/detail-text.ts"
import { fieldLines, firstLines, type Style, section } from "./terminal/style.ts"

export const command: CliCommand<{ session?: string }> = {
  configure(status) {
    status.option("--session <session>", "the status of one session: its time or id (default: the project)")
  },

  help: 'Example: hivemind status --session "2026-02-11 14:30"',

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
      const data = { ...status, inactive, sync, config_problems: configProblems, older_files: olderFiles }
      return {
        data,
        text: statusLines(data, withoutInbox(tree, hive.store.read().state), hive.source.now(), input.style),
        trouble: quarantined || configProblems.length > 0 || status.format.note !== null,
      }
    }),
}

type ProjectStatus = Awaited<ReturnType<typeof projectStatus>>["status"]

interface Shown extends ProjectStatus {
  inactive: string | null
  sync: SyncState | null
  config_problems: string[]
  older_files: string[]
}

async function projectStatus(project: string, hive: Hive, host: string | null) {
  const { store } = hive
  const health = store.health()
  const { state } = store.read()
  const work = workStatus(hive, host, 3)
  const { session, intent, plan, phase, tasks } = work
  const { path } = treeOf(state, headOf(state, host))
  const [root] = path
  const branch = hive.branch()
  const sessions = openSessions(state)
  const madeOn = state.plan.get(plan?.id ?? "")?.branch ?? null
  const { look, open_decisions, delegations, refresh } = await runInSlices(inspectScan(hive, host))
  const status = {
    project,
    /** The worktree that the status is about. It differs from `project` if worktrees share a hive. */
    worktree: hive.dir,
    is_there: hasHive(project),
    branch,
    /** The branch that the current plan was made on, if that is not the current branch. */
    plan_branch: madeOn === branch ? null : madeOn,
    session,
    /** The id of the requested session, if it has no record in the graph. */
    unrecorded: session === null ? host : null,
    intent,
    plan,
    phase,
    tasks,
    tree: root ?? null,
    other_plans: work.otherPlans,
    open_plans: work.openPlans,
    unplanned: work.unplanned,
    open_sessions: sessions,
    window: work.window,
    signals: driftReport(hive, host ?? sessions[0]?.host_id ?? null).warnings,
    look,
    open_decisions,
    delegations,
    refresh,
    counts: countsOf(state, store.archive.size()),
    unfolded: health.unfolded,
    conflicts: work.conflicts,
    format: { version: health.format, note: newerFormatNote(health.format) },
    problems: fileProblems(project, health.problems),
    unlisted: health.unlisted,
    set_aside: listBrokenCopies(project),
  }
  return { status, tree: { roots: root === undefined ? [] : [root], path } }
}

/** Leaves out the sessions of subagents, because they are parts of other sessions. */
function openSessions(state: GraphState) {
  return newestSessions(state)
    .filter((session) => isActiveSession(session) && session.parent_host_id === null)
    .map((session) => {
      const { stamp, host_id, intent, updated_at } = session
      const window = pressureOf(state, host_id) ?? null
      const name = sessionName(state, session)
      return { stamp, name, host_id, intent, standing: sessionStanding(state, session), updated_at, window }
    })
}

function statusLines(status: Shown, tree: Tree, now: number, style: Style): Line[] {
  const { session, unrecorded, plan, tasks, window, format } = status
  const titled = ({ title, status: state }: { title: string; status: string }) =>
    `${shorten(title)} ${style("dim", `(${state})`)}`
  const madeOn = status.plan_branch === null ? "" : style("dim", `, made on branch ${status.plan_branch}`)
  const isInbox = status.phase !== null && inboxIdOf(plan?.id ?? "") === status.phase.id
  const drawn = renderTree(tree, { width: 80, limit: 30 })
  const position = {
    session:
      session !== null
        ? `of ${readableStamp(session.stamp)} (${session.status}, ${session.mode})`
        : unrecorded && `${unrecorded} (without a record of its own in the graph)`,
    intent: status.intent && shorten(status.intent),
    plan: plan === null ? noPlanText(status) : `${titled(plan)}${madeOn}`,
    // The inbox phase only collects tasks that were made without a phase, so it is not shown.
    phase: status.phase && !isInbox ? titled(status.phase) : null,
    [tasks.length > 1 ? "tasks" : "task"]: tasks.map(titled),
    "open plans": openPlanLines(status, now, style),
    "also open": otherPlanLines(status),
    unplanned: unplannedLines(status, now),
    window: window && windowText(window),
    sessions: openSessionLines(status, now),
    // Yellow signals are also shown to the model, grey ones only to people.
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
    conflicts: status.conflicts > 0 ? style("yellow", `${status.conflicts} ${SETTLE}`) : null,
    sync: status.sync && describeSyncState(status.sync),
    config: status.config_problems.map((problem) => style("red", problem)),
    files: fileLines(status, style),
    older: status.older_files.map((each) => style("yellow", each)),
  }
  return [
    style("bold", `HiveMind in ${status.project}`),
    status.worktree !== status.project && `shared with worktree ${status.worktree}`,
    status.inactive && style("red", status.inactive),
    format.note && style("red", format.note),
    "",
    ...fieldLines(position, style, LABEL_WIDTH),
    "",
    ...(drawn.length === 0 ? [] : [...drawn, ""]),
    ...fieldLines(health, style, LABEL_WIDTH),
  ]
}

/** A copy of the tree in which inbox tasks are directly below their plan. */
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
      ? "no plan is open; ask your agent for a new one"
      : "no plan yet: the first session makes one"
  return "not working on a plan yet"
}

function openPlanLines({ open_plans }: ProjectStatus, now: number, style: Style): string[] {
  return open_plans.flatMap(({ next, ...plan }) => [
    `${progressText(plan)}, last worked on ${duration(now - Date.parse(plan.updated_at))} ago`,
    ...next.map(
      ({ short, title, status }) => `  ${short} ${shorten(title, 60)} ${style("dim", `(${status})`)}`,
    ),
  ])
}

function otherPlanLines({ other_plans, open_plans }: ProjectStatus): readonly string[] {
  const others = other_plans.filter(({ id }) => !open_plans.some((open) => open.id === id))
  return firstLines(others.map(progressText), MAX_SHOWN)
}

function progressText({ short, title, tasks }: PlanRow): string {
  return `${short} ${shorten(title, 60)}, ${tasks.done} of ${counted(tasks.all, "task")} done`
}

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

/** Lists the open sessions, but only in the status of the whole project: none if the status is about one session. */
function openSessionLines({ open_sessions, session, unrecorded }: ProjectStatus, now: number) {
  if (session !== null || unrecorded !== null) return []
  const lines = open_sessions.map(({ stamp, name, standing, updated_at, window }) => {
    const age = `${duration(now - Date.parse(updated_at))} ago`
    const facts = [shorten(name, 60), age, standing !== "open" && standing, window && windowText(window)]
    return `${readableStamp(stamp)}: ${textLines(facts).join(", ")}`
  })
  return firstLines(lines, MAX_SHOWN)
}

function fileLines({ is_there, problems, unlisted, set_aside, older_files }: Shown, style: Style): string[] {
  if (!is_there)
    return [`no ${older_files.length > 0 ? "graph" : ".hivemind/"} yet; the first write makes it`]
  const described = (level: string, head: (count: number) => string) => {
    const alike = problems.filter((each) => each.level === level)
    return section(head(alike.length), describeFileProblems(alike))
  }
  const unused = (n: number) => style("red", `${counted(n, "part")} could not be read; the rest is used`)
  const lines = textLines([
    ...described("quarantined", unused),
    unlisted > 0 && `and ${counted(unlisted, "problem")} more, not listed here`,
    ...described("warning", (n) => style("yellow", counted(n, "warning"))),
    set_aside.length > 0 && `broken copies kept for you: ${set_aside.join(", ")}`,
  ])
  return lines.length === 0 ? [style("green", "all in order")] : lines
}

const SETTLE = "to settle: `hivemind sync conflicts`"
const LABEL_WIDTH = 11
const MAX_SHOWN = 3
const MAX_FILES = 5
