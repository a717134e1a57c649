import type { OpenDecision } from "../../dashboard/answers/model.ts"
import { openDecisions } from "../../dashboard/answers/plans.ts"
import { type ConflictWords, describeConflict, openConflicts } from "../../graph/open-conflicts.ts"
import type { Problem } from "../../graph/problem.ts"
import type { Hive } from "../../hive/hive.ts"
import { listMemRows, type MemRow } from "../../views/lists/mems.ts"
import type { Page, Paging } from "../../views/lists/page.ts"
import { listPlans, type PlanRow } from "../../views/lists/plans.ts"
import { type RefusalRow, refusalsOf } from "../../views/lists/refusals.ts"
import { listTasks, type TaskRow } from "../../views/lists/tasks.ts"
import { nextTurn } from "./panel.ts"

export const tabs = ["plans", "memory", "refusals", "quarantine", "to decide"] as const
export type Tab = (typeof tabs)[number]

/** Data of one tab of the screen. */
export type ScreenView =
  | { tab: "plans"; plans: Page<PlanRow>; tasks: ReadonlyMap<string, Page<OpenTask>> }
  | { tab: "memory"; mems: Page<MemRow> }
  | { tab: "refusals"; refusals: RefusalRow[] }
  | { tab: "quarantine"; problems: readonly Problem[]; unlisted: number }
  | { tab: "to decide"; decisions: OpenDecision[]; conflicts: OpenConflict[] }

export interface OpenTask extends TaskRow {
  expected: string
  /** A person has blocked it. */
  isHeld: boolean
}

export interface OpenConflict extends ConflictWords {
  id: string
  at: string
}

export async function readScreen(hive: Hive, tab: Tab): Promise<ScreenView> {
  await hive.store.ready()
  switch (tab) {
    case "plans": {
      const plans = listPlans(hive, {}, PLANS)
      const tasks = new Map<string, Page<OpenTask>>()
      for (const { id } of plans.items.filter(({ isOpen }) => isOpen)) {
        await nextTurn()
        const open = listTasks(hive, { plan: id, status: "open" }, TASKS)
        tasks.set(id, { ...open, items: open.items.map((row) => withRecord(hive, row)) })
      }
      return { tab, plans, tasks }
    }
    case "memory":
      return { tab, mems: listMemRows(hive, {}, MEMS) }
    case "refusals":
      return { tab, refusals: refusalsOf(hive, {}).slice(0, REFUSALS) }
    case "quarantine": {
      const { problems, unlisted } = hive.store.health()
      return { tab, problems, unlisted }
    }
    case "to decide": {
      const { state } = hive.store.read()
      const conflicts = openConflicts(state).slice(0, CONFLICTS)
      return {
        tab,
        decisions: openDecisions(state),
        conflicts: conflicts.map((each) => ({
          ...describeConflict(each, state),
          id: each.id,
          at: each.created_at,
        })),
      }
    }
  }
}

function withRecord(hive: Hive, row: TaskRow): OpenTask {
  const task = hive.store.read().state.task.get(row.id)
  return { ...row, expected: task?.expected_output ?? "", isHeld: (task?.held_back ?? null) !== null }
}

// Enough to browse on a screen; the command line and the dashboard have the rest.
const PLANS: Paging = { limit: 40, page: 1 }
const TASKS: Paging = { limit: 8, page: 1 }
const MEMS: Paging = { limit: 200, page: 1 }
const REFUSALS = 200
const CONFLICTS = 100
