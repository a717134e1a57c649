/** Reading code by its brackets. It has no comments any more (blanks stand in their place), so that strings are all to skip. */

/** The place after the bracket that closes the one here; the end of the text where none does. */
export function afterBracket(code: string, open: number): number {
  let depth = 0
  for (let at = open; at < code.length && at < open + MAX_CHARS; at++) {
    const char = code.charCodeAt(at)
    if (isOpening(char)) depth++
    else if (isClosing(char) && --depth === 0) return at + 1
    else if (isQuote(char)) at = endOfString(code, at)
  }
  return Math.min(code.length, open + MAX_CHARS)
}

/** The first place from here, outside of all brackets, where the sign fits; the end of the search where none does. */
export function findOutside(code: string, from: number, fits: (char: number, at: number) => boolean): number {
  const end = Math.min(code.length, from + MAX_CHARS)
  for (let at = from; at < end; at++) {
    const char = code.charCodeAt(at)
    if (fits(char, at)) return at
    if (isOpening(char)) at = afterBracket(code, at) - 1
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

const isOpening = (char: number) => char === 40 || char === 91 || char === 123
const isClosing = (char: number) => char === 41 || char === 93 || char === 125
const isQuote = (char: number) => char === 34 || char === 39 || char === BACKTICK
const [COMMA, BACKSLASH, NEWLINE, BACKTICK] = [44, 92, 10, 96]
const MAX_CHARS = 20_000
