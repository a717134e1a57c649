import { compare } from "../../graph/by-age.ts"
import { isTaskUnderWay } from "../../graph/lifecycle.ts"
import { first } from "../../graph/record-map.ts"
import type { GraphState } from "../../graph/state.ts"
import type { Trajectory } from "../../schemas/session.ts"
import type { Checkpoint } from "../../schemas/task.ts"
import { shortId } from "../../shared/ids.ts"
import { merge } from "../../shared/merge.ts"
import { shorten } from "../../shared/text/clean.ts"
import { element } from "../../shared/text/element.ts"
import { countTokens } from "../../shared/text/tokens.ts"
import type { Injection } from "./record.ts"

/** What is still open before this turn may end; empty where all is met. */
export function unmetItems(
  state: GraphState,
  head: Trajectory | undefined,
  commitAfterFiles: number,
  stamp: string | undefined,
): string[] {
  const unmet: string[] = []
  const ids = new Set(head?.active_task_ids ?? [])
  const trailOf = (id: string) => state.checkpoint.by("task_id", id)
  for (const id of ids) {
    const task = state.task.get(id)
    if (task === undefined || !isTaskUnderWay(task)) continue
    if (trailOf(id).size === 0 && task.evidence === null) {
      unmet.push(element("unmet", { task: shortId(id) }, `no evidence yet for: ${shorten(task.title, 80)}`))
    }
    const untested = filesSince(trailOf(id).backwards(), hasChecked)
    if (untested.size > 0) {
      const what = task.verify === null ? "a test run" : `\`${shorten(task.verify, 60)}\``
      unmet.push(
        element("unmet", { task: shortId(id) }, `${untested.size} changed file(s) without ${what} since`),
      )
    }
  }
  const trails = Array.from(ids, (id) => trailOf(id).backwards())
  const newestFirst = merge(trails, (a, b) => compare(b.created_at, a.created_at))
  const uncommitted = filesSince(newestFirst, ({ did }) => did.includes("commit"))
  if (uncommitted.size >= commitAfterFiles) {
    const hint = stamp === undefined ? "" : `; put [${stamp}] in the message`
    unmet.push(element("unmet", {}, `${uncommitted.size} files changed since the last commit${hint}`))
  }
  return unmet
}

/**
 * Says what is unmet: when it is something else than was said last, and again as often as may be repeated. The last word
 * counts, so when all of it is met that is said too.
 */
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

/** Files written after the last successful checkpoint of that sort. */
function filesSince(
  newestFirst: Iterable<Checkpoint>,
  isSort: (checkpoint: Checkpoint) => boolean,
): Set<string> {
  const files = new Set<string>()
  for (const checkpoint of first(MAX_LOOKED_AT, newestFirst)) {
    if (checkpoint.ok && isSort(checkpoint)) break
    for (const path of checkpoint.files) files.add(path)
  }
  return files
}

/** Type checks and linters count as builds. */
function hasChecked({ did }: Checkpoint): boolean {
  return did.some((each) => each !== "commit")
}

const OPEN = "<before_you_stop>"
const CLOSE = "</before_you_stop>"
const ALL_MET = `${OPEN}nothing any more${CLOSE}`
// Runs on each message. Who has gone on for that long without a test is told so in any case.
const MAX_LOOKED_AT = 5000
