import { type Parser, parseOptions } from "./parser.ts"
import type { Facts } from "./source/facts.ts"
import { isScript, type Language } from "./source/languages.ts"
import { isTooNested } from "./source/nesting.ts"
import { readPlain } from "./source/read-plain.ts"
import { readScript } from "./source/read-script.ts"

/** What the text of a file tells. A thread of the parser's reads it: only what it found is looked at here. */
export async function readSource(
  path: string,
  text: string,
  language: Language,
  parser: Parser | undefined,
): Promise<Facts> {
  if (!isScript(path)) return readPlain(text, language)
  if (parser === undefined) return { ...readPlain(text, language), unparsed: true }
  if (isTooNested(text)) return readPlain(text, language, "nested too deep to be parsed: comments only")
  try {
    const parsed = await parser.parse(path, text, parseOptions(path))
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

const MAX_MESSAGE = 120
