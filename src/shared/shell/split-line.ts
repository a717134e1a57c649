/** One program of a command line, with the operator behind it. */
export interface Step {
  /** As it was written, without brackets and keywords around it. */
  text: string
  /** Without quotes and variables set for it: the program first. */
  words: readonly string[]
  /** "" at the end of the line. */
  next: Operator
}

type Operator = "&&" | "||" | "|" | ";" | "&" | ""

/**
 * Splits a command line at `&&`, `||`, `|`, `;`, `&` and line ends outside of quotes. No shell grammar: brackets and
 * keywords are dropped, and substitutions stay part of the word that they stand in.
 */
export function splitShell(line: string): Step[] {
  const steps: Step[] = []
  let text = ""
  const add = (next: Operator) => {
    const begun = text.replace(AROUND, "")
    // A closing bracket of a group that began in an earlier step.
    const plain = (begun.includes("(") ? begun : begun.replace(/\)/g, "")).replace(/[\s}]+$/, "")
    const words = wordsOf(plain)
    const last = steps.at(-1)
    if (words.length > 0) steps.push({ text: plain, words, next })
    // Behind the end of a group: `(a; b) | tail`.
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

/** True of a line with `if`, a loop or `!`: the exit code then says nothing about a single step. */
export function hasConditions(line: string): boolean {
  return /(^|[;&|\n(]\s*)(if|for|while|until|case|!)\s/.test(withoutQuotes(line))
}

/** Quoted texts become empty words. */
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
/** Quoted texts, escapes, redirections and comments as one piece; operators; anything else character by character. */
const PIECES = /'[^']*'|"(?:\\.|[^"\\])*"|\\[\s\S]|\d*>&\d?|&>>?|(?<=\s|^)#[^\n]*|&&|\|\||\|&|[|;&\n]|[\s\S]/g
const OPERATORS = new Map<string, Operator>([
  ["&&", "&&"],
  ["||", "||"],
  ["|", "|"],
  ["|&", "|"],
  [";", ";"],
  ["\n", ";"],
  ["&", "&"],
])
/** Brackets and keywords before a program. */
const AROUND = /^(?:\s|[({!]|(?:if|then|else|elif|do|while|until)\s)+/
