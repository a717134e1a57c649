import { isCommonWord } from "../../shared/text/tokens.ts"

/** How a newer text relates to an older one. `replaced`: another value, or the opposite. `conflict`: probably replaced. */
export type Relation = "same" | "replaced" | "conflict"

/** "end names with '_x'" replaces "end names with '_b'"; "use npm in api/" does not replace "use npm in web/". */
export function relationOf(newer: string, older: string): Relation | undefined {
  const [now, before] = [readText(newer), readText(older)]
  if (now.isEventOrQuestion || before.isEventOrQuestion) return undefined
  return isRejected(now, before) ? "replaced" : compareTexts(now, before)
}

/** True if the newer text rejects the older value: "Auth uses cookies instead of JWT" replaces "Auth uses JWT". */
function isRejected(newer: ReadText, older: ReadText): boolean {
  const { rejected } = newer
  if (rejected.length === 0 || older.isNegated) return false
  const [now, before] = [wordsOf(newer), wordsOf(older)]
  const rest = before.filter((word) => !rejected.includes(word))
  const isWhole = rest.length > 0 && rest.length < before.length && rest.every((word) => now.includes(word))
  return isWhole && placesIn(newer) <= placesIn(older)
}

const placesIn = ({ words }: ReadText): number => words.filter((word) => SCOPE_WORDS.has(word.text)).length

const wordsOf = ({ subject, values }: ReadText): string[] => [...subject, ...values]

/** False for a text that says nothing by itself, such as "apply this from now on". */
export function isTelling(text: string): boolean {
  const { subject, values } = readText(text)
  return values.length > 0 || subject.size >= 3 || (subject.size > 0 && !VAGUE.test(text))
}

/** True if `ending` ("sign commits") means this rule: the rule has all of its words, and at most as many others. */
export function isAboutSame(ending: string, rule: string): boolean {
  const words = wordsOf(readText(ending))
  const known = new Set(wordsOf(readText(rule)))
  return words.length > 0 && words.every((word) => known.has(word)) && words.length >= known.size / 2
}

export const subjectWords = (text: string): ReadonlySet<string> => readText(text).subject

function compareTexts(one: ReadText, other: ReadText): Relation | undefined {
  const hasSameWords =
    hasSame(one.subject, other.subject) && hasSame(new Set(one.values), new Set(other.values))
  // "use tabs" and "don't use tabs" share only one word, but are too short to be about anything else.
  const isShort = one.words.length <= SHORT_WORDS && other.words.length <= SHORT_WORDS
  const told = one.subject.size + one.values.length
  const isTelling = told >= 2 || (told === 1 && isShort) || textOf(one) === textOf(other)
  if (hasSameWords && isTelling) return one.isNegated === other.isNegated ? "same" : "replaced"
  if (one.isNegated !== other.isNegated) return undefined
  return namingRelation(one, other) ?? slotRelation(one.words, other.words) ?? alternativeRelation(one, other)
}

/** Compares alternatives: "use tabs" and "use spaces for indentation". The longer text needs all other words of the shorter. */
function alternativeRelation(one: ReadText, other: ReadText): Relation | undefined {
  const namesIn = ({ words }: ReadText) =>
    words.map(({ text }) => text).filter((text) => ALTERNATIVES.has(text))
  const [[name = "", ...more], [otherName = "", ...otherMore]] = [namesIn(one), namesIn(other)]
  if (name === otherName || more.length + otherMore.length > 0) return undefined
  if (ALTERNATIVES.get(name) === undefined || ALTERNATIVES.get(name) !== ALTERNATIVES.get(otherName))
    return undefined
  const texts = [...one.words, ...other.words].map(({ text }) => text)
  if (texts.some((text) => NAMES_A_PLACE.test(text) || (SCOPE_WORDS.has(text) && text !== "for")))
    return undefined
  const [rest, otherRest] = [restOf(one), restOf(other)]
  const [shorter, longer] = rest.length < otherRest.length ? [rest, otherRest] : [otherRest, rest]
  return shorter.every((word) => longer.includes(word)) ? "conflict" : undefined
}

function restOf({ words }: ReadText): string[] {
  return words.flatMap(({ text, stem }) => (ALTERNATIVES.has(text) || FILLERS.has(text) ? [] : [stem]))
}

const textOf = ({ words }: ReadText): string => words.map(({ stem }) => stem).join(" ")

interface ReadText {
  words: readonly Word[]
  /** Stems of the words that name the subject, without values and fillers. */
  subject: ReadonlySet<string>
  values: readonly string[]
  isNegated: boolean
  /** True for questions and reports of events: they neither replace a text nor are replaced. */
  isEventOrQuestion: boolean
  rejected: readonly string[]
  /** The part of a name that a naming convention is about, such as "end argument". */
  namedPart: string | undefined
  qualifiers: string
}

