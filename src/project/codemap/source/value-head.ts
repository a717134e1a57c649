import { afterBracket, afterTypeParameters, findOutside } from "./brackets.ts"
import type { Head } from "./head.ts"
import { type Parameters, parametersIn } from "./parameters.ts"
import { MAX_READ, toSignature } from "./signature.ts"
import { endOfStatement } from "./statement-end.ts"

/** That of a constant, a variable or a property: a function where its value is one. */
export function valueHead(code: string, at: number, name: string, after: number, kind: string): Head {
  // The sign of an arrow, of `==` and of `=>` in a type is no beginning of a value.
  const equals = findOutside(
    code,
    after,
    (char, place) =>
      char === SEMICOLON ||
      char === COMMA ||
      (char === EQUALS && code.charCodeAt(place + 1) !== GREATER) ||
      (char === NEWLINE && kind !== "field" && endsLine(code, place)),
  )
  const isSet = code.charCodeAt(equals) === EQUALS
  const start = isSet ? equals + 1 : code[after] === ":" ? after + 1 : equals
  FUNCTION_VALUE.lastIndex = start
  const found = FUNCTION_VALUE.exec(code)
  const open = found === null ? -1 : afterTypeParameters(code, FUNCTION_VALUE.lastIndex)
  if (open >= 0 && code[open] === "(") {
    const close = afterBracket(code, open)
    const arrow = findOutside(
      code,
      close,
      (char, place) =>
        char === SEMICOLON || char === CURLY || (char === EQUALS && code.charCodeAt(place + 1) === GREATER),
    )
    const isFunction =
      code.startsWith("=>", arrow) ||
      code.startsWith("function", FUNCTION_VALUE.lastIndex - "function".length) ||
      found?.[0].includes("function")
    if (isFunction)
      return {
        name,
        kind: kind === "field" ? "method" : "function",
        signature: toSignature(
          code.slice(at, code.charCodeAt(arrow) === CURLY || !code.startsWith("=>", arrow) ? close : arrow),
        ),
        parameters: () => parametersIn(code, open + 1, close - 1),
      }
  }
  SINGLE_ARROW.lastIndex = start
  const single = SINGLE_ARROW.exec(code)
  if (single !== null) {
    const arrow = SINGLE_ARROW.lastIndex - 2
    return {
      name,
      kind: "function",
      signature: toSignature(code.slice(at, arrow)),
      parameters: () => parametersIn(code, code.lastIndexOf(single[1] ?? "", arrow), arrow),
    }
  }
  const end = code[after] === ":" && isSet ? equals : endOfStatement(code, isSet ? equals + 1 : after)
  return {
    name,
    kind,
    signature: toSignature(code.slice(at, Math.min(end, at + MAX_READ)), MAX_VALUE),
    parameters: () => undefined,
  }
}

/** `type F = (a: string) => void`: what such a function is given. */
export function functionType(code: string, after: number): Parameters | undefined {
  TYPE_FUNCTION.lastIndex = afterTypeParameters(code, after)
  if (!TYPE_FUNCTION.test(code)) return undefined
  const open = TYPE_FUNCTION.lastIndex - 1
  const close = afterBracket(code, open)
  return /^\s*=>/.test(code.slice(close, close + 40)) ? parametersIn(code, open + 1, close - 1) : undefined
}

/** Nothing on the next line goes on with this one. */
function endsLine(code: string, at: number): boolean {
  NEXT_SIGN.lastIndex = at
  return !NEXT_SIGN.test(code)
}

const FUNCTION_VALUE = /\s*\(?\s*(?:async\b\s*)?(?:function\b\s*\*?\s*[\w$]*\s*)?(?=[(<])/y
const SINGLE_ARROW = /\s*(?:async\s+)?([A-Za-z_$][\w$]*)\s*=>/y
const TYPE_FUNCTION = /\s*=\s*(?:<[^>]*>\s*)?\(/y
const NEXT_SIGN = /\s*(?:[=:|&?+.*/<,({[-]|=>)/y
const [CURLY, SEMICOLON, COMMA, EQUALS, GREATER, NEWLINE] = [123, 59, 44, 61, 62, 10]
const MAX_VALUE = 80
