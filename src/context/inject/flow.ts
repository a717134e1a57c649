import { placeOf } from "../../graph/place.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Trajectory } from "../../schemas/session.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { element } from "../../shared/text/element.ts"

/** One line on where the session stands, for prompts too short to say so themselves; "" where there is no place. */
export function flowLine(state: GraphState, head: Trajectory | undefined): string {
  const { plan, phase, tasks } = placeOf(state, head)
  const task = tasks[0]
  const titles = [plan?.title, phase?.inbox ? undefined : phase?.title, task?.title].filter(
    (title) => title !== undefined,
  )
  if (titles.length === 0) return ""
  const where = titles.map((title) => shorten(title, 60)).join(" › ")
  return element("flow", { task: task && shortId(task.id), status: task?.status }, where)
}