interface Word {
  text: string
  stem: string
  /** A quotation, a number or code: it can change while the subject stays the same. */
  isValue: boolean
  isCapital: boolean
}

/** Parses a text, with a cache: each save compares a mem with hundreds of others. */
function readText(text: string): ReadText {
  const known = knownTexts.get(text)
  if (known !== undefined) return known
  if (knownTexts.size >= MAX_KNOWN) knownTexts.clear()
  const read = parseText(text)
  knownTexts.set(text, read)
  return read
}

const knownTexts = new Map<string, ReadText>()

function parseText(text: string): ReadText {
  const words: Word[] = []
  const all = text
    .slice(0, MAX_CHARS)
    .replace(/\bstart(?:ing)? (?=\w+ing\b)/gi, "")
    .replace(/don't forget/gi, "remember")
    .replace(PREFACE, "")
    .replace(REJECTED, "")
  const withoutReason = all.replace(REASON, "")
  const cut = hasValue(withoutReason) || !hasValue(all) ? withoutReason : all
  for (const [given] of cut.matchAll(WORD)) {
    const plain = given.replace(EDGES, "")
    const lower = plain.toLowerCase()
    if (plain === "" || OPENING_WORDS.has(lower)) continue
    const isValue = isValueWord(given, plain)
    words.push({
      text: lower,
      stem: isValue ? lower : (SAME_VERB.get(lower) ?? stem(lower)),
      isValue,
      isCapital: words.length > 0 && /^[A-Z]/.test(plain),
    })
  }
  const telling = words.filter(({ text, isValue }) => !isValue && !FILLERS.has(text))
  const subject = new Set(telling.map(({ stem }) => stem))
  if (subject.has("start") || subject.has("end")) subject.delete("includ")
  const values = words.filter(({ isValue }) => isValue).map(({ text }) => text)
  return {
    words,
    subject,
    values,
    isNegated: NEGATED.test(cut),
    isEventOrQuestion: TELLS_AN_EVENT.test(text) || text.trimEnd().endsWith("?"),
    rejected: [...text.matchAll(GIVES_WAY)].flatMap(([, word = ""]) => wordsOf(readText(word))),
    namedPart: namedPartOf(words, values),
    qualifiers: words.flatMap(({ text }) => (QUALIFIERS.has(text) ? [text] : [])).join(" "),
  }
}

function hasValue(text: string): boolean {
  return [...text.matchAll(WORD)].some(([given]) => isValueWord(given, given.replace(EDGES, "")))
}

function isValueWord(given: string, plain: string): boolean {
  return QUOTED.test(given) || VALUE.test(plain) || CASE.test(plain)
}

/** Removes a word's ending. The stemmer of recall would slow down the plugin's start. */
function stem(word: string): string {
  if (word.length < 4) return word
  return word.replace(/sses$/, "ss").replace(/(?:ing|ed|es|(?<!s)s|e)$/, "")
}

/** Compares texts that are equal except for one gap, which holds a value. */
function slotRelation(one: readonly Word[], other: readonly Word[]): Relation | undefined {
  const shortest = Math.min(one.length, other.length)
  let start = 0
  while (start < shortest && one[start]?.stem === other[start]?.stem) start++
  let end = 0
  while (end < shortest - start && one.at(-1 - end)?.stem === other.at(-1 - end)?.stem) end++
  const gaps = [one.slice(start, one.length - end), other.slice(start, other.length - end)]
  const before = one[start - 1]
  if (before === undefined) return undefined
  const [[name, ...more] = [], [otherName, ...otherMore] = []] = gaps
  const group = ALTERNATIVES.get(name?.text ?? "")
  const areSingle = more.length + otherMore.length === 0
  if (areSingle && group !== undefined && group === ALTERNATIVES.get(otherName?.text ?? "")) return "replaced"
  if (start + end < MIN_SHARED_WORDS) return undefined
  if (!gaps.every((words) => words.length > 0 && words.length <= MAX_GAP)) return undefined
  if (gaps.flat().some(({ text }) => NAMES_A_PLACE.test(text) || SCOPE_WORDS.has(text))) return undefined
  if (gaps.every(isAmount)) {
    // "fact 3" and "fact 4" are two facts; "5 minutes" and "port 4000" are values that can change.
    const isMeasured =
      AMOUNT_OF.has(before.text) ||
      UNIT.test(one[one.length - end]?.text ?? "") ||
      gaps.flat().some(({ text }) => UNIT.test(text))
    return start >= 2 && isMeasured && !NUMBERED.test(before.text) ? "replaced" : undefined
  }
  // Rules for two scopes do not replace each other: "… in tests" and "… in migrations" can both hold.
  if (SCOPE_WORDS.has(before.text)) return undefined
  if (gaps.every((words) => words.every(({ text }) => CASE.test(text)))) return "replaced"
  const isAttribute = IS.test(before.text) && ATTRIBUTE.test(one[start - 2]?.text ?? "")
  if (isAttribute) return "replaced"
  if (!gaps.every((words) => words.length === 1 && words.every(isName))) return undefined
  // The newer text's tool counts if both texts name the same purpose. Without one, a project may use both.
  if (/^us(e|es|ing)$/.test(before.text) && end > 0) return "replaced"
  return TAKES_A_NAME.has(before.text) ? "conflict" : undefined
}

/** True for "10 minutes", "5 MB" or "4000". */
function isAmount(words: readonly Word[]): boolean {
  return (
    words.every(({ text }) => /^\d/.test(text) || UNIT.test(text)) &&
    words.some(({ text }) => /^\d/.test(text))
  )
}

/** True for "Redis" or "pnpm": not an ordinary English word, so probably the name of a tool. */
function isName({ text, isValue, isCapital }: Word): boolean {
  return isValue || isCapital || !(isCommonWord(text) || text.endsWith("s"))
}

/** Compares naming conventions in free wording: the same part of the same kind of name, with another value. */
function namingRelation(one: ReadText, other: ReadText): Relation | undefined {
  if (one.values.length === 0 || other.values.length === 0) return undefined
  if ([...one.values, ...other.values].some((value) => NAMES_A_PLACE.test(value))) return undefined
  if (one.namedPart === undefined || one.namedPart !== other.namedPart) return undefined
  if (one.values.some((value) => other.values.includes(value))) return undefined
  if (one.qualifiers === other.qualifiers) return "replaced"
  // A convention for one language may be an exception to the general one.
  return one.qualifiers === "" || other.qualifiers === "" ? "conflict" : undefined
}

function namedPartOf(words: readonly Word[], values: readonly string[]): string | undefined {
  const stems = new Set(words.map(({ stem }) => stem))
  const isCase = values.some((value) => CASE.test(value))
  const part = ["end", "start"].find((each) => stems.has(each)) ?? (isCase ? "case" : undefined)
  const named = NAMED.find((each) => stems.has(each))
  return part === undefined || named === undefined ? undefined : `${part} ${named}`
}

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/))

function hasSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((each) => other.has(each))
}

const VAGUE =
  /\b(?:this|that|these|those|it|them|one)\b(?! (?:repo|repository|project|codebase|team|company)\b)/i
const REASON =
  /[.,;]? (?:to (?:indicate|show|distinguish|differentiate|maintain)|so that|because|since|as (?:it|this|that|we|they)|which|it helps|this (?:is|will|helps|makes)|that way|even if|followed by|such as|as in|like in|like so|regardless|for (?:consistency|clarity|readability|better)|in order to)\b.*$/is
const WORD = /["'`“‘][^\s"'`”’]+(?: [^\s"'`”’]+){0,2}["'`”’]|[\p{L}\p{N}_@#$%&./+-]+(?:['’]\p{L}+)?/gu
const QUOTED = /^["'`“‘]/
const EDGES = /^["'`“‘(.]+|["'`”’),.;:!?]+$/g
/** Written like code (snake_case, camelCase, ALL CAPS, with digits), or a decorator. */
const VALUE = /\d|_|^[a-z]+[A-Z]|^[A-Z][a-z]+[A-Z]|^[A-Z]{4,}$|^@/
const NEGATED =
  /\b(?:never|don't|do not|no longer|stop|avoid|not|no more|without|won't|shouldn't|needn't|isn't|aren't)\b|n't\b/i
/** A file, a folder or an environment: it says where something holds, not what. */
const NAMES_A_PLACE =
  /[/\\]|\.(?:[cm]?[jt]sx?|py|go|rs|md|json|ya?ml|toml|rb|java|kt|cs|php|html|css|sql|sh)$|^(?:staging|production|prod|dev|development|test|testing|local|ci|preview|qa)$/i
const SCOPE_WORDS = wordSet("in for on at under inside within of from when during where if and or")
const PREFACE = /\b(?:from now on(?:wards)?|going forward|moving forward|in (?:the )?future|henceforth),?/gi
/** The value that no longer holds: "instead of Redis" in "use Valkey instead of Redis". */
const REJECTED = /,? (?:instead of|rather than|and not|not|in place of|and no longer) \S+(?= |[.,;!]|$)/gi
const GIVES_WAY = /\b(?:instead of|rather than|in place of|and no longer) (\S+)/gi
const IS = /^(?:is|are|be|=|:)$/
/** Attributes that have a single value at a time. */
const ATTRIBUTE =
  /^(?:default|limit|maximum|minimum|timeout|port|name|version|branch|database|url|host|owner|licen[cs]e|language|length|size|window|interval|format|region|currency|encoding|style|messages?)$/
/** Groups of alternatives: a project uses one tool of a group for one purpose. */
const ALTERNATIVES = new Map(
  `npm yarn pnpm bun|jest vitest mocha ava jasmine|prettier biome dprint|eslint oxlint|redis valkey memcached dragonfly
  postgres postgresql mysql mariadb sqlite mongodb cockroachdb|webpack vite rollup esbuild rolldown parcel turbopack
  pip poetry uv pipenv conda|black ruff yapf|maven gradle|master main|tabs spaces|rest graphql grpc|docker podman
  github gitlab bitbucket|single double|slack discord teams zoom skype|fly render vercel netlify heroku|react vue svelte angular solid
  axios fetch ky|moment dayjs luxon date-fns|playwright cypress puppeteer selenium|british american
  english german french spanish portuguese italian dutch polish russian chinese japanese korean`
    .split(/[|\n]/)
    .flatMap((line, group) => Array.from(wordSet(line.trim()), (name) => [name, group] as const)),
)
const TAKES_A_NAME = wordSet("use uses using with by via to prefer")
/** After one of these words, a number is a name ("issue 3"), not an amount. */
const NUMBERED =
  /^(?:issue|pr|ticket|line|lines|version|step|phase|task|chapter|page|no|commit|plan|tier|level|layer|worker|client|customer|user|team|group|node|server|shard|replica|slot|stage|sprint|milestone|error|status|code|http|case|option|rule|test|item|row|column|table|room|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december)$/
const UNIT =
  /^(?:ms|s|sec|secs|seconds?|min|mins|minutes?|h|hours?|days?|weeks?|months?|years?|kb|mb|gb|tb|%|percent|px|times|chars|characters|spaces|lines|columns|tokens|retries|attempts)$/
/** After one of these words, a bare number is an amount or an address. */
const AMOUNT_OF = wordSet("port is = : to every after at than exceed exceeds limit timeout lives")
const CASE = /^(?:\w+[_-]?case|lowercase|tabs|spaces|pascal|camel|snake|kebab)$/i
/** Verbs with the same meaning in a naming convention; each group is counted as its first verb. */
const SAME_VERB = new Map(
  "start begin begins beginning prefix prefixed prefixes|end suffix suffixed append|includ contain contains containing|name naming"
    .split("|")
    .map((line) => line.split(" "))
    .flatMap(([verb = "", ...others]) => others.map((other) => [other, verb] as const)),
)
const OPENING_WORDS = wordSet(
  "we i you please also additionally furthermore moreover now just remember always actually firstly secondly lastly again so and but",
)
/** Words around an instruction that do not change what it is about. */
const FILLERS = wordSet(
  `a an the or that this these those it its i i'd i'm i've we we'd we're you you'd you're you've your our my all any every each
  from on going forward onwards moving henceforth future would like want need needs prefer should must shall will can could have has
  make makes making sure ensure ensuring keep mind note do does doing when whenever if for then there let's let me us ask asking
  expect to be is are was been of with by at as in into more thing things one another specific specifically regarding speaking
  instead previously previous earlier before rather than never not don't no longer stop avoid without
  code coding codebase project projects work working working's convention conventions standard standards practice practices rule rules
  guideline guidelines style preference preferences important importance essential crucial consistent consistently consistency
  clarity readability maintain maintaining organized clear follow following follows adhere stick continue focus adopt adopting habit get getting
  use using used uses utilize utilizing implement implementing incorporate incorporating apply applying add adding put
  letter letters string character characters prefix suffix team
  update updated change changed changing switch reverse really quite very much only new both them they their time times what which
  writing write written create creating define defining defined comes come even where developing`,
)
/** Words that report an event. A report stays true, so no later text replaces it. */
const TELLS_AN_EVENT =
  /\b(?:fixed|failed|broke|crashed|found|tried|happened|added|removed|merged|released|yesterday)\b/i
/** Things that have names, the most specific first: a function argument is not a function. */
const NAMED =
  "argument parameter attribute property field method constructor function class interface type enum constant variable module component hook test file folder directory branch tag commit table column migration route endpoint event flag environment"
    .split(" ")
    .map(stem)
/** Words that limit a convention to a language or a sort of thing: private methods are not all methods. */
const QUALIFIERS = wordSet(
  "python javascript typescript go rust java kotlin ruby php c# swift sql css bash private public protected static abstract async local global integration unit e2e boolean instance",
)
const MIN_SHARED_WORDS = 2
const SHORT_WORDS = 4
const MAX_GAP = 3
const MAX_CHARS = 600
const MAX_KNOWN = 2000
