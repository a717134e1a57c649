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

/** Too long to be read in one go: the parser takes it on a thread, and its answer comes in pieces. */
export function isLong({ text }: Source): boolean {
  return text.length > LONG_CHARS
}

/** What the text of a file tells. Handing a short one to a thread and back takes longer than parsing it. */
export function readSource(given: Source): Facts {
  const source = asScript(given)
  const { path, text, parser } = source
  return withoutParsing(source) ?? tried(source, () => parser?.parseSync(path, text, parseOptions(path)))
}

export async function readLongSource(given: Source): Promise<Facts> {
  const source = asScript(given)
  const { path, text, parser } = source
  if (isDense(text)) return { note: "very many exports or comments, as a program writes them: not read" }
  await nextTurn()
  const plain = withoutParsing(source)
  if (plain !== undefined) return plain
  const parsed = await parser?.parse(path, text, parseOptions(path)).catch(() => undefined)
  if (parsed !== undefined) await settled(parsed)
  return tried(source, () => parsed)
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

function tried(source: Source, parse: () => Parsed | undefined): Facts {
  try {
    const parsed = parse()
    if (parsed !== undefined) return factsIn(source, parsed)
  } catch {} // The parser gave up, or what it gave back is not what it promised.
  return readPlain(source.text, source.language, "could not be parsed: comments only")
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
