import type { ClaimRecord } from "../../schemas/codemap.ts"
import type { LineAt, RawComment } from "./comments.ts"

export interface Documented {
  name: string
  /** Undefined where it is no function. */
  parameters: () => { names: ReadonlySet<string>; unnamed: number; isStub: boolean } | undefined
}

interface ClaimSource {
  /** The text without its comments. */
  code: string
  describes: (comment: RawComment) => Documented | undefined
  /** By name: the parameter lists of all functions of that name, with their comments. */
  parameterTexts: ReadonlyMap<string, string>
  lineAt: LineAt
}

/** Parameters that a doc comment documents and the function does not have. */
export function docClaims(comments: readonly RawComment[], source: ClaimSource): ClaimRecord[] {
  const claims: ClaimRecord[] = []
  for (const comment of comments) {
    if (!comment.isDoc || !/@(?:param|arg)/.test(comment.text)) continue
    claims.push(...wrongParameters(comment, source))
    if (claims.length >= MAX_CLAIMS) break
  }
  return claims
}

function wrongParameters(
  comment: RawComment,
  { code, describes, parameterTexts, lineAt }: ClaimSource,
): ClaimRecord[] {
  const text = comment.text.slice(0, MAX_CHARS).replace(EXAMPLE, (found) => " ".repeat(found.length))
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
  // A parameter is also there if another overload has it, or a comment in the list: `(a /*, b */)` takes a `b` and ignores it.
  const mentioned = new Set((parameterTexts.get(of) ?? "").match(/[\w$]+/g))
  return missing
    .slice(actual.unnamed)
    .filter(({ 2: name = "" }) => !mentioned.has(name))
    .map(({ index, 2: name = "" }) => ({ line: lineAt(comment.start + MARK_CHARS + index), name, of }))
}

const BARE_TYPE = /^(?:String|Number|Boolean|Object|Array|Function|Any)$/
const EXAMPLE = /```[\s\S]*?(?:```|$)|@example[\s\S]*?(?=\n\s*\*?\s*@\w|$)/g
const PARAM =
  /@(?:param|arg|argument)[ \t]+(\{(?:[^{}]|\{[^{}]*\})*\})?\s*\[?\s*(?:\.\.\.)?([A-Za-z_$][\w$]*)(?=[\s\].=:[,-]|$)/g
const MARK_CHARS = 2
const MAX_CLAIMS = 50
// The patterns would take long on a longer comment.
const MAX_CHARS = 20_000
