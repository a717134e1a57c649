import { isBlockedTask } from "../../graph/lifecycle.ts"
import { lookupIn, obstaclesOf } from "../../graph/obstacles.ts"
import type { Hive } from "../../hive/hive.ts"
import { shortId } from "../../shared/ids.ts"
import { taskDetail } from "../../views/look/tasks.ts"
import type { TaskView } from "./model.ts"

/** One task with all that is known of it, and what it waits for. */
export async function taskAnswer(hive: Hive, id: string): Promise<TaskView> {
  const detail = await taskDetail(hive, id)
  const { state } = hive.store.read()
  const obstacles = isBlockedTask(detail.record) ? obstaclesOf(detail.record, lookupIn(state)) : []
  return {
    ...detail,
    obstacles: obstacles.map(({ kind, why, on }) => {
      const record = on === undefined ? undefined : state[on.kind].get(on.id)
      const title = record === undefined ? undefined : "title" in record ? record.title : record.content
      return {
        why,
        on: on === undefined ? null : { ...on, title: title ?? shortId(on.id) },
        isDecision: kind === "decision",
      }
    }),
  }
}
