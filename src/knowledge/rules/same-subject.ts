import { isCommonWord } from "../../shared/text/tokens.ts"

/**
 * How a new text stands to an older one. `same`: it says the same. `replaced`: it says another value of the same subject,
 * or the opposite. `conflict`: it probably does. Undefined: they are about two things.
 */
export type Relation = "same" | "replaced" | "conflict"

/** "end names with '_b'" is replaced by "end names with '_x'"; "use npm in web/" is not by "use npm in api/". */
export function relationOf(newer: string, older: string): Relation | undefined {
  if ([newer, older].some((text) => TELLS_AN_EVENT.test(text) || text.trimEnd().endsWith("?")))
    return undefined
  return isRejected(newer, older) ? "replaced" : compareTexts(readText(newer), readText(older))
}

/** "Auth uses cookies instead of JWT" replaces "Auth uses JWT": it names the old value, and all else that stood there. */
function isRejected(newer: string, older: string): boolean {
  const rejected = [...newer.matchAll(GIVES_WAY)].flatMap(([, word = ""]) => wordsOf(word))
  if (rejected.length === 0 || readText(older).isNegated) return false
  const [now, before] = [wordsOf(newer), wordsOf(older)]
  const rest = before.filter((word) => !rejected.includes(word))
  const isWhole = rest.length > 0 && rest.length < before.length && rest.every((word) => now.includes(word))
  return isWhole && placesIn(newer) <= placesIn(older)
}

function placesIn(text: string): number {
  return readText(text).words.filter((word) => SCOPE_WORDS.has(word.text)).length
}

function wordsOf(text: string): string[] {
  const { subject, values } = readText(text)
  return [...subject, ...values]
}

/** False of "apply this from now on", which says nothing without the sentence before it. */
export function isTelling(text: string): boolean {
  const { subject, values } = readText(text)
  return values.length > 0 || subject.size >= 3 || (subject.size > 0 && !VAGUE.test(text))
}

/** True where an ending names a rule: all that it says is in the rule, and it says enough to know which one. */
export function isAboutSame(ending: string, rule: string): boolean {
  const words = wordsOf(ending)
  const known = new Set(wordsOf(rule))
  return words.length > 0 && words.every((word) => known.has(word)) && words.length >= known.size / 2
}

/** Stems of the words that say what a text is about. */
export function subjectWords(text: string): ReadonlySet<string> {
  return readText(text).subject
}

function compareTexts(one: ReadText, other: ReadText): Relation | undefined {
  const hasSameWords =
    hasSame(one.subject, other.subject) && hasSame(new Set(one.values), new Set(other.values))
  // "use tabs" and "don't use tabs" share one word, and are short enough to be about nothing else.
  const isShort = one.words.length <= SHORT_WORDS && other.words.length <= SHORT_WORDS
  const told = one.subject.size + one.values.length
  const isTelling = told >= 2 || (told === 1 && isShort) || textOf(one) === textOf(other)
  if (hasSameWords && isTelling) return one.isNegated === other.isNegated ? "same" : "replaced"
  if (one.isNegated !== other.isNegated) return undefined
  return namingRelation(one, other) ?? slotRelation(one.words, other.words) ?? alternativeRelation(one, other)
}

/** "use tabs" and "use spaces for indentation": two alternatives, and all else that the shorter text says is in the longer. */
function alternativeRelation(one: ReadText, other: ReadText): Relation | undefined {
  const [named, otherNamed] = [one, other].map(({ words }) =>
    words.filter(({ text }) => ALTERNATIVES.has(text)),
  )
  const [name, otherName] = [named?.[0]?.text ?? "", otherNamed?.[0]?.text ?? ""]
  if (named?.length !== 1 || otherNamed?.length !== 1 || name === otherName) return undefined
  if (ALTERNATIVES.get(name) !== ALTERNATIVES.get(otherName)) return undefined
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

function textOf({ words }: ReadText): string {
  return words.map(({ stem }) => stem).join(" ")
}

interface ReadText {
  words: readonly Word[]
  /** Stems of the words that say what it is about: no values, no fillers. */
  subject: ReadonlySet<string>
  values: readonly string[]
  isNegated: boolean
}

interface Word {
  text: string
  stem: string
  /** Quoted, written like code, or a number: what can be exchanged without changing the subject. */
  isValue: boolean
  isCapital: boolean
}

/** A saved mem is compared with up to 500 others, at every save: what was read is kept. */
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
  return {
    words,
    subject,
    values: words.filter(({ isValue }) => isValue).map(({ text }) => text),
    isNegated: NEGATED.test(cut),
  }
}

function hasValue(text: string): boolean {
  return [...text.matchAll(WORD)].some(([given]) => isValueWord(given, given.replace(EDGES, "")))
}

function isValueWord(given: string, plain: string): boolean {
  return QUOTED.test(given) || VALUE.test(plain) || CASE.test(plain)
}

/** A word without its ending. The stemmer of recall is not loaded at the plugin's start. */
function stem(word: string): string {
  if (word.length < 4) return word
  return word.replace(/sses$/, "ss").replace(/(?:ing|ed|es|(?<!s)s|e)$/, "")
}

