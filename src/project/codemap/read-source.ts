import { type Parser, parseOptions } from "./parser.ts"
import type { Facts } from "./source/facts.ts"
import { isScript, type Language } from "./source/languages.ts"
import { isTooNested } from "./source/nesting.ts"
import { readPlain } from "./source/read-plain.ts"
import { readScript } from "./source/read-script.ts"
import type { Parsed } from "./source/syntax.ts"

/** What the text of a file tells. A thread of the parser's reads it: only what it found is looked at here. */
export async function readSource(
  path: string,
  text: string,
  language: Language,
  parser: Parser | undefined,
): Promise<Facts> {
  const isLong = text.length > LONG_CHARS
  if (isLong && isDense(text))
    return { note: "very many exports or comments, as a program writes them: not read" }
  if (isLong) await nextTurn()
  if (!isScript(path)) return readPlain(text, language)
  if (parser === undefined) return { ...readPlain(text, language), unparsed: true }
  if (isTooNested(text)) return readPlain(text, language, "nested too deep to be parsed: comments only")
  try {
    const parsed = await parser.parse(path, text, parseOptions(path))
    if (isLong) await settled(parsed)
    const facts = readScript(text, parsed)
    const [error] = parsed.errors
    if (error === undefined) return facts
    // The parser goes on after small mistakes, and gives up at great ones.
    const isEmpty = parsed.comments.length === 0 && facts.imports === undefined && facts.exports === undefined
    const note = `does not parse: ${error.message.slice(0, MAX_MESSAGE)}`
    return isEmpty ? readPlain(text, language, note) : { ...facts, note }
  } catch {
    return readPlain(text, language, "could not be parsed: comments only")
  }
}

/** What takes long for every single one: each becomes an object. */
function isDense(text: string): boolean {
  let count = 0
  for (const _ of text.matchAll(/\bexport\b|\/\/|\/\*|\n\s*#/g)) if (++count > MAX_MARKS) return true
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
