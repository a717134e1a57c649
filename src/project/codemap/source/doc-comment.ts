import { hasWord } from "./words.ts"

/** A doc comment taken apart. */
export interface DocComment {
  /** By `@param`, without what stands behind a dot. */
  params: { name: string; offset: number }[]
  /** By `{@link …}`, `@see`, and as a call in backticks. */
  symbols: { name: string; offset: number }[]
}

/** Reads the tags of a doc comment; `offset` is where in its text each stands. */
export function readDocComment(text: string): DocComment {
  const start = text.slice(0, MAX_CHARS)
  // What an example shows is no claim about this code.
  let shown = ""
  const plain = HAS_EXAMPLE.test(start)
    ? start.replace(EXAMPLE, (found) => {
        shown += found
        return " ".repeat(found.length)
      })
    : start
  // Most comments have neither, which is quicker told than by the patterns that find them.
  const symbols = HAS_SYMBOL.test(plain) ? symbolsIn(plain, shown) : []
  const hasParams = HAS_PARAM.test(plain) && !/@(?:typedef|callback|overload|template\s+\{)/.test(plain)
  return { params: hasParams ? paramsIn(plain) : [], symbols }
}

function paramsIn(text: string): DocComment["params"] {
  const found: DocComment["params"] = []
  for (const { index, 0: tag } of text.matchAll(/@(?:param|arg|argument)[ \t]+/g)) {
    const after = afterType(text, index + tag.length)
    const [, name] =
      /^\s*\[?\s*(?:\.\.\.)?([A-Za-z_$][\w$]*)(?=[\s\].=:[,-]|$)/.exec(text.slice(after, after + MAX_NAME)) ??
      []
    // `{...any}` are any number of them, whatever each is called.
    if (text.startsWith("{...", index + tag.length)) continue
    // "@param String dir": a type without its braces.
    const isType = name !== undefined && /^(?:String|Number|Boolean|Object|Array|Function|Any)$/.test(name)
    if (name !== undefined && !isType && !found.some((each) => each.name === name))
      found.push({ name, offset: index })
  }
  return found
}

/** Past `{type}`, whose braces may hold others. */
export function afterType(text: string, at: number): number {
  if (text[at] !== "{") return at
  let depth = 0
  for (let next = at; next < text.length && next < at + MAX_TYPE; next++) {
    if (text[next] === "{") depth++
    if (text[next] === "}" && --depth === 0) return next + 1
  }
  return at
}

function symbolsIn(text: string, shown: string): DocComment["symbols"] {
  return [...text.matchAll(SYMBOL)].flatMap(({ index, 1: linked, 2: seen, 3: called }) => {
    const name = linked ?? seen ?? called
    const isForeign = called !== undefined && isOthers(called, text.slice(index))
    // What an example shows belongs to the example.
    return name === undefined || isForeign || hasWord(shown, name) ? [] : [{ name, offset: index }]
  })
}

/** A call in capitals is one of a database, `setXYZW()` and `findX()` stand for several, and some say whose they are or that there is none: "`a()` in `b`", "`a()`?". */
function isOthers(name: string, from: string): boolean {
  return /^[A-Z_]+$/.test(name) || /[A-Z]{4}$|[a-z]X$/.test(name) || SAID_WHOSE.test(from.slice(0, MAX_NAME))
}

const SAID_WHOSE = /^`[^`]+`(?:\?|\s+(?:commands?\b|(?:in|from|of|by)\s+(?:the\s+)?`[\w@/.-]+`))/
const HAS_EXAMPLE = /```|@example/
const HAS_SYMBOL = /@link|@see|\(\)`/
const HAS_PARAM = /@param|@arg/
const EXAMPLE = /```[\s\S]*?(?:```|$)|@example[\s\S]*?(?=\n\s*\*?\s*@\w|$)/g
const NAME = String.raw`([A-Za-z_$][\w$]*)`
const SYMBOL = new RegExp(
  [
    String.raw`\{@link(?:code|plain)?\s+${NAME}(?=\s*[|}.#(]|\s+[^}]*\})`,
    String.raw`@see\s+${NAME}(?:\(\))?\s*(?=\n|$)`,
    String.raw`\x60${NAME}\(\)\x60`,
  ].join("|"),
  "g",
)
const MAX_NAME = 120
const MAX_TYPE = 2000
// Nobody reads a longer one; searching it could take as long as somebody wants it to.
const MAX_CHARS = 20_000
