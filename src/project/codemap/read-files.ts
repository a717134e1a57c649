import { createHash } from "node:crypto"
import type { ParseResult } from "oxc-parser"
import type { MappedFile } from "../../schemas/codemap.ts"
import { type Pausing, runInSlices } from "../../shared/slices.ts"
import type { FileNote, ProjectFile } from "../files/list-files.ts"
import { readProjectFile } from "../files/read-file.ts"
import { commentRecords, findComments, joinLineComments, lineCounter, todoRecords } from "./comments.ts"
import { isComponent, isScript, type Language, languageOf } from "./languages.ts"
import { isTooNested, type Parser, parseOptions } from "./parser.ts"
import { type FileFacts, readScript } from "./read-script.ts"

export interface ReadInput {
  dir: string
  listed: readonly ProjectFile[]
  known: ReadonlyMap<string, MappedFile>
  parser: Parser | undefined
  onProgress?: ((done: number, total: number) => void) | undefined
}

/** Reads the changed files in slices. The parser's threads parse some files while others are read. */
export async function readFiles({ dir, listed, known, parser, onProgress }: ReadInput) {
  const files = new Map<string, MappedFile>()
  const notes: FileNote[] = []
  const changed: ProjectFile[] = []
  const started: Started[] = []
  await runInSlices(findChanged())
  for (let at = 0; at < changed.length || started.length > 0; ) {
    // Files go to the parser in batches, because each hand-over wakes a thread.
    if (started.length <= AHEAD / 2) at = await runInSlices(startMore(at))
    const first = started.shift()
    const parsed = await first?.parsing
    if (parsed !== undefined) await convert(parsed, first?.text.length ?? 0)
    if (first !== undefined) await runInSlices(finish(first, parsed))
  }
  onProgress?.(changed.length, changed.length)
  return { files, notes }

  function* findChanged(): Pausing<void> {
    for (const file of listed) {
      if (languageOf(file.path) === undefined) continue
      yield
      const last = known.get(file.path)
      if (last?.signature === file.signature && isComplete(last)) add(last)
      else changed.push(file)
    }
  }

  function* startMore(from: number): Pausing<number> {
    let at = from
    for (; at < changed.length && started.length < AHEAD; at++) {
      yield
      if (at % PROGRESS_EVERY === 0) onProgress?.(at, changed.length)
      const file = changed[at]
      const language = file && languageOf(file.path)
      if (file !== undefined && language !== undefined) start(file, language)
    }
    return at
  }

  function start(file: ProjectFile, language: Language): void {
    const found = readProjectFile(dir, file.path, MAX_BYTES)
    if (!("text" in found)) {
      notes.push({ path: file.path, why: found.why })
      return
    }
    const hash = createHash("sha1").update(found.text).digest("hex").slice(0, 16)
    const last = known.get(file.path)
    if (last?.hash === hash && isComplete(last)) {
      add({ ...last, signature: file.signature })
      return
    }
    const { path, text } = scriptOf(file.path, found.text)
    const unparsed = whyUnparsed(path, text, parser)
    const parsing =
      unparsed === null ? parser?.parse(path, text, parseOptions(path)).catch(() => undefined) : undefined
    started.push({ file, hash, language, text, unparsed, parsing })
  }

  function* finish(
    { file: { path, bytes, signature }, hash, language, text, unparsed }: Started,
    parsed: ParseResult | undefined,
  ): Pausing<void> {
    yield
    const facts =
      unparsed === null
        ? parsedFacts(text, language, parsed)
        : { ...(unparsed.note === TOO_MANY ? {} : plainFacts(text, language)), ...unparsed }
    add({ path, language: language.name, bytes, signature, hash, ...withoutEmpty(facts) })
  }

  function add(file: MappedFile): void {
    files.set(file.path, file)
    if (file.note !== undefined) notes.push({ path: file.path, why: file.note })
  }

  /** False for a file that was read without a parser, once there is a parser: the file is then read again. */
  function isComplete({ unparsed }: MappedFile): boolean {
    return !(unparsed && parser !== undefined)
  }
}

