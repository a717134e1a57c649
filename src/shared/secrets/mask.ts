import { findCommandSecrets } from "./commands.ts"
import { type Found, findNamedSecrets } from "./named.ts"
import { PLACE_RULES, PLACEHOLDER, PREFIXES, prefixed, TOKEN_RULES } from "./rules.ts"

/** Replaces each secret in a text by its kind: `[masked: GitHub token]`. Masking twice gives the same text. */
export function maskSecrets(text: string): string {
  if (ONE_SHORT_WORD.test(text) || clean.has(text)) return text
  const placed = MAYBE_PLACE.test(text) ? replaced(text, rulesFor(text, placeRules())) : text
  // Tokens of a known shape are masked before named secrets, because their mask names the service.
  const masked = withoutTokens(placed)
  const found = withoutFound(masked, [...findNamedSecrets(masked), ...findCommandSecrets(masked)])
  if (found === text && text.length <= MAX_KEPT_CHARS) keepClean(text)
  return found
}

function keepClean(text: string): void {
  if (clean.size >= MAX_KEPT) clean.clear()
  clean.add(text)
}

const clean = new Set<string>()
const MAX_KEPT = 64
const MAX_KEPT_CHARS = 4096

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
  // A token is always inside a run of token characters, so only the runs are searched.
  const fitting = rulesFor(runs.join(" "), tokenRules())
  return fitting.length === 0 ? text : text.replace(RUN, (run) => replaced(run, fitting))
}

/** Selects the rules whose keywords are in the text, because searching keywords is much faster than matching patterns. */
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

/** Masks all strings in a value, field names included. Returns the same object if it has no secret. */
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
  /** Keywords in lower case: each match contains at least one of them. */
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

// Compiled on first use, because most processes never see a text that may contain a secret.
const placeRules = lazily(() => PLACE_RULES.map(rule))
const tokenRules = lazily(() => [
  ...TOKEN_RULES.map(rule),
  ...PREFIXES.map(([kind, prefix, least]) => ({
    kind,
    pattern: prefixed(prefix, least),
    words: [prefix.toLowerCase()],
  })),
])

// JSON's `\n`, a terminal colour (`[31m`) and a URL's `%3D`. A token may follow one, but not begin with its last characters.
const ESCAPE = String.raw`\\[nrt]|\[[\d;]{0,12}m|%[\dA-Fa-f]{2}`
const IN_ESCAPE = String.raw`(?<=\\)[nrt]|(?<=\[[\d;]{0,12})\d*m|(?<=%)[\dA-Fa-f]{2}`
// 15 or more characters that a token can have. Every token is inside such a run.
const RUN = new RegExp(String.raw`(?:(?<![\w+/=.~:@-])(?!${IN_ESCAPE})|(?<=${ESCAPE}))[\w+/=.~:@-]{15,}`, "g")
const MAYBE_PLACE =
  /:\/{1,2}[^\s/]*:|-----BEGIN|private-lines|client-key-data|tls\.key|ssh-privatekey|id_(?:rsa|ed25519|ecdsa)|bearer|authorization|(?:password|pwd|accesskey|accountkey|secret(?:_?(?:access_?)?key)?)["']?\s{0,3}[=:]|_auth/i
// A text of one short word is never masked: it is too short for a token, and no value follows a name such as `password`.
const ONE_SHORT_WORD = /^[\w-]{0,14}$/
const IDENTITY = /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z)$/
