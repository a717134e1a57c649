import { inCommands } from "./commands.ts"
import { withoutFound } from "./found.ts"
import { besideNames } from "./named.ts"
import { PREFIXES, prefixed } from "./prefixes.ts"
import { PLACE_RULES, PLACEHOLDER, TOKEN_RULES } from "./rules.ts"

/**
 * The text with every secret replaced by what it was: `[masked: GitHub token]`. Only what has the shape of a token is one;
 * hashes, ids, encoded files and names stay. Masked text stays as it is when it is masked again.
 */
export function maskSecrets(text: string): string {
  if (ONE_SHORT_WORD.test(text) || clean.has(text)) return text
  const placed = MAYBE_PLACE.test(text) ? replaced(text, rulesFor(text, placeRules())) : text
  // What is known by its shape is named better than by the word beside it.
  const masked = withoutTokens(placed)
  const found = withoutFound(masked, [...besideNames(masked), ...inCommands(masked)])
  if (found === text && text.length <= MAX_KEPT_CHARS) keepClean(text)
  return found
}

/** The same text comes again soon: as an argument of a tool, then in the record that is made of it. */
function keepClean(text: string): void {
  if (clean.size >= MAX_KEPT) clean.clear()
  clean.add(text)
}

const clean = new Set<string>()
const MAX_KEPT = 64
const MAX_KEPT_CHARS = 4096

function withoutTokens(text: string): string {
  const runs = text.match(RUN)
  if (runs === null) return text
  // A token lies within a run: so nothing else is searched.
  const fitting = rulesFor(runs.join(" "), tokenRules())
  return fitting.length === 0 ? text : text.replace(RUN, (run) => replaced(run, fitting))
}

/** Those of which a word is there: looking for it is much cheaper than trying the rule. */
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

/** The same for every text in a value, names of fields included: a record, a list, fields. What holds no secret is returned as it is, not copied. */
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
  /** Of which one is in every match, in lower case. */
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

// Made when the first text could hold a secret: most processes never see one.
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
