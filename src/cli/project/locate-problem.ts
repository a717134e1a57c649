import { type ParseError, parse } from "jsonc-parser"
import type { Problem } from "../../graph/problem.ts"

export interface Place {
  line: number
  column: number
}

/** Where in its file's text a problem is, so that a person need not search; undefined where that cannot be told. */
export function locateProblem(text: string, { raw, id }: Problem): Place | undefined {
  // A record is in the text as the file has it, or parsed and written again; its id finds it then.
  const marks = [raw?.split("\n")[0], id].flatMap((mark) => mark || [])
  const offsets = marks.map((mark) => text.indexOf(mark))
  const offset = marks.length === 0 ? firstError(text) : offsets.find((each) => each >= 0)
  if (offset === undefined) return undefined
  const before = text.slice(0, offset).split("\n")
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

function firstError(text: string): number | undefined {
  const errors: ParseError[] = []
  parse(text, errors, { disallowComments: true })
  return errors[0]?.offset
}
