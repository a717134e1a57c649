import { isDoneTask } from "../../graph/lifecycle.ts"
import type { GraphState } from "../../graph/state.ts"
import type { SessionExport } from "../../schemas/export.ts"
import { shorten } from "../../shared/text/clean.ts"

/**
 * The outcome of some turns in a few hundred characters; "" if there is none. The position and the obstacles of the work
 * are not in it, nor what was decided: the packed state has them, and newer, and a decision that was replaced would live
 * on here.
 */
export function synthesisText(state: GraphState, hostId: string, exports: readonly SessionExport[]): string {
  const since = exports[0]?.since ?? ""
  const ended = [...state.task.by("session", hostId)].filter(({ updated_at }) => updated_at > since)
  const done = ended.filter(isDoneTask).map(({ title }) => title)
  const failed = ended
    .filter(({ status }) => status === "failed")
    .map(({ title, reason }) => (reason === null ? title : `${title} (${reason})`))
  const files = exports
    .toReversed()
    .flatMap((each) => each.files.filter(({ exists }) => exists).map(({ path }) => path))
  const missing = exports.at(-1)?.validation.issues.filter(({ kind }) => kind === "file") ?? []
  const said = exports
    .map(({ last_message }) => firstSentences(last_message ?? ""))
    .filter((words) => words !== "")

  const parts = [
    list("done", done, 3, 60),
    list("failed", failed, 2, 80),
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

/** The first sentence or two of a message, in one line, without code, headings and emphasis. */
export function firstSentences(message: string): string {
  const prose = message
    .replaceAll(/```[\s\S]*?(?:```|$)/g, " ")
    .replaceAll(/^[ \t]*#{1,6} .*$/gm, " ")
    .replaceAll(/^[ \t]*(?:[>*+-]+|\d+\.)[ \t]+/gm, "")
    .replaceAll(/[*`]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim()
  for (const { index } of prose.matchAll(/[.!?](?= |$)|[。！？]/g)) {
    if (index >= MAX_SENTENCE_CHARS) break
    if (index >= MIN_SENTENCE_CHARS) return prose.slice(0, index + 1)
  }
  return shorten(prose, MAX_SENTENCE_CHARS)
}

/** `done: A, B, +3`: the first few, each shortened. */
function list(name: string, all: readonly string[], count: number, chars: number, separator = ", "): string {
  const items = [...new Set(all)]
  if (items.length === 0) return ""
  const shown = items.slice(0, count).map((item) => shorten(item, chars))
  const more = items.length > count ? [`+${items.length - count}`] : []
  return `${name}: ${[...shown, ...more].join(separator)}`
}

const MAX_CHARS = 700
// "Done." says nothing by itself: a short sentence takes the next one along.
const MIN_SENTENCE_CHARS = 30
const MAX_SENTENCE_CHARS = 120
