import { afterBracket } from "./brackets.ts"

/** The place behind `export`, `async`, `@decorator(…)` and the like. */
export function afterModifiers(code: string, from: number, modifier = MODIFIER): number {
  let at = from
  for (;;) {
    modifier.lastIndex = at
    if (!modifier.test(code)) return at
    at = modifier.lastIndex
    // A decorator may have arguments.
    if (code[at] === "(") at = afterBracket(code, at)
    while (code.charCodeAt(at) <= BLANK) at++
  }
}

const MODIFIER =
  /(?:(?:export|default|declare|abstract|async|public|private|protected|static|override|readonly|accessor|get|set)(?=\s+[\w$*[#"'{(])|@[\w$.]+)\s*/y
const BLANK = 32
