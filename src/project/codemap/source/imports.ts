import type { ImportKind, ImportRecord } from "../../../schemas/codemap.ts"
import type { Parsed } from "./syntax.ts"
import { inTemplates } from "./templates.ts"

/** What a file takes in. Modules are the parser's word; `require` and the types of `import("…")` are read in the code. */
export function importsIn(
  parsed: Parsed,
  code: string,
  path: string,
  lineAt: (at: number) => number,
): ImportRecord[] {
  const { module } = parsed
  const found: (Omit<ImportRecord, "line"> & { start: number })[] = []
  const add = (start: number, spec: string, kind: ImportKind) => found.push({ start, spec, kind })
  for (const { start, moduleRequest, entries } of module.staticImports)
    add(
      start,
      moduleRequest.value,
      isTypes(entries) || (entries.length === 0 && isTypeStatement(code, start)) ? "type" : "import",
    )
  for (const { start, entries } of module.staticExports) {
    const from = entries.find(({ moduleRequest }) => moduleRequest !== null)?.moduleRequest
    if (from != null) add(start, from.value, isTypes(entries) ? "type" : "reexport")
  }
  const dynamic = new Set<number>()
  for (const { start, moduleRequest } of module.dynamicImports) {
    dynamic.add(start)
    const [, spec] = LITERAL.exec(code.slice(moduleRequest.start, moduleRequest.end)) ?? []
    if (spec !== undefined) add(start, spec, "dynamic")
  }
  const isText = inTemplates(code, parsed)
  for (const { index, spec } of calls(code, "require", REQUIRE))
    if (!isText(index)) add(index, spec, "require")
  // Elsewhere than in TypeScript it is no type, and what runs is the parser's word.
  for (const { index, spec } of /\.[cm]?tsx?$/i.test(path) ? calls(code, "import", IMPORT_TYPE) : [])
    if (!dynamic.has(index) && !isText(index)) add(index, spec, "type")
  return found
    .sort((a, b) => a.start - b.start)
    .map(({ start, spec, kind }) => ({ line: lineAt(start), spec, kind }))
}

/** Searched by the word alone first: a pattern that looks back is tried at every sign of the code. */
function* calls(code: string, word: string, pattern: RegExp): Generator<{ index: number; spec: string }> {
  for (let at = code.indexOf(word); at >= 0; at = code.indexOf(word, at + word.length)) {
    const next = code.charCodeAt(at + word.length)
    if (next !== ROUND && next > BLANK) continue
    pattern.lastIndex = at
    const [, spec] = pattern.exec(code) ?? []
    if (spec !== undefined && !isQuoted(code, at)) yield { index: at, spec }
  }
}

/** One without names is there for what it does. */
function isTypes(entries: readonly { isType: boolean }[]): boolean {
  return entries.length > 0 && entries.every(({ isType }) => isType)
}

/** `import type {} from` has no names to tell. */
function isTypeStatement(code: string, start: number): boolean {
  return /^import\s+type\s*\{\s*\}/.test(code.slice(start, start + 40))
}

/** Within a string of its line: an example that a message gives. */
function isQuoted(code: string, index: number): boolean {
  let quote = ""
  for (let at = Math.max(code.lastIndexOf("\n", index) + 1, index - LOOK_BACK); at < index; at++) {
    const char = code[at] ?? ""
    if (char === "\\") at++
    else if (quote === "" && /["'`]/.test(char)) quote = char
    else if (char === quote) quote = ""
  }
  return quote !== ""
}

const LOOK_BACK = 500
const LITERAL = /^["'`]([^"'`$\\]+)["'`]$/
const [ROUND, BLANK] = [40, 32]
const REQUIRE = /(?<![\w$.])require\s*\(\s*["'`]([^"'`$\\\n]+)["'`]\s*[,)]/y
const IMPORT_TYPE = /(?<![\w$.])import\s*\(\s*["']([^"'$\\\n]+)["']\s*[,)]/y
