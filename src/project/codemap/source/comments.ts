import type { CommentRecord } from "../../../schemas/codemap.ts"
import type { RawComment } from "./lexer.ts"
import { flattened, shortened } from "./lines.ts"

/** Line comments under each other are one. */
export function joined(comments: readonly RawComment[], text: string): RawComment[] {
  const found: RawComment[] = []
  for (const comment of comments) {
    const last = found.at(-1)
    const isLine = !text.startsWith("/*", comment.start)
    const between = last === undefined ? "" : text.slice(last.end, comment.start)
    if (last !== undefined && isLine && !text.startsWith("/*", last.start) && /^\n[ \t]*$/.test(between))
      found[found.length - 1] = {
        ...last,
        end: comment.end,
        text: `${last.text}\n${comment.text}`,
        isDoc: last.isDoc && comment.isDoc,
      }
    else found.push(comment)
  }
  return found
}

/** Those that say something, with what they describe. */
export function toRecords(
  comments: readonly RawComment[],
  describes: (comment: RawComment) => string | undefined,
  lineAt: (at: number) => number,
): CommentRecord[] {
  const records: CommentRecord[] = []
  for (const comment of comments) {
    const text = plainText(comment.text)
    if (!comment.isDoc && (!SENTENCE.test(text) || LICENSE.test(text))) continue
    if (text === "" || MACHINE.test(text)) continue
    const of = describes(comment)
    records.push({
      line: lineAt(comment.start),
      text: shortened(text, MAX_TEXT),
      isDoc: comment.isDoc,
      ...(of !== undefined && { of }),
    })
    if (records.length >= MAX_COMMENTS) break
  }
  return records
}

/** What the next line of code defines, in languages that no parser reads. */
export function definedAfter(text: string, comment: RawComment): string | undefined {
  const isInside = /^["']{3}/.test(text.slice(comment.start, comment.start + 3))
  const lines = isInside
    ? text
        .slice(Math.max(0, comment.start - LOOK_BACK), comment.start)
        .split("\n")
        .reverse()
    : text.slice(comment.end, comment.end + LOOK_BACK).split("\n")
  const line = lines.find((each) => each.trim() !== "" && !/^\s*(?:@|#\[|\[)/.test(each)) ?? ""
  const [, defined, called] = DEFINITION.exec(line) ?? []
  return defined ?? called
}

function plainText(text: string): string {
  let from = 0
  while (MARKS.includes(text.charAt(from) || " ")) from++
  const start = text.slice(from, MAX_TEXT * 4)
  return flattened(start.includes("\n") ? start.replace(NEXT_LINE, "\n") : start)
}

const DEFINITION =
  /^\s*(?:[\w\s]*?\b(?:def|class|func|fn|struct|enum|trait|interface|union|namespace|mod|function|type)\s+(?:\([^)]*\)\s*)?([A-Za-z_][\w.]*)|(?:[\w:<>,*&[\]]+\s+)*\*?([A-Za-z_][\w:]*)\s*\([^;]*$)/
const LICENSE = /\b(?:copyright|licen[cs]e[ds]?|SPDX)\b/i
// Written for a program, not for a reader.
const MACHINE =
  /^(?:eslint|biome|prettier|@ts-|istanbul|c8 |v8 |webpack|vite-ignore|#__PURE__|@__PURE__|noqa|pylint|type: ignore|nolint|shellcheck|#?region|#?endregion|!\/|\/ <reference)/
// A word or two explain nothing.
const SENTENCE = / .* /
const MARKS = "*!/"
const NEXT_LINE = /\n[ \t]*(?:\*+(?!\w)|\/\/+|#+)?[ \t]?/g
const MAX_TEXT = 240
const MAX_COMMENTS = 80
const LOOK_BACK = 600