interface Started {
  file: ProjectFile
  hash: string
  language: Language
  text: string
  /** Why the file is not parsed; null if it is. */
  unparsed: Pick<MappedFile, "note" | "unparsed"> | null
  parsing: Promise<ParseResult | undefined> | undefined
}

function whyUnparsed(path: string, text: string, parser: Parser | undefined): Started["unparsed"] {
  if (text.length > LONG_CHARS && isDense(text)) return { note: TOO_MANY }
  if (!isScript(path)) return {}
  if (parser === undefined) return { unparsed: true }
  return isTooNested(text) ? { note: "nested too deeply to be parsed: only comments were read" } : null
}

function isDense(text: string): boolean {
  let count = 0
  for (const _ of text.matchAll(DENSE)) if (++count > MAX_DENSE) return true
  return false
}

function parsedFacts(text: string, language: Language, parsed: ParseResult | undefined): FileFacts {
  try {
    if (parsed === undefined) throw new Error("the parser failed")
    const facts = readScript(text, parsed)
    const [error] = parsed.errors
    if (error === undefined) return facts
    // After a serious syntax error the parser stops, so comments and todos are found without it.
    const note = `does not parse: ${error.message.slice(0, MAX_MESSAGE)}`
    return { ...facts, ...plainFacts(text, language), claims: [], note }
  } catch {
    // The parser failed, or its version returns a syntax tree of another form.
    return { ...plainFacts(text, language), note: "could not be parsed: only comments were read" }
  }
}

export function plainFacts(text: string, language: Language) {
  const lineAt = lineCounter(text)
  const comments = joinLineComments(findComments(text, language), text)
  return { comments: commentRecords(comments, lineAt), todos: todoRecords(comments, text, lineAt) }
}

/** Joins the scripts of a Vue or Svelte file. Spaces replace everything else, so that line numbers stay the same. */
function scriptOf(path: string, text: string): { path: string; text: string } {
  if (!isComponent(path)) return { path, text }
  let [code, at, extension] = ["", 0, "js"]
  for (const { index, 1: attributes = "", 2: script } of text.matchAll(SCRIPT)) {
    if (script === undefined) continue
    const start = index + "<script>".length + attributes.length
    code += blank(text.slice(at, start)) + script
    at = start + script.length
    extension = /\blang\s*=\s*["']?(jsx?|tsx?)\b/.exec(attributes)?.[1] ?? extension
  }
  return { path: `${path}.${extension}`, text: code + blank(text.slice(at)) }
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, " ")
}

/** Converts the parser's result to objects: reading a field does it. A long file gets an event-loop turn per field. */
async function convert(parsed: ParseResult, chars: number): Promise<void> {
  if (chars <= LONG_CHARS) return
  for (const field of ["module", "comments"] as const) {
    await new Promise((resolve) => setImmediate(resolve))
    void parsed[field]
  }
  await new Promise((resolve) => setImmediate(resolve))
}

function withoutEmpty(facts: FileFacts): FileFacts {
  const entries = Object.entries(facts)
  return Object.fromEntries(
    entries.filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value !== undefined)),
  )
}

const TOO_MANY = "not read: so many exports or comments that the file is probably generated"
// Counts exports and comments. Each becomes an object, so a file with too many of them would block the event loop.
const DENSE = /\bexport\b|\/\/[^\n]*|\/\*|\n\s*#/g
const MAX_DENSE = 6000
// An HTML comment, or a script, whose attributes may contain `>`: `generic="T extends Map<string, T>"`.
const SCRIPT = /<!--[\s\S]*?-->|<script\b((?:"[^"]*"|'[^']*'|[^>"'])*)>([\s\S]*?)<\/script\s*>/gi
const LONG_CHARS = 100_000
const MAX_MESSAGE = 120
const MAX_BYTES = 1 << 20
const PROGRESS_EVERY = 16
// The number of files waiting for the parser: enough to keep its threads busy, few enough to keep their texts in memory.
const AHEAD = 32
