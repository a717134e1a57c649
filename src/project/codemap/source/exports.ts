import type { SymbolRecord } from "../../../schemas/codemap.ts"
import { toSymbol } from "./declared.ts"
import type { HeadAt } from "./head.ts"
import { oneLine } from "./lines.ts"
import type { Parsed, StaticExport } from "./syntax.ts"

/** What a file offers to others, with its signature in a line. `declared` has what it declares by name. */
export function exportsIn(
  { module }: Parsed,
  code: string,
  declared: ReadonlyMap<string, SymbolRecord>,
  headAt: HeadAt,
  lineAt: (at: number) => number,
): SymbolRecord[] {
  const found: SymbolRecord[] = []
  for (const statement of module.staticExports.slice(0, MAX_EXPORTS))
    for (const entry of statement.entries)
      found.push(exported(statement, entry, code, declared, headAt, lineAt(statement.start)))
  if (found.length > 0 || !code.includes("export")) return found
  return [...commonExports(code, declared, lineAt)]
}

function exported(
  { start, end }: StaticExport,
  { moduleRequest, exportName, localName }: StaticExport["entries"][number],
  code: string,
  declared: ReadonlyMap<string, SymbolRecord>,
  headAt: HeadAt,
  line: number,
): SymbolRecord {
  const name = exportName.name ?? (exportName.kind === "Default" ? "default" : "*")
  if (moduleRequest !== null)
    return { line, name, kind: "reexport", signature: `${name} from ${moduleRequest.value}` }
  const isList = /^export\s*(?:type\s*)?\{/.test(code.slice(start, start + 40))
  const known = declared.get(localName.name ?? "")
  if (isList) return known === undefined ? { line, name, kind: "reexport" } : { ...known, name }
  const head = headAt(start)
  // One statement may declare several; each has its own name, and the first one's head is not theirs.
  if (head !== undefined && (head.name === name || name === "default"))
    return { ...toSymbol(head, line), name }
  return known === undefined
    ? {
        line,
        name,
        kind: name === "default" ? "default" : "const",
        signature: oneLine(code.slice(start, Math.min(end, start + MAX_CHARS)), MAX_VALUE),
      }
    : { ...known, name, line }
}

/** `exports.a = …`, `module.exports = { a, b }`, `module.exports = a`, `export = a`. */
function* commonExports(
  code: string,
  declared: ReadonlyMap<string, SymbolRecord>,
  lineAt: (at: number) => number,
): Generator<SymbolRecord, void, void> {
  for (const { index, 1: one, 2: list, 3: whole } of code.matchAll(COMMON)) {
    const names =
      list === undefined
        ? [one ?? whole ?? ""]
        : [...list.matchAll(/(?:^|,)\s*([A-Za-z_$][\w$]*)/g)].map(([, name = ""]) => name)
    for (const name of names) {
      const known = declared.get(name)
      const shown = one === undefined && list === undefined ? "default" : name
      yield known === undefined
        ? { line: lineAt(index), name: shown, kind: "const" }
        : { ...known, name: shown }
    }
  }
}

const COMMON =
  /^(?:(?:module\.)?exports\.([A-Za-z_$][\w$]*)\s*=(?!=)|module\.exports\s*=\s*\{([^{}]*)\}|(?:module\.exports|export)\s*=\s*([A-Za-z_$][\w$]*))/gm
const MAX_CHARS = 400
const MAX_VALUE = 80
const MAX_EXPORTS = 400
