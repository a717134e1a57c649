/**
 * The parser looks ahead for the other end of every `{`, `$[`, `(` and `<<`, and at every pattern of a word again, so
 * thousands of them in one word or line, or hundreds inside each other, cost seconds. No command is written like
 * that; one that is gets judged word by word.
 */
export function isTangled(text: string): boolean {
  let inWord = 0
  let inLine = 0
  let work = 0
  let parens = 0
  let braces = 0
  let brackets = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case NEWLINE:
        work += inLine * inLine
        inLine = 0
        work += inWord * inWord
        inWord = 0
        break
      case SPACE:
        work += inWord * inWord
        inWord = 0
        break
      case BRACE:
        if (text.charCodeAt(at - 1) === DOLLAR && ++braces > MAX_NESTED) return true
        inWord += BRACE_COST
        break
      case BRACE_END:
        if (braces > 0) braces--
        break
      case DOLLAR:
      case STAR:
      case QUESTION:
        inWord++
        break
      case BRACKET:
        if (text.charCodeAt(at - 1) === DOLLAR && ++brackets > MAX_NESTED) return true
        inWord += BRACE_COST
        break
      case BRACKET_END:
        if (brackets > 0) brackets--
        break
      case LESS:
        inLine++
        break
      case PAREN:
        if (++parens > MAX_NESTED) return true
        break
      case PAREN_END:
        if (parens > 0 && text.charCodeAt(at - 1) !== BACKSLASH) parens--
        break
    }
  }
  return work + inWord * inWord + inLine * inLine > MAX_WORK
}

export const MAX_PARSED_CHARS = 200_000
const NEWLINE = 10
const SPACE = 32
const DOLLAR = 36
const PAREN = 40
const PAREN_END = 41
const STAR = 42
const LESS = 60
const QUESTION = 63
const BRACKET = 91
const BRACKET_END = 93
const BRACE = 123
const BRACE_END = 125
const BACKSLASH = 92
const BRACE_COST = 4
const MAX_NESTED = 64
const MAX_WORK = 16_000_000
