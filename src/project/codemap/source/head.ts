import { afterBracket, afterTypeParameters, findOutside, splitList } from "./brackets.ts"
import { flattened, shortened } from "./lines.ts"

/** The beginning of a declaration: all that stands before its body. */
export interface Head {
  name: string
  kind: string
  /** As a line. */
  signature: string
  /** Those of a function, or of a value that is one. */
  parameters: Parameters | undefined
}

export interface Parameters {
  names: ReadonlySet<string>
  /** `{ a, b }` and `[a]` have no name: a comment may give them one. */
  unnamed: number
}

/** The declaration that begins at a place: a statement, a method or a property; undefined where it is something else. */
export type HeadAt = (from: number) => Head | undefined

/** Reads declarations, each once: an export and a comment before it ask for the same one. */
export function headReader(code: string): HeadAt {
  const read = new Map<number, Head | undefined>()
  return (from) => {
    if (!read.has(from)) read.set(from, readHead(code, from))
    return read.get(from)
  }
}

function readHead(code: string, from: number): Head | undefined {
  const at = afterModifiers(code, from)
  WORD.lastIndex = at
  const [, word = "", name = "default"] = WORD.exec(code) ?? []
  const after = WORD.lastIndex
  if (word === "") return readMember(code, from, at)
  if (word === "function")
    return functionHead(code, from, name, findOutside(code, after, isRound), "function")
  if (word === "const" || word === "let" || word === "var") return valueHead(code, at, name, after, word)
  if (word === "type")
    return {
      name,
      kind: word,
      signature: tidy(code.slice(at, endOfStatement(code, after))),
      parameters: functionType(code, after),
    }
  const body = findOutside(code, afterTypeParameters(code, after), isCurly)
  const head = code.slice(at, Math.min(body, at + MAX_READ))
  const members = word === "interface" || word === "enum" ? ` { ${memberNames(code, body).join(", ")} }` : ""
  return {
    name,
    kind: word === "module" ? "namespace" : word,
    signature: tidy(head + members),
    parameters: undefined,
  }
}

/** `name(a) {`, `name: (a) => b`, `name = function (a) {`, `a.b.name = …`. */
function readMember(code: string, from: number, at: number): Head | undefined {
  MEMBER.lastIndex = at
  const [, name] = MEMBER.exec(code) ?? []
  if (name === undefined || NO_NAME.has(name)) return undefined
  const after = afterTypeParameters(code, MEMBER.lastIndex)
  if (code[after] === "(") return functionHead(code, from, name, after, "method")
  return valueHead(code, at, name, after, "field")
}

function functionHead(code: string, from: number, name: string, open: number, kind: string): Head {
  const close = afterBracket(code, open)
  const end = findOutside(
    code,
    close,
    (char, at) => char === SEMICOLON || char === NEWLINE || (char === CURLY && !isType(code, close, at)),
  )
  return {
    name,
    kind,
    signature: tidy(code.slice(afterModifiers(code, from, /(?:export|default)\s+/y), end)),
    parameters: parametersIn(code.slice(open + 1, close - 1)),
  }
}

/** `: {` begins the type of what is given back, not the body. */
function isType(code: string, from: number, at: number): boolean {
  return /[:|&]\s*$/.test(code.slice(Math.max(from, at - 20), at))
}

function valueHead(code: string, at: number, name: string, after: number, kind: string): Head {
  // The sign of an arrow, of `==` and of `=>` in a type is no beginning of a value.
  const equals = findOutside(
    code,
    after,
    (char, place) =>
      char === SEMICOLON ||
      char === COMMA ||
      (char === EQUALS && code.charCodeAt(place + 1) !== GREATER) ||
      (char === NEWLINE && kind !== "field" && endsLine(code, place)),
  )
  const isSet = code.charCodeAt(equals) === EQUALS
  const start = isSet ? equals + 1 : code[after] === ":" ? after + 1 : equals
  FUNCTION_VALUE.lastIndex = start
  const found = FUNCTION_VALUE.exec(code)
  const open = found === null ? -1 : afterTypeParameters(code, FUNCTION_VALUE.lastIndex)
  if (open >= 0 && code[open] === "(") {
    const close = afterBracket(code, open)
    const arrow = findOutside(
      code,
      close,
      (char, place) =>
        char === SEMICOLON || char === CURLY || (char === EQUALS && code.charCodeAt(place + 1) === GREATER),
    )
    const isFunction =
      code.startsWith("=>", arrow) ||
      code.startsWith("function", FUNCTION_VALUE.lastIndex - "function".length) ||
      found?.[0].includes("function")
    if (isFunction)
      return {
        name,
        kind: kind === "field" ? "method" : "function",
        signature: tidy(
          code.slice(at, code.charCodeAt(arrow) === CURLY || !code.startsWith("=>", arrow) ? close : arrow),
        ),
        parameters: parametersIn(code.slice(open + 1, close - 1)),
      }
  }
  SINGLE_ARROW.lastIndex = start
  const single = SINGLE_ARROW.exec(code)
  if (single !== null)
    return {
      name,
      kind: "function",
      signature: tidy(code.slice(at, SINGLE_ARROW.lastIndex - 2)),
      parameters: { names: new Set([single[1] ?? ""]), unnamed: 0 },
    }
  const end = code[after] === ":" && isSet ? equals : endOfStatement(code, isSet ? equals + 1 : after)
  return {
    name,
    kind,
    signature: tidy(code.slice(at, Math.min(end, at + MAX_READ)), MAX_VALUE),
    parameters: undefined,
  }
}

