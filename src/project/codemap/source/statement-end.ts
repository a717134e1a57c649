import { findOutside } from "./brackets.ts"
import { MAX_READ } from "./signature.ts"

/** Where a statement without a body ends, or as far as a signature is read. */
export function endOfStatement(code: string, from: number): number {
  return findOutside(
    code,
    from,
    (char, at) =>
      char === SEMICOLON || (char === NEWLINE && NEXT_STATEMENT.test(code.slice(at + 1, at + LOOK_AHEAD))),
    MAX_READ,
  )
}

const NEXT_STATEMENT = /^\s*(?:export|import|const|let|var|function|class|interface|type|enum|\/|$)/
const LOOK_AHEAD = 20
const [SEMICOLON, NEWLINE] = [59, 10]
