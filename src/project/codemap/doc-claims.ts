import type { ClaimRecord, SymbolRecord } from "../../schemas/codemap.ts"
import type { LineAt, RawComment } from "./comments.ts"

/** The declaration that a comment documents. */
export interface Documented {
  name: string
  /** Undefined where it is no function. */
  parameters: () => { names: ReadonlySet<string>; unnamed: number; isStub: boolean } | undefined
}

interface ClaimSource {
  /** The text without its comments. */
  code: string
  describes: (comment: RawComment) => Documented | undefined
  parameterTexts: ReadonlyMap<string, string>
  lineAt: LineAt
}

/**
 * Where doc comments disagree with their own file: a parameter that the function does not have, a name that is not in
 * the code. Whether another file has that name is decided later, with the whole map.
 */
export function docClaims(comments: readonly RawComment[], source: ClaimSource): ClaimRecord[] {
  const claims: ClaimRecord[] = []
  for (const comment of comments) {
    if (!comment.isDoc || !/@(?:param|arg|link|see)|\(\)`/.test(comment.text)) continue
    const text = comment.text.slice(0, MAX_CHARS)
    const examples = (text.match(EXAMPLE) ?? []).join(" ")
    const plain = text.replace(EXAMPLE, (found) => " ".repeat(found.length))
    const lineOf = (offset: number) => source.lineAt(comment.start + MARK_CHARS + offset)
    claims.push(...wrongParameters(comment, plain, source, lineOf))
    for (const { index, 1: linked, 2: seen, 3: called } of plain.matchAll(SYMBOL)) {
      const name = linked ?? seen ?? called ?? ""
      const isForeign = called !== undefined && isOfAnother(called, plain.slice(index, index + 120))
      if (isForeign || BUILT_IN.has(name) || BROWSER_TYPE.test(name)) continue
      if (!hasWord(examples, name) && !hasWord(source.code, name))
        claims.push({ line: lineOf(index), kind: "symbol", name })
    }
    if (claims.length >= MAX_CLAIMS) break
  }
  return claims
}

function wrongParameters(
  comment: RawComment,
  text: string,
  { code, describes, parameterTexts }: ClaimSource,
  lineOf: LineAt,
): ClaimRecord[] {
  if (/@(?:typedef|callback|overload|template\s+\{)/.test(text)) return []
  const documented = [...text.matchAll(PARAM)]
  const declaration = documented.length > 0 ? describes(comment) : undefined
  const actual = declaration?.parameters()
  if (declaration === undefined || actual === undefined) return []
  const { name: of } = declaration
  // `_a` is an unused `a`.
  const names = new Set([...actual.names].flatMap((name) => [name, name.replace(/^_+/, "")]))
  const missing = documented.filter(({ 1: type = "", 2: name = "" }, at) => {
    const isFirst = documented.findIndex((each) => each[2] === name) === at
    // `{...any}` stands for any number of them; "@param String dir" has a type without its braces.
    return isFirst && !names.has(name) && !type.startsWith("{...") && !BARE_TYPE.test(name)
  })
  if (actual.isStub || /\barguments\b/.test(code)) return []
  // One comment may document all overloads, and `(a /*, b */)` says that a `b` is passed and not used.
  const lists = parameterTexts.get(of) ?? ""
  return missing
    .slice(actual.unnamed)
    .filter(({ 2: name = "" }) => !hasWord(lists, name))
    .map(({ index, 2: name = "" }) => ({ line: lineOf(index), kind: "param", name, of }))
}

/** `NOW()` is a database's, `setXYZW()` and `findX()` stand for several; "`a()` in `b`" and "`a()`?" name another's. */
function isOfAnother(name: string, from: string): boolean {
  return /^[A-Z_]+$|[A-Z]{4}$|[a-z]X$/.test(name) || OWNER.test(from)
}

/** Types that JavaScript declares in doc comments: `@typedef {…} Name`, `@callback Name`. */
export function commentTypes(comments: readonly RawComment[], lineAt: LineAt): SymbolRecord[] {
  return comments
    .filter(({ isDoc }) => isDoc)
    .flatMap(({ start, text }) =>
      [...text.slice(0, MAX_CHARS).matchAll(TYPEDEF)].map(({ index, 1: name = "" }) => {
        return { line: lineAt(start + MARK_CHARS + index), name, kind: "type" }
      }),
    )
    .slice(0, MAX_TYPES)
}

/** Whether a name is in the code as a whole word. Without a pattern for each name: there are many. */
function hasWord(code: string, name: string): boolean {
  for (let at = code.indexOf(name); at >= 0; at = code.indexOf(name, at + 1))
    if (!/[\w$]/.test(code.charAt(at - 1)) && !/[\w$]/.test(code.charAt(at + name.length))) return true
  return false
}

const STANDARD_TYPES = [
  ...[Object, Function, Array, String, Number, Map, Set, Promise, RegExp, Date, Symbol, BigInt, WeakMap],
  ...[ArrayBuffer, Error],
]
/** Names of the language, of browsers and of test runners. */
const BUILT_IN = new Set([
  ...Object.getOwnPropertyNames(globalThis),
  ...STANDARD_TYPES.flatMap((each) => [
    ...Object.getOwnPropertyNames(each),
    ...Object.getOwnPropertyNames(each.prototype),
  ]),
  ...[Math, JSON, Reflect, Intl, Atomics].flatMap((each) => Object.getOwnPropertyNames(each)),
  ..."window document navigator location history localStorage sessionStorage alert confirm prompt require module exports import Element HTMLElement Node Event Document Window MutationObserver ResizeObserver IntersectionObserver requestAnimationFrame cancelAnimationFrame getElementById querySelector addEventListener removeEventListener preventDefault stopPropagation Partial Required Readonly Record Pick Omit Exclude Extract NonNullable ReturnType Awaited Parameters Iterable Iterator AsyncIterable Generator PromiseLike ArrayLike describe it test expect beforeEach afterEach beforeAll afterAll self super this null undefined".split(
    " ",
  ),
])
const BROWSER_TYPE = /^(?:XR|GPU|WebGL|RTC|HTML|SVG|CSS|DOM|IDB|Media|Audio)[A-Z]/
const BARE_TYPE = /^(?:String|Number|Boolean|Object|Array|Function|Any)$/
const EXAMPLE = /```[\s\S]*?(?:```|$)|@example[\s\S]*?(?=\n\s*\*?\s*@\w|$)/g
const PARAM =
  /@(?:param|arg|argument)[ \t]+(\{(?:[^{}]|\{[^{}]*\})*\})?\s*\[?\s*(?:\.\.\.)?([A-Za-z_$][\w$]*)(?=[\s\].=:[,-]|$)/g
const TYPEDEF = /@(?:typedef|callback)\s+(?:\{[^@]*?\}[\s*]+)?([A-Za-z_$][\w$]*)/g
const SYMBOL =
  /\{@link(?:code|plain)?\s+([A-Za-z_$][\w$]*)(?=\s*[|}.#(]|\s+[^}]*\})|@see\s+([A-Za-z_$][\w$]*)(?:\(\))?\s*(?=\n|$)|`([A-Za-z_$][\w$]*)\(\)`/g
const OWNER = /^`[^`]+`(?:\?|\s+(?:commands?\b|(?:in|from|of|by)\s+(?:the\s+)?`[\w@/.-]+`))/
const MARK_CHARS = 2
const MAX_CLAIMS = 50
const MAX_TYPES = 100
// The patterns would take long on a longer comment.
const MAX_CHARS = 20_000
