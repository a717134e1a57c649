import { type TodoRecord, todoTag } from "../../../schemas/codemap.ts"
import { maskSecrets } from "../../../shared/secrets/mask.ts"
import type { RawComment } from "./lexer.ts"
import { oneLine } from "./lines.ts"

/**
 * What a comment leaves to be done. A tag counts where it begins a line of the comment, or is followed by a colon or a
 * bracket: a sentence about such tags is none.
 */
export function todosIn(
  comments: readonly RawComment[],
  text: string,
  lineAt: (at: number) => number,
): TodoRecord[] {
  const todos: TodoRecord[] = []
  let lines: string[] | undefined
  for (const comment of comments) {
    if (!ANY_TAG.test(comment.text)) continue
    lines ??= text.split("\n")
    const first = lineAt(comment.start)
    for (const [index, part] of comment.text.split("\n").entries()) {
      if (!TAG.test(part)) continue
      // Masked with the dashes of `--password`, which the tag's pattern takes away.
      const [, begun, marked, rest = ""] = TAG.exec(maskSecrets(part)) ?? []
      const named = (begun ?? marked)?.toUpperCase()
      const tag = todoTag.options.find((each) => each === named)
      if (tag === undefined) continue
      const line = first + index
      const context = contextAt(lines, line, lineAt(comment.end), comment, text)
      todos.push({ line, tag, text: oneLine(rest, MAX_TEXT), context })
      if (todos.length >= MAX_TODOS) return todos
    }
  }
  return todos
}

/** The code before the comment on its line, or else the next line of code. */
function contextAt(
  lines: readonly string[],
  line: number,
  last: number,
  comment: RawComment,
  text: string,
): string {
  const lineStart = text.lastIndexOf("\n", comment.start - 1) + 1
  const before = text.slice(lineStart, comment.start).replace(/[{(]$/, "").trim()
  if (before !== "") return oneLine(before, MAX_CONTEXT)
  const next = lines.slice(Math.max(line, last), last + LOOK_AHEAD).find((each) => !NO_CODE.test(each))
  return oneLine(next ?? "", MAX_CONTEXT)
}

// Quicker to look for, and seldom there.
const ANY_TAG = /TODO|FIXME|HACK|NOTE|[Tt]odo|[Ff]ixme|[Hh]ack|[Nn]ote/
// At the beginning in any case with a mark behind it, or in capitals; elsewhere in capitals with a mark.
const TAG =
  /(?:^[\s*!/#;-]*@?(TODO|FIXME|HACK|NOTE|[Tt]odo(?=[:(])|[Ff]ixme(?=[:(])|[Hh]ack(?=:)|[Nn]ote(?=:)|(?<=@)todo\b)|\b(TODO|FIXME|HACK|NOTE)(?=[:(]))\b(?:\([^)]*\))?[:\s-]*(.*)/
const NO_CODE = /^\s*(?:$|\/\/|\/\*|\*|#(?!\w)|<!--|--)/
const LOOK_AHEAD = 12
const MAX_TEXT = 200
const MAX_CONTEXT = 120
const MAX_TODOS = 200
