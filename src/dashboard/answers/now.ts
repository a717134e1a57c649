import { basename } from "node:path"
import { standingConflicts } from "../../graph/conflict-standing.ts"
import { isOpenDelegation } from "../../graph/lifecycle.ts"
import { headIdOf } from "../../graph/read-head.ts"
import type { Hive } from "../../hive/hive.ts"
import { ledgerOf } from "../../views/cost/ledger.ts"
import { countsOf } from "../../views/hierarchy/counts.ts"
import { listAnchorRows } from "../../views/look/anchors.ts"
import { listPlans } from "../../views/look/plans.ts"
import { listSessions, type SessionRow } from "../../views/look/sessions.ts"
import { spentShort } from "../../views/look/spent.ts"
import { listTasks } from "../../views/look/tasks.ts"
import { driftReport } from "../../watch/drift-report.ts"
import { sessionStatus } from "../../work/session/status.ts"
import { openDecisions } from "./decisions.ts"
import type { NowView } from "./model.ts"
import { nameOf, threadsOf } from "./threads.ts"

/** Where the work stands, who is at it, and what needs a person. */
export async function nowAnswer(hive: Hive, waiting: number): Promise<NowView> {
  const spent = spentShort((await ledgerOf(hive)).total)
  const { state, problems } = hive.store.read()
  const { plan } = sessionStatus(hive, null)
  const plans = listPlans(hive, { status: "open" }).items
  const sessions = listSessions(hive, { subagents: true }).items.filter(isThere)
  const open = listTasks(hive, { status: "open", ...(plan !== null && { plan: plan.id }) }).items
  return {
    project: { name: basename(hive.dir), dir: hive.dir, branch: hive.branch() },
    threads: threadsOf(hive, sessions, plans),
    decisions: openDecisions(state),
    plan: plans.find(({ id }) => id === plan?.id) ?? null,
    next: open.filter(({ status }) => status === "planned").slice(0, MAX_NEXT),
    blocked: open.filter(({ status }) => status === "blocked").slice(0, MAX_NEXT),
    otherPlans: plans.filter(({ id }) => id !== plan?.id).slice(0, MAX_SHOWN),
    sessions: sessions.slice(0, MAX_SHOWN).map((session) => ({
      ...session,
      hasShifted: (state.trajectory.get(headIdOf(session.host_id))?.intent_shift_at ?? null) !== null,
    })),
    delegations: [...state.delegation.values()].filter(isOpenDelegation).map((delegation) => ({
      id: delegation.id,
      task: state.task.get(delegation.task_id)?.title ?? "",
      agent: delegation.to_agent,
      status: delegation.status,
      since: delegation.created_at,
    })),
    warnings: sessions.slice(0, MAX_SHOWN).flatMap((session) => warningsOf(hive, session)),
    window: fullest(sessions),
    spent,
    conflicts: standingConflicts(state).length,
    problems: problems.length,
    waiting,
    anchors: listAnchorRows(hive).items.slice(0, MAX_SHOWN),
    counts: countsOf(state, hive.store.archive.size()),
  }
}

function isThere({ state }: SessionRow): boolean {
  return state === "open"
}

/** The one that will have to be compacted or split first. */
function fullest(sessions: readonly SessionRow[]): NowView["window"] {
  const [first] = sessions
    .flatMap(({ window, host_id, ...named }) =>
      window === null ? [] : [{ ...window, session: host_id, name: nameOf(named) }],
    )
    .sort((a, b) => b.share - a.share)
  return first ?? null
}

function warningsOf(hive: Hive, session: SessionRow): NowView["warnings"] {
  return driftReport(hive, session.host_id).warnings.map(({ signal, severity, text }) => ({
    session: session.host_id,
    name: nameOf(session),
    signal,
    severity,
    text,
  }))
}

const MAX_SHOWN = 20
const MAX_NEXT = 8