/** The same words in the same order, but for one gap that holds a value. */
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
  if (
    group !== undefined &&
    more.length + otherMore.length === 0 &&
    group === ALTERNATIVES.get(otherName?.text ?? "")
  )
    return "replaced"
  if (start + end < MIN_SHARED_WORDS) return undefined
  if (!gaps.every((words) => words.length > 0 && words.length <= MAX_GAP)) return undefined
  if (gaps.flat().some(({ text }) => NAMES_A_PLACE.test(text) || SCOPE_WORDS.has(text))) return undefined
  if (gaps.every(isAmount)) {
    // "fact 3" and "fact 4" are two; "5 minutes" and "port 4000" are how much or where.
    const isMeasured =
      AMOUNT_OF.has(before.text) ||
      UNIT.test(one[one.length - end]?.text ?? "") ||
      gaps.flat().some(({ text }) => UNIT.test(text))
    return start >= 2 && isMeasured && !NUMBERED.test(before.text) ? "replaced" : undefined
  }
  // Where something holds is not what holds: "… in tests", "… in migrations".
  if (SCOPE_WORDS.has(before.text)) return undefined
  if (gaps.every((words) => words.every(({ text }) => CASE.test(text)))) return "replaced"
  const isAttribute = IS.test(before.text) && ATTRIBUTE.test(one[start - 2]?.text ?? "")
  if (isAttribute) return "replaced"
  if (!gaps.every((words) => words.length === 1 && words.every(isName))) return undefined
  // Of two tools for one purpose the later one counts. Without a purpose, a project may well use both.
  return /^us(e|es|ing)$/.test(before.text) && end > 0
    ? "replaced"
    : TAKES_A_NAME.has(before.text)
      ? "conflict"
      : undefined
}

/** "10 minutes", "5 MB", "4000" */
function isAmount(words: readonly Word[]): boolean {
  return (
    words.every(({ text }) => /^\d/.test(text) || UNIT.test(text)) &&
    words.some(({ text }) => /^\d/.test(text))
  )
}

/** "Redis", "pnpm": no ordinary English word, so the name of a tool. */
function isName({ text, isValue, isCapital }: Word): boolean {
  return isValue || isCapital || !(isCommonWord(text) || text.endsWith("s"))
}

/** Conventions about names, in free wording: the same part of the same kind of name, with another value. */
function namingRelation(one: ReadText, other: ReadText): Relation | undefined {
  const values = [...one.values, ...other.values]
  if (
    one.values.length === 0 ||
    other.values.length === 0 ||
    values.some((value) => NAMES_A_PLACE.test(value))
  )
    return undefined
  const [first, second] = [namedPart(one), namedPart(other)]
  if (first === undefined || first !== second) return undefined
  if (one.values.some((value) => other.values.includes(value))) return undefined
  const [qualifier, before] = [qualifiersOf(one), qualifiersOf(other)]
  if (qualifier === before) return "replaced"
  // One language may be an exception to what holds for all.
  return qualifier === "" || before === "" ? "conflict" : undefined
}

function qualifiersOf({ words }: ReadText): string {
  return words.flatMap(({ text }) => (QUALIFIERS.has(text) ? [text] : [])).join(" ")
}

/** What a convention about names is about: "the end of function argument names", as "end argument". */
function namedPart({ words, values }: ReadText): string | undefined {
  const stems = new Set(words.map(({ stem }) => stem))
  const part = stems.has("end")
    ? "end"
    : stems.has("start")
      ? "start"
      : values.some((value) => CASE.test(value))
        ? "case"
        : undefined
  const named = NAMED.find((each) => stems.has(each))
  if (part === undefined || named === undefined) return undefined
  return `${part} ${named}`
}

function hasSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((each) => other.has(each))
}

const VAGUE =
  /\b(?:this|that|these|those|it|them|one)\b(?! (?:repo|repository|project|codebase|team|company)\b)/i
/** Why it is wanted, after what is wanted. */
const REASON =
  /[.,;]? (?:to (?:indicate|show|distinguish|differentiate|maintain)|so that|because|since|as (?:it|this|that|we|they)|which|it helps|this (?:is|will|helps|makes)|that way|even if|followed by|such as|as in|like in|like so|regardless|for (?:consistency|clarity|readability|better)|in order to)\b.*$/is
