/**
 * True of a text whose brackets, or whose operators and branches without any, stand deeper in each other than anybody
 * writes. The parser is native code that goes down as deep as the text does: it would end the host's process (seen from
 * 6,000 functions, 15,000 arrows and 60,000 words in each other). It counts too much rather than too little.
 */
export function isTooNested(text: string): boolean {
  return hasDeepBrackets(text) || hasManyWords(text)
}

function hasDeepBrackets(text: string): boolean {
  // For each open bracket, how many links the chain around it had: `a => b ? c : d = [`.
  const chains: number[] = []
  let chain = 0
  let links = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case OPEN_ROUND:
      case OPEN_SQUARE:
      case OPEN_CURLY:
        chains.push(chain)
        links += chain
        chain = 0
        if (chains.length > MAX_BRACKETS) return true
        break
      case CLOSE_ROUND:
      case CLOSE_SQUARE:
      case CLOSE_CURLY: {
        const outer = chains.pop() ?? 0
        links -= outer
        // What ends here may be the condition of what follows.
        chain = outer + 1
        break
      }
      case SEMICOLON:
      case COMMA:
        chain = 0
        break
      case NEWLINE:
        if (beginsStatement(text, at + 1)) chain = 0
        break
      case EQUALS:
      case QUESTION:
      case COLON:
      case LESS:
        chain++
        break
    }
    if (links + chain > MAX_LINKS) return true
  }
  return false
}

/** At the edge of the file, where nothing goes on from the line before. */
function beginsStatement(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  if (!(code >= LETTER_A && code <= LETTER_Z)) return false
  STATEMENT.lastIndex = at
  return STATEMENT.test(text)
}

function hasManyWords(text: string): boolean {
  if (text.length < MAX_WORDS * 3) return false
  let count = 0
  for (const _ of text.matchAll(NESTING_WORD)) if (++count > MAX_WORDS) return true
  return false
}

const STATEMENT =
  /(?:export|import|const|let|var|function|class|interface|type|enum|declare|abstract|async)\b/y
const NESTING_WORD = /\b(?:new|await|keyof|do|yield|infer|else)\b/g
const [OPEN_ROUND, CLOSE_ROUND, OPEN_SQUARE, CLOSE_SQUARE, OPEN_CURLY, CLOSE_CURLY] = [
  40, 41, 91, 93, 123, 125,
]
const [SEMICOLON, COMMA, NEWLINE, EQUALS, QUESTION, COLON, LESS] = [59, 44, 10, 61, 63, 58, 60]
const [LETTER_A, LETTER_Z] = [97, 122]
const MAX_BRACKETS = 500
const MAX_LINKS = 3000
const MAX_WORDS = 8000
