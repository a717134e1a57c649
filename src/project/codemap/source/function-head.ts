import { afterBracket, findOutside } from "./brackets.ts"
import type { Head } from "./head.ts"
import { afterModifiers } from "./modifiers.ts"
import { parametersIn } from "./parameters.ts"
import { toSignature } from "./signature.ts"

/** That of a function or a method, whose parameters begin at `open`. */
export function functionHead(code: string, from: number, name: string, open: number, kind: string): Head {
  const close = afterBracket(code, open)
  const end = findOutside(
    code,
    close,
    (char, at) => char === SEMICOLON || char === NEWLINE || (char === CURLY && !isType(code, close, at)),
  )
  return {
    name,
    kind,
    signature: toSignature(code.slice(afterModifiers(code, from, EXPORT), end)),
    parameters: () => parametersIn(code, open + 1, close - 1),
  }
}

/** `: {` begins the type of what is given back, not the body. */
function isType(code: string, from: number, at: number): boolean {
  return /[:|&]\s*$/.test(code.slice(Math.max(from, at - 20), at))
}

const EXPORT = /(?:export|default)\s+/y
const [CURLY, SEMICOLON, NEWLINE] = [123, 59, 10]
