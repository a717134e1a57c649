import { isDoneTask, isTakenDecision } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import type { SessionExport } from "../../schemas/export.ts"
import { shorten } from "../../shared/text/clean.ts"
import { gistOf } from "./gist.ts"

/**
 * What some turns came to, in a few hundred characters; "" where there is nothing to tell. Where the work stands and what
 * it waits for is not in it: the packed state says that by itself, and more truly by the time this is read.
 */
export function synthesisText(state: GraphState, hostId: string, exports: readonly SessionExport[]): string {
  const since = exports[0]?.since ?? ""
  const ended = [...state.task.values()].filter(
    ({ assigned_session_id, updated_at }) => assigned_session_id === hostId && updated_at > since,
  )
  const done = ended.filter(isDoneTask).map(({ title }) => title)
  const failed = ended
    .filter(({ status }) => status === "failed")
    .map(({ title, reason }) => (reason === null ? title : `${title} (${reason})`))
  const decided = [...state.mem.values()]
    .filter((mem) => isTakenDecision(mem) && mem.session_id === hostId && mem.created_at > since)
    .map(({ content }) => content)
  const files = exports
    .toReversed()
    .flatMap((each) => each.files.filter(({ exists }) => exists).map(({ path }) => path))
  const missing = exports.at(-1)?.validation.issues.filter(({ kind }) => kind === "file") ?? []
  const said = exports.map(({ last_message }) => gistOf(last_message ?? "")).filter((gist) => gist !== "")

  const parts = [
    list("done", done, 3, 60),
    list("failed", failed, 2, 80),
    list("decided", decided, 2, 70),
    list("files", files, 4, 60),
    list(
      "missing",
      missing.map(({ text }) => text),
      2,
      60,
    ),
    list("said", said, 4, 120, " / "),
  ]
  return shorten(parts.filter((part) => part !== "").join("; "), MAX_CHARS)
}

/** `done: A, B, +3`: the first few, each cut where it gets long. */
function list(name: string, all: readonly string[], count: number, chars: number, separator = ", "): string {
  const items = [...new Set(all)]
  if (items.length === 0) return ""
  const shown = items.slice(0, count).map((item) => shorten(item, chars))
  const more = items.length > count ? [`+${items.length - count}`] : []
  return `${name}: ${[...shown, ...more].join(separator)}`
}

const MAX_CHARS = 700