/** Nothing on the next line goes on with this one. */
function endsLine(code: string, at: number): boolean {
  NEXT_SIGN.lastIndex = at
  return !NEXT_SIGN.test(code)
}

/** Or as far as a signature is read. */
function endOfStatement(code: string, from: number): number {
  return findOutside(
    code,
    from,
    (char, at) =>
      char === SEMICOLON ||
      (char === NEWLINE &&
        /^\s*(?:export|import|const|let|var|function|class|interface|type|enum|\/|$)/.test(
          code.slice(at + 1, at + 20),
        )),
    MAX_READ,
  )
}

function functionType(code: string, after: number): Parameters | undefined {
  TYPE_FUNCTION.lastIndex = afterTypeParameters(code, after)
  if (!TYPE_FUNCTION.test(code)) return undefined
  const open = TYPE_FUNCTION.lastIndex - 1
  const close = afterBracket(code, open)
  return /^\s*=>/.test(code.slice(close, close + 40))
    ? parametersIn(code.slice(open + 1, close - 1))
    : undefined
}

function parametersIn(list: string): Parameters {
  const names = new Set<string>()
  let unnamed = 0
  for (const part of splitList(list)) {
    const [, rest, name] = PARAMETER.exec(part) ?? []
    // What a rest takes in may be described one by one, and so may what a pattern takes out.
    if (rest !== undefined) unnamed = MANY
    if (name !== undefined) names.add(name)
    else {
      unnamed++
      for (const [each] of part.matchAll(/[A-Za-z_$][\w$]*/g)) names.add(each)
    }
  }
  return { names, unnamed }
}

function memberNames(code: string, open: number): string[] {
  const inside = code.slice(open + 1, afterBracket(code, open) - 1)
  const names: string[] = []
  for (const [, name = ""] of inside.matchAll(MEMBER_NAME)) {
    names.push(name)
    if (names.length >= MAX_NAMES) break
  }
  return names
}

function afterModifiers(code: string, from: number, modifier = MODIFIER): number {
  let at = from
  for (;;) {
    modifier.lastIndex = at
    if (!modifier.test(code)) return at
    at = modifier.lastIndex
    // A decorator may have arguments.
    if (code[at] === "(") at = afterBracket(code, at)
    while (code.charCodeAt(at) <= BLANK) at++
  }
}

/** As one line, without the blanks that only long lists need. */
function tidy(text: string, max = MAX_SIGNATURE): string {
  const flat = flattened(text.slice(0, MAX_READ))
  const tight = SPREAD.test(flat) ? flat.replace(/([(<[]) /g, "$1").replace(/,? ([)>\]])/g, "$1") : flat
  let end = tight.length
  while (" ={;".includes(tight[end - 1] ?? "x")) end--
  return shortened(tight.slice(0, end), max)
}

const SPREAD = /[(<[] | [)>\]]/
const isRound = (char: number) => char === ROUND
const isCurly = (char: number) => char === CURLY
const MODIFIER =
  /(?:(?:export|default|declare|abstract|async|public|private|protected|static|override|readonly|accessor|get|set)(?=\s+[\w$*[#"'{(])|@[\w$.]+)\s*/y
const WORD =
  /(function|class|interface|enum|namespace|module|type|const|let|var)\b\s*\*?\s*(?:enum\s+)?([A-Za-z_$][\w$]*)?/y
const MEMBER = /(?:[A-Za-z_$][\w$]*\.)*\*?["']?([A-Za-z_$#][\w$-]*)["']?[?!]?\s*(?=[(<:=])/y
const FUNCTION_VALUE = /\s*\(?\s*(?:async\b\s*)?(?:function\b\s*\*?\s*[\w$]*\s*)?(?=[(<])/y
const SINGLE_ARROW = /\s*(?:async\s+)?([A-Za-z_$][\w$]*)\s*=>/y
const MEMBER_NAME = /(?:^|[;,\n{])\s*(?:readonly\s+)?([A-Za-z_$][\w$]*)\??\s*(?=[:(<,=]|$)/gm
const TYPE_FUNCTION = /\s*=\s*(?:<[^>]*>\s*)?\(/y
const PARAMETER =
  /^(?:@[\w.]+(?:\([^)]*\))?\s*)*(?:(?:public|private|protected|readonly|override)\s+)*(\.\.\.)?\s*([A-Za-z_$][\w$]*)/
const NEXT_SIGN = /\s*(?:[=:|&?+.*/<,({[-]|=>)/y
const NO_NAME = new Set([
  "if",
  "for",
  "while",
  "switch",
  "catch",
  "return",
  "await",
  "throw",
  "new",
  "typeof",
  "else",
  "do",
  "import",
  "super",
  "case",
])
const [ROUND, CURLY, SEMICOLON, COMMA, EQUALS, GREATER, NEWLINE, BLANK] = [40, 123, 59, 44, 61, 62, 10, 32]
const MANY = 100
const MAX_SIGNATURE = 160
const MAX_VALUE = 80
const MAX_READ = 1200
const MAX_NAMES = 12
