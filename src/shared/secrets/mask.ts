import { findCommandSecrets } from "./commands.ts"
import { type Found, findNamedSecrets } from "./named.ts"
import { PLACE_RULES, PLACEHOLDER, PREFIXES, prefixed, TOKEN_RULES } from "./rules.ts"

/**
 * Replaces every secret in a text by its kind: `[masked: GitHub token]`. Hashes, ids, encoded files and names stay. Masking
 * again changes nothing.
 */
export function maskSecrets(text: string): string {
  if (ONE_SHORT_WORD.test(text) || clean.has(text)) return text
  const placed = MAYBE_PLACE.test(text) ? replaced(text, rulesFor(text, placeRules())) : text
  // Tokens known by their shape come first: their mask names the maker.
  const masked = withoutTokens(placed)
  const found = withoutFound(masked, [...findNamedSecrets(masked), ...findCommandSecrets(masked)])
  if (found === text && text.length <= MAX_KEPT_CHARS) keepClean(text)
  return found
}

/** The same text comes again soon: as a tool's argument, then in a record. */
function keepClean(text: string): void {
  if (clean.size >= MAX_KEPT) clean.clear()
  clean.add(text)
}

const clean = new Set<string>()
const MAX_KEPT = 64
const MAX_KEPT_CHARS = 4096

/** The text with each found secret replaced by its kind. */
function withoutFound(text: string, found: readonly Found[]): string {
  let masked = ""
  let done = 0
  for (const { from, to, kind } of found.toSorted((a, b) => a.from - b.from)) {
    if (from < done) continue
    masked += `${text.slice(done, from)}[masked: ${kind}]`
    done = to
  }
  return done === 0 ? text : masked + text.slice(done)
}

function withoutTokens(text: string): string {
  const runs = text.match(RUN)
  if (runs === null) return text
  // A token lies within a run: so nothing else is searched.
  const fitting = rulesFor(runs.join(" "), tokenRules())
  return fitting.length === 0 ? text : text.replace(RUN, (run) => replaced(run, fitting))
}

/** The rules of which a word occurs: searching for words is much cheaper than trying the rules. */
function rulesFor(text: string, rules: readonly Rule[]): Rule[] {
  const lower = text.toLowerCase()
  return rules.filter(({ words }) => words.some((word) => lower.includes(word)))
}

function replaced(text: string, rules: readonly Rule[]): string {
  return rules.reduce(
    (masked, { kind, pattern }) =>
      masked.replace(pattern, (found) => (PLACEHOLDER.test(found) ? found : `[masked: ${kind}]`)),
    text,
  )
}

/** Masks every text in a value, field names included. A value without a secret is returned as it is, not copied. */
export function maskAll<T>(value: T): T
export function maskAll(value: unknown): unknown {
  if (typeof value === "string") return IDENTITY.test(value) ? value : maskSecrets(value)
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) {
    const masked = value.map((each) => maskAll(each))
    return masked.some((each, index) => each !== value[index]) ? masked : value
  }
  const fields = Object.entries(value)
  const masked = fields.map(([name, each]) => [maskSecrets(name), maskAll(each)] as const)
  const isClean = masked.every(([name, each], at) => name === fields[at]?.[0] && each === fields[at]?.[1])
  return isClean ? value : Object.fromEntries(masked)
}

interface Rule {
  kind: string
  pattern: RegExp
  /** Every match contains one of them, in lower case. */
  words: readonly string[]
}

function rule([kind, pattern, words]: readonly [string, RegExp, string]): Rule {
  return { kind, pattern, words: words.split(" ") }
}

function lazily(make: () => readonly Rule[]): () => readonly Rule[] {
  let made: readonly Rule[] | undefined
  return () => {
    made ??= make()
    return made
  }
}

// Built for the first text that could hold a secret: most processes never see one.
const placeRules = lazily(() => PLACE_RULES.map(rule))
const tokenRules = lazily(() => [
  ...TOKEN_RULES.map(rule),
  ...PREFIXES.map(([kind, prefix, least]) => ({
    kind,
    pattern: prefixed(prefix, least),
    words: [prefix.toLowerCase()],
  })),
])

// No token is shorter, or has another character in it. What ends an escape does not belong to one: the letter of a line
// break (JSON), the `31m` of a terminal's colour, the `3D` of `%3D`.
const ESCAPE = String.raw`\\[nrt]|\[[\d;]{0,12}m|%[\dA-Fa-f]{2}`
const IN_ESCAPE = String.raw`(?<=\\)[nrt]|(?<=\[[\d;]{0,12})\d*m|(?<=%)[\dA-Fa-f]{2}`
const RUN = new RegExp(String.raw`(?:(?<![\w+/=.~:@-])(?!${IN_ESCAPE})|(?<=${ESCAPE}))[\w+/=.~:@-]{15,}`, "g")
const MAYBE_PLACE =
  /:\/{1,2}[^\s/]*:|-----BEGIN|private-lines|client-key-data|tls\.key|ssh-privatekey|id_(?:rsa|ed25519|ecdsa)|bearer|authorization|(?:password|pwd|accesskey|accountkey|secret(?:_?(?:access_?)?key)?)["']?\s{0,3}[=:]|_auth/i
// No token is that short, and a word that names a secret has something behind it.
const ONE_SHORT_WORD = /^[\w-]{0,14}$/
// The ids and times of every record.
const IDENTITY = /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z)$/
