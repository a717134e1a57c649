import { standingConflicts } from "../../graph/conflict-standing.ts"
import { isActiveSession } from "../../graph/lifecycle.ts"
import { type Pressure, pressureOf } from "../../graph/pressure.ts"
import { headOf } from "../../graph/read-head.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Hive } from "../../hive/hive.ts"
import { hasHive } from "../../store/files/layout.ts"
import type { Health } from "../../store/store.ts"
import { listBrokenCopies } from "../../views/health/broken-copies.ts"
import { type FileProblem, fileProblems } from "../../views/health/file-problems.ts"
import { type Counts, countsOf } from "../../views/hierarchy/counts.ts"
import { type Tree, type TreeNode, treeOf } from "../../views/hierarchy/tree.ts"
import { listPlans, type PlanRow } from "../../views/look/plans.ts"
import { type DriftReport, driftReport } from "../../watch/drift-report.ts"
import { type SessionStanding, sessionStanding } from "../../work/session/standing.ts"
import { type SessionStatus, sessionStatus } from "../../work/session/status.ts"
import { newerFormatNote } from "./file-health.ts"
import { newestSessions } from "./find-session.ts"

export interface ProjectStatus extends Omit<SessionStatus, "mems" | "problems"> {
  /** The folder that holds the hive. */
  project: string
  /** The folder whose files it is about: another one where worktrees share a hive. */
  worktree: string
  /** False before the first write: then there is no `.hivemind/` yet. */
  is_there: boolean
  branch: string | null
  /** The branch of the plan at hand, if it was made on another one. */
  plan_branch: string | null
  /** The session that was asked for, where it has no record in the graph. */
  unrecorded: string | null
  /** The plan at hand, down to its sub-tasks. */
  tree: TreeNode | null
  /** The plans that are open besides the one at hand. */
  other_plans: PlanRow[]
  /** Without those of subagents, which are parts of others. */
  open_sessions: {
    stamp: string
    host_id: string
    intent: string | null
    /** `left`: the program that it ran in has ended. */
    standing: SessionStanding
    updated_at: string
    /** How full its window is; null where nobody knows. */
    window: Pressure | null
  }[]
  /** That of the session that was asked for. */
  window: Pressure | null
  /** Signals of the session that was asked for, else of the newest open one. */
  signals: DriftReport["warnings"]
  counts: Counts
  unfolded: Health["unfolded"]
  /** How many wait for somebody to decide. */
  conflicts: number
  format: { version: number; note: string | null }
  problems: FileProblem[]
  /** Problems beyond those listed. */
  unlisted: number
  /** Parts changed by hand: in use, not in the log yet. */
  edited: string[]
  /** Broken files that were moved out of the way. */
  set_aside: string[]
}

/** Everything that `hivemind status` shows; `host` is a session's id, else the project's last one counts. */
export function projectStatus(
  project: string,
  hive: Hive,
  host: string | null,
): { status: ProjectStatus; tree: Tree } {
  const { store } = hive
  const health = store.health()
  const { state } = store.read()
  const { session, intent, plan, phase, tasks } = sessionStatus(hive, host)
  const { path } = treeOf(state, headOf(state, host))
  const [root] = path
  const branch = hive.branch()
  const open = openSessions(state)
  const made = state.plan.get(plan?.id ?? "")?.branch ?? null
  const status: ProjectStatus = {
    project,
    worktree: hive.dir,
    is_there: hasHive(project),
    branch,
    plan_branch: made === branch ? null : made,
    session,
    unrecorded: session === null ? host : null,
    intent,
    plan,
    phase,
    tasks,
    tree: root ?? null,
    other_plans: listPlans(hive, { status: "open" }).items.filter(({ id }) => id !== plan?.id),
    open_sessions: open,
    window: pressureOf(state, host) ?? null,
    signals: driftReport(hive, host ?? open[0]?.host_id ?? null).warnings,
    counts: countsOf(state, store.archive.size()),
    unfolded: health.unfolded,
    conflicts: standingConflicts(state).length,
    format: { version: health.format, note: newerFormatNote(health.format) ?? null },
    problems: fileProblems(project, health.problems),
    unlisted: health.unlisted,
    edited: [...health.edited],
    set_aside: listBrokenCopies(project),
  }
  return { status, tree: { roots: root === undefined ? [] : [root], path } }
}

function openSessions(state: GraphState): ProjectStatus["open_sessions"] {
  return newestSessions(state)
    .filter((session) => isActiveSession(session) && session.parent_host_id === null)
    .map((session) => {
      const { stamp, host_id, intent, updated_at } = session
      const window = pressureOf(state, host_id) ?? null
      return { stamp, host_id, intent, standing: sessionStanding(state, session), updated_at, window }
    })
}
