import { compare } from "../../graph/by-age.ts"
import { isTaskUnderWay } from "../../graph/lifecycle.ts"
import { first } from "../../graph/record-map.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Trajectory } from "../../schemas/session.ts"
import type { Checkpoint } from "../../schemas/task.ts"
import { shortId } from "../../shared/ids.ts"
import { merge } from "../../shared/sorting.ts"
import { element, shorten } from "../../shared/text/clean.ts"
import { countTokens } from "../../shared/text/tokens.ts"
import type { Injection } from "./record.ts"

/** Open work that should be done before this turn ends. */
export function unmetItems(
  state: GraphState,
  head: Trajectory | undefined,
  commitAfterFiles: number,
  stamp: string | undefined,
): string[] {
  const unmet: string[] = []
  const ids = new Set(head?.active_task_ids ?? [])
  const checkpointsOf = (id: string) => state.checkpoint.by("task_id", id)
  for (const id of ids) {
    const task = state.task.get(id)
    if (task === undefined || !isTaskUnderWay(task)) continue
    const say = (text: string) => unmet.push(element("unmet", { task: shortId(id) }, text))
    if (checkpointsOf(id).size === 0 && task.evidence === null)
      say(`no evidence yet for: ${shorten(task.title, 80)}`)
    const untested = filesSince(checkpointsOf(id).backwards(), isCheck)
    const check = task.verify === null ? "a test run" : `\`${shorten(task.verify, 60)}\``
    if (untested.size > 0) say(`${untested.size} changed file(s) without ${check} since`)
  }
  const checkpoints = Array.from(ids, (id) => checkpointsOf(id).backwards())
  const newestFirst = merge(checkpoints, (a, b) => compare(b.created_at, a.created_at))
  const uncommitted = filesSince(newestFirst, ({ did }) => did.includes("commit"))
  if (uncommitted.size >= commitAfterFiles) {
    const hint = stamp === undefined ? "" : `; put [${stamp}] in the message`
    unmet.push(element("unmet", {}, `${uncommitted.size} files changed since the last commit${hint}`))
  }
  return unmet
}

/** The reminder: when it has changed since the last one (also when all is met), and repeated within the allowance. */
export function reminderFor(
  unmet: readonly string[],
  visible: readonly Pick<Injection, "parts">[],
  allowance: number,
): { text: string; repeated: number } {
  const isReminder = (part: string) => part.startsWith(OPEN)
  const last = visible.findLast(({ parts }) => parts.some(isReminder))?.parts.find(isReminder) ?? ALL_MET
  const text = unmet.length === 0 ? ALL_MET : [OPEN, ...unmet, CLOSE].join("\n")
  if (text !== last) return { text, repeated: 0 }
  const repeated = countTokens(text)
  return text === ALL_MET || repeated > allowance ? { text: "", repeated: 0 } : { text, repeated }
}

/** Files written since the last successful checkpoint of a sort. */
function filesSince(
  newestFirst: Iterable<Checkpoint>,
  isSort: (checkpoint: Checkpoint) => boolean,
): Set<string> {
  const files = new Set<string>()
  for (const checkpoint of first(MAX_CHECKPOINTS, newestFirst)) {
    if (checkpoint.ok && isSort(checkpoint)) break
    for (const path of checkpoint.files) files.add(path)
  }
  return files
}

/** Type checks and linters count as builds. */
function isCheck({ did }: Checkpoint): boolean {
  return did.some((each) => each !== "commit")
}

const OPEN = "<before_you_stop>"
const CLOSE = "</before_you_stop>"
const ALL_MET = `${OPEN}nothing any more${CLOSE}`
// Runs on each message.
const MAX_CHECKPOINTS = 5000
