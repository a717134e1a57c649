/** Reading code by its brackets. It has no comments any more (blanks stand in their place), so that strings are all to skip. */

/** The place after the bracket that closes the one here; the end of the text where none does. */
export function afterBracket(code: string, open: number, maxChars = MAX_CHARS): number {
  const end = Math.min(code.length, open + maxChars)
  let depth = 0
  for (let at = next(BRACKET, code, open); at < end; at = next(BRACKET, code, at + 1)) {
    const char = code.charCodeAt(at)
    if (isOpening(char)) depth++
    else if (isClosing(char) && --depth === 0) return at + 1
    else if (isQuote(char)) at = endOfString(code, at)
  }
  return end
}

/**
 * The first place from here, outside of all brackets, where the sign fits; the end of the search where none does. It is
 * asked of brackets, quotes, `;`, `,`, `=` and the ends of lines only.
 */
export function findOutside(
  code: string,
  from: number,
  fits: (char: number, at: number) => boolean,
  maxChars = MAX_CHARS,
): number {
  const end = Math.min(code.length, from + maxChars)
  for (let at = next(STOP, code, from); at < end; at = next(STOP, code, at + 1)) {
    const char = code.charCodeAt(at)
    if (fits(char, at)) return at
    if (isOpening(char)) at = afterBracket(code, at, maxChars) - 1
    else if (isClosing(char)) return at
    else if (isQuote(char)) at = endOfString(code, at)
  }
  return end
}

/** Past `<T extends { a: B<C> }>`, if it stands here: arrows within it close nothing. */
export function afterTypeParameters(code: string, from: number): number {
  if (code[from] !== "<") return from
  let depth = 0
  for (let at = from; at < code.length && at < from + MAX_CHARS; at++) {
    const char = code[at]
    if (char === "<") depth++
    else if (char === ">" && code[at - 1] !== "=" && --depth === 0) return at + 1
    else if (char === "(" || char === "{" || char === "[") at = afterBracket(code, at) - 1
  }
  return from
}

/** The parts between commas that stand outside of brackets. */
export function splitList(code: string): string[] {
  if (next(BRACKET, code, 0) === code.length) return code.split(",").flatMap((part) => part.trim() || [])
  const parts: string[] = []
  for (let at = 0; at < code.length; ) {
    const end = findOutside(code, at, (char) => char === COMMA)
    parts.push(code.slice(at, end).trim())
    at = end + 1
  }
  return parts.filter((part) => part !== "")
}

function endOfString(code: string, start: number): number {
  const quote = code.charCodeAt(start)
  for (let at = start + 1; at < code.length; at++) {
    const char = code.charCodeAt(at)
    if (char === BACKSLASH) at++
    else if (char === quote) return at
    // A quote in a regular expression or in the text of JSX: no string goes over a line.
    else if (char === NEWLINE && quote !== BACKTICK) return start
  }
  return start
}

/** The next sign of a kind; the end of the code where there is none. */
function next(kind: RegExp, code: string, from: number): number {
  kind.lastIndex = from
  return kind.test(code) ? kind.lastIndex - 1 : code.length
}

const BRACKET = /[()[\]{}"'`]/g
const STOP = /[()[\]{}"'`;,=\n]/g
const isOpening = (char: number) => char === 40 || char === 91 || char === 123
const isClosing = (char: number) => char === 41 || char === 93 || char === 125
const isQuote = (char: number) => char === 34 || char === 39 || char === BACKTICK
const [COMMA, BACKSLASH, NEWLINE, BACKTICK] = [44, 92, 10, 96]
const MAX_CHARS = 20_000
