/**
 * The parser looks ahead for the other end of every `{`, `$[` and `(`, so thousands of them in one word, or hundreds
 * inside each other, cost seconds. No command is written like that; one that is gets judged word by word.
 */
export function isTangled(text: string): boolean {
  let inWord = 0
  let work = 0
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === SPACE || code === NEWLINE) {
      work += inWord * inWord
      inWord = 0
    } else if (code === BRACE || code === DOLLAR) inWord++
    else if (code === OPEN && ++depth > MAX_NESTED) return true
    else if (code === CLOSE && depth > 0) depth--
  }
  return work + inWord * inWord > MAX_WORK
}

export const MAX_PARSED_CHARS = 200_000
const SPACE = 32
const NEWLINE = 10
const BRACE = 123
const DOLLAR = 36
const OPEN = 40
const CLOSE = 41
const MAX_NESTED = 64
const MAX_WORK = 1_000_000
