import { levelOf } from "../../graph/indexes.ts"
import type { Place } from "../../graph/place.ts"
import { first } from "../../graph/record-map.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Task } from "../../schemas/task.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { element } from "../../shared/text/element.ts"
import { describeFailed, descriptionHash } from "./description.ts"
import { wordings } from "./fit.ts"
import type { Item } from "./item.ts"

/** Tasks of the plan that were tried and given up, with why; for a subagent, those beside its own. */
export function failedItems(state: GraphState, { plan, tasks }: Place, isScoped: boolean): Item[] {
  if (plan === undefined) return []
  const levels = new Set(tasks.map(levelOf))
  const failed = first(MAX_COUNTED, state.task.by("plan failed", plan.id).backwards()).filter(
    (task) => task.purpose === "work" && (!isScoped || levels.has(levelOf(task))),
  )
  return failed
    .slice(0, MAX_FAILED)
    .map((task, index) => failedItem(task, 558 - index, "failed in this plan"))
}

/** One that was tried and given up, with why. */
export function failedItem(task: Task, worth: number, reason: string): Item {
  const identity = { id: shortId(task.id) }
  const description = describeFailed(task)
  return {
    kind: "task",
    id: task.id,
    role: "failed",
    identity,
    status: task.status,
    description: descriptionHash(description),
    section: "anti_patterns",
    worth,
    reason,
    ...wordings([240, 120, 60], (max) => element("failed", identity, shorten(description.words, max))),
  }
}

const MAX_FAILED = 12
const MAX_COUNTED = 500
