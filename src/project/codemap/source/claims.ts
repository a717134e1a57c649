import type { ClaimRecord } from "../../../schemas/codemap.ts"
import { afterBracket, afterTypeParameters } from "./brackets.ts"
import { readDocComment } from "./doc-comment.ts"
import type { Head } from "./head.ts"
import type { RawComment } from "./lexer.ts"
import type { Parameters } from "./parameters.ts"
import { hasWord } from "./words.ts"

/**
 * What doc comments say that the file itself does not bear out: a parameter that its function does not have, a name that
 * does not occur in its code. Whether another file has the name is for the whole map to say.
 */
export function docClaims(
  comments: readonly RawComment[],
  describes: (comment: RawComment) => Head | undefined,
  /** `code` is the text without its comments. */
  { text, code }: { text: string; code: string },
  lineAt: (at: number) => number,
): ClaimRecord[] {
  const claims: ClaimRecord[] = []
  for (const comment of comments) {
    if (!comment.isDoc || !HAS_CLAIM.test(comment.text)) continue
    const { params, symbols } = readDocComment(comment.text)
    const line = (offset: number) => lineAt(comment.start + OPENING + offset)
    const head = params.length > 0 ? describes(comment) : undefined
    for (const { name, offset } of missingParams(params, head, text, code))
      claims.push({ line: line(offset), kind: "param", name, ...(head !== undefined && { of: head.name }) })
    for (const { name, offset } of symbols)
      if (!BUILT_IN.has(name) && !OF_BROWSERS.test(name) && !hasWord(code, name))
        claims.push({ line: line(offset), kind: "symbol", name })
    if (claims.length >= MAX_CLAIMS) break
  }
  return claims
}

/** A parameter without a name of its own may be called anything, so each of those takes one name. */
function missingParams<T extends { name: string }>(
  params: readonly T[],
  head: Head | undefined,
  text: string,
  code: string,
): T[] {
  const actual = head?.parameters()
  if (head === undefined || actual === undefined) return []
  const missing = params.filter(({ name }) => !hasParameter(actual, name)).slice(actual.unnamed)
  if (missing.length === 0 || /\barguments\b/.test(code) || isStub(actual, code)) return []
  // `(a /*, b */)` is how a method says that it is given a `b` which it has no use for.
  const others = `${overloads(code, head.name)} ${text.slice(actual.from, actual.to)}`
  return missing.filter(({ name }) => !hasWord(others, name))
}

/** `name() {}`: there to be replaced by another, which is given what the comment says. */
function isStub({ names, unnamed, to }: Parameters, code: string): boolean {
  return names.size === 0 && unnamed === 0 && /^\)\s*\{\s*\}/.test(code.slice(to, to + MAX_STUB))
}

/** `_a` is an `a` that is not used, to many. */
function hasParameter({ names }: Parameters, name: string): boolean {
  return (
    name === "arguments" || names.has(name) || [...names].some((each) => each.replace(/^_+/, "") === name)
  )
}

/** The heads of all functions with this name: a comment at one of them may speak of the parameters of all. */
function overloads(code: string, name: string): string {
  const plain = name.replaceAll("$", "\\$").replaceAll("#", "\\#")
  return [...code.matchAll(new RegExp(`(?<![\\w$.])${plain}\\s*(?=[<(])`, "g"))]
    .slice(0, MAX_OVERLOADS)
    .map(({ index, 0: { length } }) => {
      const open = afterTypeParameters(code, index + length)
      return code[open] === "(" ? code.slice(open, afterBracket(code, open)) : ""
    })
    .join(" ")
}

/** Comments that say this file uses a module that they name. */
export function moduleClaims(comments: readonly RawComment[], lineAt: (at: number) => number): ClaimRecord[] {
  const claims: ClaimRecord[] = []
  for (const comment of comments) {
    if (!QUOTED.test(comment.text)) continue
    const text = comment.text.slice(0, MAX_CHARS)
    USES.lastIndex = 0
    for (let uses = USES.exec(text); uses !== null; uses = USES.exec(text)) {
      MODULE.lastIndex = USES.lastIndex
      const name = MODULE.exec(text)?.[1]
      if (name === undefined) continue
      claims.push({ line: lineAt(comment.start + OPENING + uses.index), kind: "module", name })
      if (claims.length >= MAX_CLAIMS) return claims
    }
  }
  return claims
}

/** Names that the language and its hosts bring along. */
const BUILT_IN = new Set([
  ...Object.getOwnPropertyNames(globalThis),
  ...[
    Object,
    Function,
    Array,
    String,
    Number,
    Map,
    Set,
    Promise,
    RegExp,
    Date,
    Symbol,
    BigInt,
    WeakMap,
    ArrayBuffer,
    Error,
  ].flatMap((each) => [...Object.getOwnPropertyNames(each), ...Object.getOwnPropertyNames(each.prototype)]),
  ...[Math, JSON, Reflect, Intl, Atomics].flatMap((each) => Object.getOwnPropertyNames(each)),
  ..."window document navigator location history localStorage sessionStorage alert confirm prompt require module exports import Element HTMLElement Node Event Document Window MutationObserver ResizeObserver IntersectionObserver requestAnimationFrame cancelAnimationFrame getElementById querySelector addEventListener removeEventListener preventDefault stopPropagation Partial Required Readonly Record Pick Omit Exclude Extract NonNullable ReturnType Awaited Parameters Iterable Iterator AsyncIterable Generator PromiseLike ArrayLike describe it test expect beforeEach afterEach beforeAll afterAll self super this null undefined".split(
    " ",
  ),
])
const OF_BROWSERS = /^(?:XR|GPU|WebGL|RTC|HTML|SVG|CSS|DOM|IDB|Media|Audio)[A-Z]/
// "uses `./auth`", "delegates to 'src/auth.ts'". A word alone may be anything.
const USES =
  /\b(?:uses|using|imports|imported from|wraps|wrapper around|delegates to|relies on|depends on|powered by|backed by|calls into)\s+(?:the\s+)?(?=[`'"])/gi
const MODULE =
  /[`'"]((?:\.{1,2}\/|@[\w-]+\/|[\w-]+\/)[\w./-]+|[\w@-][\w.-]*\.[cm]?[jt]sx?)[`'"](?!\s*(?:\(|prop|option|flag|field|method|function|hook|key|param|argument|variable|event|type|class|attribute|keyword|operator|syntax|condition|value|name|tag|element|directive))/iy
// Quicker to look for, and seldom there.
const QUOTED = /\s[`'"]/
const HAS_CLAIM = /@(?:param|arg|link|see)|\(\)`/
const OPENING = 2
const MAX_CLAIMS = 50
const MAX_CHARS = 20_000
const MAX_OVERLOADS = 20
const MAX_STUB = 200
