import type { ImportKind, ImportRecord } from "../../../schemas/codemap.ts"
import type { Parsed } from "./syntax.ts"

/** What a file takes in. Modules are the parser's word; `require` and the types of `import("…")` are read in the code. */
export function importsIn({ module }: Parsed, code: string, lineAt: (at: number) => number): ImportRecord[] {
  const found: (Omit<ImportRecord, "line"> & { start: number })[] = []
  const add = (start: number, spec: string, kind: ImportKind) => found.push({ start, spec, kind })
  for (const { start, moduleRequest, entries } of module.staticImports)
    add(start, moduleRequest.value, isTypes(entries) || isTypeStatement(code, start) ? "type" : "import")
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
  for (const { index, 1: spec = "" } of code.matchAll(REQUIRE))
    if (!isQuoted(code, index)) add(index, spec, "require")
  for (const { index, 1: spec = "" } of code.matchAll(IMPORT_TYPE))
    if (!dynamic.has(index) && !isQuoted(code, index)) add(index, spec, "type")
  return found
    .sort((a, b) => a.start - b.start)
    .map(({ start, spec, kind }) => ({ line: lineAt(start), spec, kind }))
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
const REQUIRE = /(?<![\w$.])require\s*\(\s*["'`]([^"'`$\\\n]+)["'`]\s*[,)]/g
const IMPORT_TYPE = /(?<![\w$.])import\s*\(\s*["']([^"'$\\\n]+)["']\s*[,)]/g