/** A word, or a quotation of up to three. */
const WORD = /["'`“‘][^\s"'`”’]+(?: [^\s"'`”’]+){0,2}["'`”’]|[\p{L}\p{N}_@#$%&./+-]+(?:['’]\p{L}+)?/gu
const QUOTED = /^["'`“‘]/
const EDGES = /^["'`“‘(.]+|["'`”’),.;:!?]+$/g
/** Written like code (snake_case, camelCase, ALL CAPS, with digits), or a decorator. */
const VALUE = /\d|_|^[a-z]+[A-Z]|^[A-Z][a-z]+[A-Z]|^[A-Z]{4,}$|^@/
const NEGATED =
  /\b(?:never|don't|do not|no longer|stop|avoid|not|no more|without|won't|shouldn't|needn't|isn't|aren't)\b|n't\b/i
/** A file, a folder or an environment is where something holds, not what holds. */
const NAMES_A_PLACE =
  /[/\\]|\.(?:[cm]?[jt]sx?|py|go|rs|md|json|ya?ml|toml|rb|java|kt|cs|php|html|css|sql|sh)$|^(?:staging|production|prod|dev|development|test|testing|local|ci|preview|qa)$/i
const SCOPE_WORDS = new Set("in for on at under inside within of from when during where if and or".split(" "))
const PREFACE = /\b(?:from now on(?:wards)?|going forward|moving forward|in (?:the )?future|henceforth),?/gi
/** "Valkey instead of Redis" names the value that no longer holds. */
const REJECTED = /,? (?:instead of|rather than|and not|not|in place of|and no longer) \S+(?= |[.,;!]|$)/gi
const GIVES_WAY = /\b(?:instead of|rather than|in place of|and no longer) (\S+)/gi
const IS = /^(?:is|are|be|=|:)$/
/** Of these, a thing has one. */
const ATTRIBUTE =
  /^(?:default|limit|maximum|minimum|timeout|port|name|version|branch|database|url|host|owner|licen[cs]e|language|length|size|window|interval|format|region|currency|encoding|style|messages?)$/
/** Of each line, a project has one for one purpose. */
const ALTERNATIVES = new Map(
  `npm yarn pnpm bun|jest vitest mocha ava jasmine|prettier biome dprint|eslint oxlint|redis valkey memcached dragonfly
  postgres postgresql mysql mariadb sqlite mongodb cockroachdb|webpack vite rollup esbuild rolldown parcel turbopack
  pip poetry uv pipenv conda|black ruff yapf|maven gradle|master main|tabs spaces|rest graphql grpc|docker podman
  github gitlab bitbucket|single double|slack discord teams zoom skype|fly render vercel netlify heroku|react vue svelte angular solid
  axios fetch ky|moment dayjs luxon date-fns|playwright cypress puppeteer selenium|british american
  english german french spanish portuguese italian dutch polish russian chinese japanese korean`
    .split(/[|\n]/)
    .flatMap((line, group) =>
      line
        .trim()
        .split(" ")
        .map((name) => [name, group] as const),
    ),
)
const TAKES_A_NAME = new Set("use uses using with by via to prefer".split(" "))
/** The number after one of these says which, not how much. */
const NUMBERED =
  /^(?:issue|pr|ticket|line|lines|version|step|phase|task|chapter|page|no|commit|plan|tier|level|layer|worker|client|customer|user|team|group|node|server|shard|replica|slot|stage|sprint|milestone|error|status|code|http|case|option|rule|test|item|row|column|table|room|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december)$/
const UNIT =
  /^(?:ms|s|sec|secs|seconds?|min|mins|minutes?|h|hours?|days?|weeks?|months?|years?|kb|mb|gb|tb|%|percent|px|times|chars|characters|spaces|lines|columns|tokens|retries|attempts)$/
/** A bare number after one of these is an amount or an address. */
const AMOUNT_OF = new Set("port is = : to every after at than exceed exceeds limit timeout lives".split(" "))
const CASE = /^(?:\w+[_-]?case|lowercase|tabs|spaces|pascal|camel|snake|kebab)$/i
/** Verbs that say the same of a name. */
const SAME_VERB = new Map(
  Object.entries({
    begin: "start",
    begins: "start",
    beginning: "start",
    prefix: "start",
    prefixed: "start",
    prefixes: "start",
    suffix: "end",
    suffixed: "end",
    append: "end",
    contain: "includ",
    contains: "includ",
    containing: "includ",
    naming: "name",
  }),
)
/** Said before an instruction, never part of it. */
const OPENING_WORDS = new Set(
  "we i you please also additionally furthermore moreover now just remember always actually firstly secondly lastly again so and but".split(
    " ",
  ),
)
/** Words around an instruction that do not change what it is about. */
const FILLERS = new Set(
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
  writing write written create creating define defining defined comes come even where developing`.split(
    /\s+/,
  ),
)
/** What happened stays true, whatever happens later. */
const TELLS_AN_EVENT =
  /\b(?:fixed|failed|broke|crashed|found|tried|happened|added|removed|merged|released|yesterday)\b/i
/** What has a name, the more special first: a function argument is no function. */
const NAMED =
  "argument parameter attribute property field method constructor function class interface type enum constant variable module component hook test file folder directory branch tag commit table column migration route endpoint event flag environment"
    .split(" ")
    .map(stem)
/** A language, or what sort of a thing is meant: private methods are not all methods. */
const QUALIFIERS = new Set(
  "python javascript typescript go rust java kotlin ruby php c# swift sql css bash private public protected static abstract async local global integration unit e2e boolean instance".split(
    " ",
  ),
)
const MIN_SHARED_WORDS = 2
const SHORT_WORDS = 4
const MAX_GAP = 3
const MAX_CHARS = 600
const MAX_KNOWN = 2000
