import type { ClaimRecord } from "../../schemas/codemap.ts"
import type { LineAt, RawComment } from "./comments.ts"

export interface Documented {
  name: string
  parameters: () => { names: ReadonlySet<string>; unnamed: number; isStub: boolean } | undefined
}

interface ClaimSource {
  code: string
  describes: (comment: RawComment) => Documented | undefined
  parameterTexts: ReadonlyMap<string, string>
  lineAt: LineAt
}

export function docClaims(comments: readonly RawComment[], source: ClaimSource): ClaimRecord[] {
  const claims: ClaimRecord[] = []
  for (const comment of comments) {
    if (!comment.isDoc || !/@(?:param|arg)/.test(comment.text)) continue
    claims.push(...wrongParameters(comment, source))
    if (claims.length >= MAX_CLAIMS) break
  }
  return claims
}

function wrongParameters(comment: RawComment, source: ClaimSource): ClaimRecord[] {
  const { code, describes, parameterTexts, lineAt } = source
  const text = comment.text.slice(0, MAX_CHARS).replace(EXAMPLE, (found) => " ".repeat(found.length))
  if (/@(?:typedef|callback|overload|template\s+\{)/.test(text)) return []
  const documented = [...text.matchAll(PARAM)]
  const declaration = documented.length > 0 ? describes(comment) : undefined
  const actual = declaration?.parameters()
  if (declaration === undefined || actual === undefined) return []
  const { name: of } = declaration
  // A parameter `_a` may be documented as `a`: the underscore marks it as unused.
  const names = new Set([...actual.names].flatMap((name) => [name, name.replace(/^_+/, "")]))
  const missing = documented.filter(({ 1: type = "", 2: name = "" }, at) => {
    const isFirst = documented.findIndex((each) => each[2] === name) === at
    // The type `{...any}` means any number of parameters. In "@param String dir", `String` is a type without braces.
    return isFirst && !names.has(name) && !type.startsWith("{...") && !BARE_TYPE.test(name)
  })
  if (actual.isStub || /\barguments\b/.test(code)) return []
  // A parameter also exists if another overload, or a comment such as `(a /*, b */)`, names it.
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
// Matching the patterns in a longer comment would take too long.
const MAX_CHARS = 20_000
