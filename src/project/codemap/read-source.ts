import type { Pausing } from "../../shared/slices.ts"
import { type Parser, parseOptions } from "./parser.ts"
import { isComponent, scriptsOf } from "./source/component.ts"
import { type Facts, withoutEmpty } from "./source/facts.ts"
import { isScript, type Language } from "./source/languages.ts"
import { lineCounter } from "./source/lines.ts"
import { isTooNested } from "./source/nesting.ts"
import { readPlain } from "./source/read-plain.ts"
import { readScript } from "./source/read-script.ts"
import type { Parsed } from "./source/syntax.ts"

/** The text of a file, and what can read it. */
export interface Source {
  path: string
  text: string
  language: Language
  parser: Parser | undefined
}

/** What is known of a file as soon as its text is there: all of it, or what the parser is at work on. */
export type Begun = { facts: Facts } | { source: Source; parsing: Promise<Parsed | undefined> }

/** Begins to read a file: the parser takes it on a thread, so that one is parsed while another is read. */
export function* beginSource(given: Source): Pausing<Begun> {
  const source = asScript(given)
  const { path, text, parser } = source
  if (isLong(text)) {
    yield
    if (isDense(text))
      return { facts: { note: "very many exports or comments, as a program writes them: not read" } }
    yield
  }
  const facts = withoutParsing(source)
  if (facts !== undefined || parser === undefined) return { facts: facts ?? {} }
  // One that cannot be parsed is read without.
  return { source, parsing: parser.parse(path, text, parseOptions(path)).catch(() => undefined) }
}

/** Waits for the parser. Then `factsOf` takes what it says. */
export async function parsedSource({
  source,
  parsing,
}: Extract<Begun, { source: Source }>): Promise<Parsed | undefined> {
  const parsed = await parsing
  if (parsed !== undefined && isLong(source.text)) await settled(parsed)
  return parsed
}

/** What the text of a parsed file tells. */
export function factsOf(source: Source, parsed: Parsed | undefined): Facts {
  try {
    if (parsed !== undefined) return factsIn(source, parsed)
  } catch {} // What the parser gave back is not what it promised.
  return readPlain(source.text, source.language, "could not be parsed: comments only")
}

/** Its parts are taken in turns of their own. */
function isLong(text: string): boolean {
  return text.length > LONG_CHARS
}

/** Of a component, what its scripts are. */
function asScript(source: Source): Source {
  if (!isComponent(source.path)) return source
  const { text, ending } = scriptsOf(source.text)
  return { ...source, path: `${source.path}.${ending}`, text }
}

/** Undefined where a parser can read it. */
function withoutParsing({ path, text, language, parser }: Source): Facts | undefined {
  if (!isScript(path)) return readPlain(text, language)
  if (parser === undefined) return { ...readPlain(text, language), unparsed: true }
  if (isTooNested(text)) return readPlain(text, language, "nested too deep to be parsed: comments only")
  return undefined
}

function factsIn({ path, text, language }: Source, parsed: Parsed): Facts {
  const facts = readScript(path, text, parsed)
  const [error] = parsed.errors
  if (error === undefined) return facts
  // The parser goes on after small mistakes, and gives up at great ones.
  const isEmpty = parsed.comments.length === 0 && facts.imports === undefined && facts.exports === undefined
  const note = `does not parse: ${error.message.slice(0, MAX_MESSAGE)}`
  return isEmpty
    ? readPlain(text, language, note)
    : { ...facts, ...withLater(facts, text, language, parsed), note }
}

/** Comments and todos behind the last one that the parser has read. What they claim is not judged: nothing else is known there. */
function withLater(facts: Facts, text: string, language: Language, { comments }: Parsed): Facts {
  const from = comments.at(-1)?.end ?? 0
  const above = lineCounter(text)(from) - 1
  const rest = readPlain(text.slice(from), language)
  const placed = <T extends { line: number }>(each: T): T => ({ ...each, line: each.line + above })
  return withoutEmpty({
    comments: [...(facts.comments ?? []), ...(rest.comments ?? []).map(placed)],
    todos: [...(facts.todos ?? []), ...(rest.todos ?? []).map(placed)],
  })
}

/** What takes long for every single one: each becomes an object. */
function isDense(text: string): boolean {
  let count = 0
  for (const _ of text.matchAll(/\bexport\b|\/\/[^\n]*|\/\*|\n\s*#/g)) if (++count > MAX_MARKS) return true
  return false
}

/** The parser hands its lists over when they are first asked for: not in one go with what is done with them. */
async function settled(parsed: Parsed): Promise<void> {
  for (const field of ["module", "comments"] as const) {
    await nextTurn()
    void parsed[field]
  }
  await nextTurn()
}

/** Whatever else waits comes first: what was done so far may have taken a whole slice. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

const LONG_CHARS = 100_000
const MAX_MARKS = 6000
const MAX_MESSAGE = 120
