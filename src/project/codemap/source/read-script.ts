import { docClaims, moduleClaims } from "./claims.ts"
import { joined, toRecords } from "./comments.ts"
import { declaredIn, defaultIn } from "./declared.ts"
import { typesInComments } from "./doc-types.ts"
import { exportsIn } from "./exports.ts"
import { type Facts, withoutEmpty } from "./facts.ts"
import { importsIn } from "./imports.ts"
import type { RawComment } from "./lexer.ts"
import { lineCounter } from "./lines.ts"
import { headReader, nameAt } from "./read-head.ts"
import type { Parsed } from "./syntax.ts"
import { todosIn } from "./todos.ts"

/**
 * What a file of TypeScript or JavaScript tells. The parser says what is an import, an export and a comment; what a
 * declaration looks like is read in the code from there on.
 */
export function readScript(path: string, text: string, parsed: Parsed): Facts {
  const lineAt = lineCounter(text)
  const raw = commentsOf(parsed)
  const comments = joined(raw, text)
  const code = withoutComments(text, raw)
  const headAt = headReader(code)
  const declared = [...declaredIn(code, headAt, lineAt), ...typesInComments(comments, lineAt)]
  const names = new Set(declared.map(({ name }) => name))
  declared.push(...defaultIn(parsed, code, headAt, lineAt).filter(({ name }) => !names.has(name)))
  const exports = exportsIn(parsed, code, new Map(declared.map((each) => [each.name, each])), headAt, lineAt)
  const offered = new Set(exports.map(({ name }) => name))
  const after = placesAfter(code, comments)
  return withoutEmpty({
    imports: importsIn(parsed, code, path, lineAt),
    exports: exports.slice(0, MAX_EXPORTS),
    symbols: declared.filter(({ name }) => !offered.has(name)),
    comments: toRecords(comments, (comment) => at(after(comment), (from) => nameAt(code, from)), lineAt),
    todos: todosIn(comments, text, lineAt),
    claims: [
      ...docClaims(comments, (comment) => at(after(comment), headAt), { text, code }, lineAt),
      ...moduleClaims(comments, lineAt),
    ],
  })
}

/** Where the next code begins, if a comment can be about it. Of two doc comments in a row, only the last one is. */
function placesAfter(
  code: string,
  comments: readonly RawComment[],
): (comment: RawComment) => number | undefined {
  const nextDoc = new Map<RawComment, number>()
  let last: RawComment | undefined
  for (const comment of comments) {
    if (!comment.isDoc) continue
    if (last !== undefined) nextDoc.set(last, comment.start)
    last = comment
  }
  return (comment) => {
    NEXT.lastIndex = comment.end
    NEXT.test(code)
    const at = NEXT.lastIndex
    if ((nextDoc.get(comment) ?? at) < at) return undefined
    const isFar = at - comment.end > MAX_LINES && code.slice(comment.end, at).split("\n").length > MAX_LINES
    return isFar ? undefined : at
  }
}

function at<T>(place: number | undefined, read: (place: number) => T | undefined): T | undefined {
  return place === undefined ? undefined : read(place)
}

function commentsOf({ comments }: Parsed): RawComment[] {
  return comments.map(({ type, value, start, end }) => {
    const isDoc = type === "Block" && value.startsWith("*")
    return { start, end, text: value, isDoc }
  })
}

/** Blanks in their place, so that every other place stays what it was. */
function withoutComments(text: string, comments: readonly RawComment[]): string {
  let code = ""
  let at = 0
  for (const { start, end } of comments) {
    code += text.slice(at, start)
    for (let line = start; line < end; ) {
      const next = text.indexOf("\n", line)
      const last = next < 0 || next >= end ? end : next
      code += " ".repeat(last - line)
      if (last < end) code += "\n"
      line = last + 1
    }
    at = end
  }
  return code + text.slice(at)
}

const NEXT = /\s*/y
// Other comments may stand between, and blank lines; a whole paragraph of blanks says that they do not belong together.
const MAX_LINES = 30
const MAX_EXPORTS = 400
