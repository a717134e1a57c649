/**
 * The parser looks ahead for the other end of every `{` and `$[` in a word, so a word with thousands of them costs
 * seconds. No command is written like that; one that is gets judged word by word.
 */
export function isTangled(text: string): boolean {
  let inWord = 0
  let work = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === SPACE || code === NEWLINE) {
      work += inWord * inWord
      inWord = 0
    } else if (code === BRACE || code === DOLLAR) inWord++
  }
  return work + inWord * inWord > MAX_WORK
}

export const MAX_PARSED_CHARS = 200_000
const SPACE = 32
const NEWLINE = 10
const BRACE = 123
const DOLLAR = 36
const MAX_WORK = 1_000_000
