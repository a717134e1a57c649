/**
 * The parser looks ahead for the other end of every `{`, `$[`, `(` and `<<`, and at every pattern of a word again, so
 * thousands of them in one word or line, or hundreds inside each other, take it seconds. Nobody writes such a command;
 * one that comes is judged word by word.
 */
export function isCostlyToParse(text: string): boolean {
  let inWord = 0
  let inLine = 0
  let work = 0
  let parens = 0
  let braces = 0
  let brackets = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    switch (char) {
      case "\n":
      case " ":
        work += inWord * inWord
        inWord = 0
        if (char === " ") break
        work += inLine * inLine
        inLine = 0
        break
      case "{":
        if (text[at - 1] === "$" && ++braces > MAX_NESTED) return true
        inWord += BRACE_COST
        break
      case "}":
        if (braces > 0) braces--
        break
      case "$":
      case "*":
      case "?":
      case '"':
      case "'":
      case "`":
        inWord++
        break
      case "[":
        if (text[at - 1] === "$" && ++brackets > MAX_NESTED) return true
        inWord += BRACE_COST
        break
      case "]":
        if (brackets > 0) brackets--
        break
      case "<":
        inLine++
        break
      case "(":
        if (++parens > MAX_NESTED) return true
        break
      case ")":
        if (parens > 0 && text[at - 1] !== "\\") parens--
        break
    }
  }
  return work + inWord * inWord + inLine * inLine > MAX_WORK
}

const BRACE_COST = 4
const MAX_NESTED = 64
const MAX_WORK = 1_000_000
