import type { Hive } from "../../hive/hive.ts"
import type { Task } from "../../schemas/task.ts"
import { FAILED_TASK, failedTaskText, isFailedWork } from "./failed-task.ts"
import { explain, matchIn } from "./match.ts"
import { withMemIndex } from "./mem-index.ts"
import { rank } from "./rank.ts"
import type { Hit } from "./recall.ts"
import { queryTerms } from "./terms.ts"

/** A failed task that a query is about; how well it fits reads as with mems. */
export interface FailedHit extends Pick<Hit, "score" | "share" | "worth" | "words" | "near" | "why"> {
  task: Task
}

/** The failed tasks of all plans that a query is about, the best first. */
export function recallFailed(
  { store }: Pick<Hive, "store">,
  query: string,
  limit: number,
): Promise<FailedHit[]> {
  const terms = queryTerms(query)
  const { task: tasks } = store.read().state
  if (terms.length === 0 || tasks.by("status", "failed").size === 0) return Promise.resolve([])
  return withMemIndex(store, function* (index) {
    const isTask = (doc: number) => index.entry(doc)?.kind === FAILED_TASK
    const { best, found, shareOf, unit } = yield* rank(index, terms, limit, isTask)
    return best.flatMap(({ doc, score }) => {
      const task = store.read().state.task.get(index.entry(doc)?.id ?? "")
      if (!isFailedWork(task)) return []
      const match = matchIn(failedTaskText(task), found)
      const { words, near } = match
      const why = explain(match).join("; ")
      return [{ task, score, share: shareOf(doc), worth: match.worth / unit, words, near: [...near], why }]
    })
  })
}
