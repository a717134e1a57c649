import { basename } from "node:path"
import { standingConflicts } from "../../graph/conflict-standing.ts"
import { isOpenDelegation, isTaskUnderWay } from "../../graph/lifecycle.ts"
import { pressureOf } from "../../graph/pressure.ts"
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
import type { NowView } from "./model.ts"

/** Where the work stands, who is at it, and what needs a person. */
export async function nowAnswer(hive: Hive, waiting: number): Promise<NowView> {
  const spent = spentShort((await ledgerOf(hive)).total)
  const { state, problems } = hive.store.read()
  const { intent, plan, phase } = sessionStatus(hive, null)
  const plans = listPlans(hive, { status: "open" }).items
  const sessions = listSessions(hive, { subagents: true }).items.filter(isThere)
  const open = listTasks(hive, { status: "open", ...(plan !== null && { plan: plan.id }) }).items
  return {
    project: { name: basename(hive.dir), dir: hive.dir, branch: hive.branch() },
    intent,
    plan: plans.find(({ id }) => id === plan?.id) ?? null,
    phase: phase?.title ?? null,
    at_work: listTasks(hive, { status: "open" }).items.filter(isTaskUnderWay).slice(0, MAX_SHOWN),
    next: open.filter(({ status }) => status === "planned").slice(0, MAX_NEXT),
    blocked: open.filter(({ status }) => status === "blocked").slice(0, MAX_NEXT),
    otherPlans: plans.filter(({ id }) => id !== plan?.id).slice(0, MAX_SHOWN),
    sessions: sessions.slice(0, MAX_SHOWN),
    delegations: [...state.delegation.values()].filter(isOpenDelegation).map((delegation) => ({
      id: delegation.id,
      task: state.task.get(delegation.task_id)?.title ?? "",
      agent: delegation.to_agent,
      status: delegation.status,
      since: delegation.created_at,
    })),
    warnings: sessions.slice(0, MAX_SHOWN).flatMap((session) => warningsOf(hive, session)),
    window: pressureOf(state, sessions[0]?.host_id ?? null) ?? null,
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

function warningsOf(hive: Hive, { host_id, stamp }: SessionRow): NowView["warnings"] {
  return driftReport(hive, host_id).warnings.map(({ signal, severity, text }) => ({
    session: host_id,
    stamp,
    signal,
    severity,
    text,
  }))
}

const MAX_SHOWN = 20
const MAX_NEXT = 8
