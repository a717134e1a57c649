import type { SymbolRecord } from "../../../schemas/codemap.ts"
import { afterType } from "./doc-comment.ts"
import type { RawComment } from "./lexer.ts"

/** Types that a program without TypeScript declares in its doc comments: `@typedef {…} Name`, `@callback Name`. */
export function typesInComments(
  comments: readonly RawComment[],
  lineAt: (at: number) => number,
): SymbolRecord[] {
  const found: SymbolRecord[] = []
  for (const { text, start, isDoc } of comments) {
    if (!isDoc || !HAS_TAG.test(text)) continue
    for (const { index, 0: tag } of text.slice(0, MAX_CHARS).matchAll(TAG)) {
      const after = afterType(text, index + tag.length)
      const [, name] = NAME.exec(text.slice(after, after + MAX_NAME)) ?? []
      if (name !== undefined) found.push({ line: lineAt(start + OPENING + index), name, kind: "type" })
    }
  }
  return found.slice(0, MAX_TYPES)
}

const HAS_TAG = /@typedef|@callback/
const TAG = /@(?:typedef|callback)\s+/g
const NAME = /^[\s*]*([A-Za-z_$][\w$]*)/
const OPENING = 2
const MAX_NAME = 120
const MAX_CHARS = 20_000
const MAX_TYPES = 100
