import type { Problem } from "../../graph/problem.ts"
import type { Hive } from "../../hive/hive.ts"
import { listMemRows, type MemRow } from "../../views/look/mems.ts"
import type { Page, Paging } from "../../views/look/page.ts"
import { listPlans, type PlanRow } from "../../views/look/plans.ts"
import { type RefusalRow, refusalsOf } from "../../views/look/refusals.ts"
import { listTasks, type TaskRow } from "../../views/look/tasks.ts"
import { nextTurn } from "./panel.ts"

export const tabs = ["plans", "memory", "refusals", "quarantine"] as const
export type Tab = (typeof tabs)[number]

/** What one tab of the screen shows. */
export type ScreenView =
  | { tab: "plans"; plans: Page<PlanRow>; tasks: ReadonlyMap<string, TaskRow[]> }
  | { tab: "memory"; mems: Page<MemRow> }
  | { tab: "refusals"; refusals: RefusalRow[] }
  | { tab: "quarantine"; problems: readonly Problem[]; unlisted: number }

export async function readScreen(hive: Hive, tab: Tab): Promise<ScreenView> {
  await hive.store.ready()
  switch (tab) {
    case "plans": {
      const plans = listPlans(hive, {}, PLANS)
      const tasks = new Map<string, TaskRow[]>()
      for (const { id } of plans.items.filter(({ isOpen }) => isOpen)) {
        await nextTurn()
        tasks.set(id, listTasks(hive, { plan: id, status: "open" }, TASKS).items)
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
  }
}

// What a person looks through on a screen; the command line and the dashboard have the rest.
const PLANS: Paging = { limit: 40, page: 1 }
const TASKS: Paging = { limit: 8, page: 1 }
const MEMS: Paging = { limit: 200, page: 1 }
const REFUSALS = 200
