import { isTaskUnderWay } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Trajectory } from "../../schemas/session.ts"
import type { Checkpoint } from "../../schemas/task.ts"
import { shortId } from "../../shared/ids.ts"
import { shorten } from "../../shared/text/clean.ts"
import { element } from "../../shared/text/element.ts"

/** What is still open before this turn may end; empty where all is met. */
export function unmetItems(
  state: GraphState,
  head: Trajectory | undefined,
  commitAfterFiles: number,
  stamp: string | undefined,
): string[] {
  const unmet: string[] = []
  const ids = new Set(head?.active_task_ids ?? [])
  const trail = [...state.checkpoint.values()]
    .filter((checkpoint) => ids.has(checkpoint.task_id))
    .sort((a, b) => a.created_at.localeCompare(b.created_at))
  for (const id of ids) {
    const task = state.task.get(id)
    if (task === undefined || !isTaskUnderWay(task)) continue
    const own = trail.filter((checkpoint) => checkpoint.task_id === id)
    if (own.length === 0 && task.evidence === null) {
      unmet.push(element("unmet", { task: shortId(id) }, `no evidence yet for: ${shorten(task.title, 80)}`))
    }
    const untested = filesSince(own, hasChecked)
    if (untested.size > 0) {
      const what = task.verify === null ? "a test run" : `\`${shorten(task.verify, 60)}\``
      unmet.push(
        element("unmet", { task: shortId(id) }, `${untested.size} changed file(s) without ${what} since`),
      )
    }
  }
  const uncommitted = filesSince(trail, ({ did }) => did.includes("commit"))
  if (uncommitted.size >= commitAfterFiles) {
    const hint = stamp === undefined ? "" : `; put [${stamp}] in the message`
    unmet.push(element("unmet", {}, `${uncommitted.size} files changed since the last commit${hint}`))
  }
  return unmet
}

/** Files written after the last successful checkpoint of that sort. */
function filesSince(trail: Checkpoint[], isSort: (checkpoint: Checkpoint) => boolean): Set<string> {
  let files = new Set<string>()
  for (const checkpoint of trail) {
    if (checkpoint.ok && isSort(checkpoint)) files = new Set()
    else for (const path of checkpoint.files) files.add(path)
  }
  return files
}

/** Type checks and linters count as builds. */
function hasChecked({ did }: Checkpoint): boolean {
  return did.some((each) => each !== "commit")
}
