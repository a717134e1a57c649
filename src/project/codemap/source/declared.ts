import type { SymbolRecord } from "../../../schemas/codemap.ts"
import { afterBracket } from "./brackets.ts"
import type { Head, HeadAt } from "./head.ts"
import type { Parsed } from "./syntax.ts"

/** What a file declares at its top, and the methods of its classes, as `Class.method`. */
export function declaredIn(code: string, headAt: HeadAt, lineAt: (at: number) => number): SymbolRecord[] {
  const found: SymbolRecord[] = []
  STATEMENT.lastIndex = 0
  for (let match = STATEMENT.exec(code); match !== null; match = STATEMENT.exec(code)) {
    const { index } = match
    const head = headAt(index)
    if (head === undefined) continue
    found.push(toSymbol(head, lineAt(index)))
    if (head.kind === "class") found.push(...methodsIn(code, index, head.name, headAt, lineAt))
    if (found.length >= MAX_SYMBOLS) break
  }
  return found
}

/** `export default function name`, wherever in its line: to others it is `default`, in the file it has its name. */
export function defaultIn(
  { module }: Parsed,
  code: string,
  headAt: HeadAt,
  lineAt: (at: number) => number,
): SymbolRecord[] {
  const found = module.staticExports.find(
    ({ start, entries }) =>
      entries.some(({ exportName }) => exportName.kind === "Default") &&
      /^export\s+default\b/.test(code.slice(start, start + 40)),
  )
  const head = found === undefined ? undefined : headAt(found.start)
  if (found === undefined || head === undefined || head.name === "default") return []
  return head.kind === "function" || head.kind === "class" ? [toSymbol(head, lineAt(found.start))] : []
}

export function toSymbol({ name, kind, signature }: Head, line: number): SymbolRecord {
  return { line, name, kind, signature }
}

function methodsIn(
  code: string,
  start: number,
  owner: string,
  headAt: HeadAt,
  lineAt: (at: number) => number,
): SymbolRecord[] {
  const open = code.indexOf("{", start)
  if (open < 0) return []
  const end = afterBracket(code, open)
  const indent = /\n([ \t]+)\S/.exec(code.slice(open, end))?.[1]
  if (indent === undefined) return []
  const lines = code.slice(open, end).matchAll(new RegExp(`\\n${indent}(?=[\\w@#*$])`, "g"))
  return [...lines].flatMap(({ index, 0: before }) => {
    const at = open + index + before.length
    const head = headAt(at)
    if (head === undefined || head.name.startsWith("#") || head.kind !== "method") return []
    return [{ ...toSymbol(head, lineAt(at)), name: `${owner}.${head.name}` }]
  })
}

// Where lines begin: nothing that stands within something else does so, where code is formatted.
const STATEMENT =
  /^(?:(?:export|default|declare|abstract|async)\s+)*(?:function|class|interface|enum|namespace|type|const|let|var)\b(?=[\s*])/gm
const MAX_SYMBOLS = 300
