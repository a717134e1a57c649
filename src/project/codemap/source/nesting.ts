/**
 * True of a text whose brackets, or whose operators and branches without any, stand deeper in each other than anybody
 * writes. The parser is native code that goes down as deep as the text does: it would end the host's process (seen from
 * 2,000 classes, 4,000 brackets, 8,000 arrows and 64,000 signs in each other). It counts too much rather than too little.
 */
export function isTooNested(text: string): boolean {
  if (text.length < SHORT_CHARS) return false
  // Most files have fewer brackets and links than it takes, however they stand.
  const mayBeDeep = hasManyBrackets(text) || hasManyLinks(text)
  return (
    (mayBeDeep && hasDeepBrackets(text)) ||
    hasMany(text, NESTING_WORD, MAX_WORDS, SHORTEST_WORD) ||
    hasMany(text, SIGN, MAX_SIGNS, 1)
  )
}

function hasManyBrackets(text: string): boolean {
  let count = 0
  for (const open of ["(", "{", "["])
    for (let at = text.indexOf(open); at >= 0; at = text.indexOf(open, at + 1))
      if (++count >= MAX_BRACKETS) return true
  return false
}

/** Searched from the start, as there are fewer from anywhere else. */
function hasManyLinks(text: string): boolean {
  if (text.length < MAX_LINKS * CHARS_PER_LINK) return false
  MANY_LINKS.lastIndex = 0
  return MANY_LINKS.test(text)
}

function hasDeepBrackets(text: string): boolean {
  // For each open bracket, how many links the chain around it had: `a => b ? c : d = [`.
  const chains: number[] = []
  let chain = 0
  let links = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (!COUNTED[char]) continue
    switch (char) {
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

function hasMany(text: string, pattern: RegExp, max: number, charsEach: number): boolean {
  if (text.length <= max * charsEach) return false
  let count = 0
  for (const _ of text.matchAll(pattern)) if (++count > max) return true
  return false
}

const STATEMENT =
  /(?:export|import|const|let|var|function|class|interface|type|enum|declare|abstract|async)\b/y
const NESTING_WORD = /\b(?:new|await|keyof|do|yield|infer|else)\b/g
// `!!!a`, `a + a + a`: each is one level more, to the parser.
const SIGN = /[!+*~-]/g
const [OPEN_ROUND, CLOSE_ROUND, OPEN_SQUARE, CLOSE_SQUARE, OPEN_CURLY, CLOSE_CURLY] = [
  40, 41, 91, 93, 123, 125,
]
const [SEMICOLON, COMMA, NEWLINE, EQUALS, QUESTION, COLON, LESS] = [59, 44, 10, 61, 63, 58, 60]
const [LETTER_A, LETTER_Z] = [97, 122]
// By the number of a sign; most signs are none of them, and pass at once.
const COUNTED = Array.from({ length: 128 }, (_, char) => "()[]{};,\n=?:<".includes(String.fromCharCode(char)))
// Not even if all of it were brackets.
const SHORT_CHARS = 2000
const MAX_BRACKETS = 500
const MAX_LINKS = 3000
// `a=`: a sign, and something that it stands at.
const CHARS_PER_LINK = 2
const MAX_WORDS = 8000
const SHORTEST_WORD = 3
const MAX_SIGNS = 30_000
const MANY_LINKS = new RegExp(String.raw`(?:[^()[\]{}=?:<]*[()[\]{}=?:<]){${MAX_LINKS}}`, "y")
