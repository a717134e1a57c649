/** One command of a command line, and the operator after it. */
export interface Step {
  /** As written, but without surrounding brackets and keywords. */
  text: string
  /** The program and its arguments, without quotes and without leading `NAME=value`. */
  words: readonly string[]
  /** The operator after the command; "" at the end of the line. */
  next: Operator
}

type Operator = "&&" | "||" | "|" | ";" | "&" | ""

/** Splits a command line at operators and line ends outside of quotes. Drops brackets and keywords; does not parse more. */
export function splitShell(line: string): Step[] {
  const steps: Step[] = []
  let text = ""
  const add = (next: Operator) => {
    const begun = text.replace(AROUND, "")
    // Without `(` in this step, a `)` closes a group that began in an earlier step.
    const plain = (begun.includes("(") ? begun : begun.replace(/\)/g, "")).replace(/[\s}]+$/, "")
    const words = wordsOf(plain)
    const last = steps.at(-1)
    if (words.length > 0) steps.push({ text: plain, words, next })
    // An operator after a group, as in `(a; b) | tail`, belongs to the group's last step.
    else if (last !== undefined && next !== "" && next !== ";") last.next = next
    text = ""
  }
  for (const [piece] of withoutHereDocuments(line).matchAll(PIECES)) {
    if (piece.startsWith("#")) continue
    const operator = OPERATORS.get(piece)
    if (operator === undefined) text += piece
    else add(operator)
  }
  add("")
  return steps
}

/** True if a line has `if`, a loop or `!`: its exit code then says nothing about a single step. */
export function hasConditions(line: string): boolean {
  return /(^|[;&|\n(]\s*)(if|for|while|until|case|!)\s/.test(withoutQuotes(line))
}

/** Replaces each quoted text by `""`. */
export function withoutQuotes(line: string): string {
  return withoutHereDocuments(line).replace(QUOTED, '""')
}

function wordsOf(text: string): string[] {
  const words = [...text.matchAll(WORDS)].map(([word]) => word.replace(UNQUOTE, (_, a, b) => a ?? b ?? ""))
  const first = words.findIndex((word) => !/^\w+=/.test(word))
  return first < 0 ? [] : words.slice(first)
}

function withoutHereDocuments(line: string): string {
  const kept: string[] = []
  let end: string | undefined
  for (const each of line.split("\n")) {
    if (end === undefined) kept.push(each.replace(HERE_DOCUMENT, " "))
    if (end === undefined) end = HERE_DOCUMENT.exec(each)?.[2]
    else if (each.trim() === end) end = undefined
  }
  return kept.join("\n")
}

const HERE_DOCUMENT = /(?<!<)<<-?\s*(['"]?)([A-Za-z_]\w*)\1/
const QUOTED = /'[^']*'|"(?:\\.|[^"\\])*"/gs
const UNQUOTE = /'([^']*)'|"((?:\\.|[^"\\])*)"/gs
const WORDS = /(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\]|["'\\])+/gs
/** Matches one quoted text, escape, redirection, comment or operator, or any other single character. */
const PIECES = /'[^']*'|"(?:\\.|[^"\\])*"|\\[\s\S]|\d*>&\d?|&>>?|(?<=\s|^)#[^\n]*|&&|\|\||\|&|[|;&\n]|[\s\S]/g
const OPERATORS = new Map<string, Operator>(
  (["&&", "||", "|", ";", "&"] as const).map((each): [string, Operator] => [each, each]),
)
OPERATORS.set("|&", "|").set("\n", ";")
/** Brackets and keywords before a command: `if (`. */
const AROUND = /^(?:\s|[({!]|(?:if|then|else|elif|do|while|until)\s)+/
