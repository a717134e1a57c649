import type { Node, ParseResult, Program, Statement } from "oxc-parser"
import type { ImportKind, ImportRecord, MappedFile, SymbolRecord } from "../../schemas/codemap.ts"
import {
  commentRecords,
  joinLineComments,
  type LineAt,
  lineCounter,
  type RawComment,
  todoRecords,
} from "./comments.ts"
import { declarationsOf, type FunctionLike, methodsOf, nameOf, symbolsOf } from "./declarations.ts"
import { type Documented, docClaims } from "./doc-claims.ts"

export type FileFacts = Pick<
  MappedFile,
  "imports" | "exports" | "symbols" | "comments" | "todos" | "claims" | "note" | "unparsed"
>

export function readScript(text: string, parsed: ParseResult): FileFacts {
  const lineAt = lineCounter(text)
  const raw = parsed.comments.map(
    ({ type, value, start, end }): RawComment => ({
      ...{ start, end, text: value },
      isDoc: type === "Block" && value.startsWith("*"),
    }),
  )
  const code = blankComments(text, raw)
  const comments = joinLineComments(raw, text)
  const hasTree = text.length <= MAX_TREE_CHARS
  const tree = hasTree ? readTree(text, code, parsed.program, lineAt) : readModule(code, parsed, lineAt)
  const exports = tree.exports.slice(0, MAX_EXPORTS)
  const exported = new Set(exports.map(({ name }) => name))
  const describes = nextDeclaration(code, comments, tree.documented)
  return {
    imports: importsOf(parsed, code, tree.imports, lineAt),
    exports,
    symbols: tree.declared.filter(({ name }) => !exported.has(name)).slice(0, MAX_SYMBOLS),
    comments: commentRecords(comments, lineAt),
    todos: todoRecords(comments, text, lineAt),
    claims: docClaims(comments, { code, describes, parameterTexts: tree.parameterTexts, lineAt }),
    ...(!hasTree && { note: `larger than ${MAX_TREE_CHARS / 1000} kB: exports without signatures` }),
  }
}

interface Import {
  start: number
  spec: string
  kind: ImportKind
}

interface TreeFacts {
  declared: SymbolRecord[]
  exports: SymbolRecord[]
  /** `require("…")` and type imports by `import("…")`, which the parser's module record lacks. */
  imports: Import[]
  /** All declarations at any depth, by the offset where they start, including decorators and `export`. */
  documented: Map<number, Documented>
  parameterTexts: Map<string, string>
}

function readTree(text: string, code: string, program: Program, lineAt: LineAt): TreeFacts {
  const declared = program.body
    .filter(({ type }) => type !== "ExpressionStatement")
    .flatMap((each) => [...symbolsOf(each, code, lineAt), ...methodsOf(each, code, lineAt)])
  const byName = new Map(declared.map((each) => [each.name, each]))
  const named: Named = (name, local, line, kind) => {
    const known = byName.get(local ?? "")
    return known === undefined ? { line, name, kind } : { ...known, name }
  }
  const modules = program.body.flatMap((each) => moduleExports(each, code, named, lineAt))
  const exports =
    modules.length > 0 ? modules : program.body.flatMap((each) => commonExports(each, named, lineAt))
  const facts: TreeFacts = {
    ...{ declared, exports, imports: [], documented: new Map(), parameterTexts: new Map() },
  }
  // Visits every node once, without recursion, as expressions may be nested deeply.
  const open: Node[] = [program]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const value of Object.values(node)) {
      if (Array.isArray(value)) open.push(...value.filter(isNode))
      else if (isNode(value)) open.push(value)
    }
    const spec = requestIn(node)
    if (spec !== undefined) facts.imports.push({ start: node.start, ...spec })
    noteDeclaration(facts, node, text, code)
  }
  return facts
}

function noteDeclaration({ documented, parameterTexts }: TreeFacts, node: Node, text: string, code: string) {
  const [{ name, fn } = {}] = declarationsOf(node)
  if (name === undefined) return
  // A getter's doc comment may describe the parameters of the function that the getter returns.
  const isGetter = node.type === "MethodDefinition" && node.kind === "get"
  const parameters = () => (fn && !isGetter ? parametersOf(fn, code) : undefined)
  const inner = "declaration" in node && isNode(node.declaration) ? node.declaration : node
  const [decorator] = "decorators" in inner ? (inner.decorators ?? []) : []
  for (const start of [node.start, decorator?.start ?? node.start])
    if (!documented.has(start)) documented.set(start, { name, parameters })
  if (fn === undefined) return
  const end =
    "body" in fn && fn.body !== null ? fn.body.start : Math.min(node.end, node.start + MAX_PARAMETERS)
  parameterTexts.set(name, `${parameterTexts.get(name) ?? ""} ${text.slice(node.start, end)}`)
}

function parametersOf(fn: FunctionLike, code: string): ReturnType<Documented["parameters"]> {
  const names = new Set<string>()
  let unnamed = 0
  for (const each of fn.params) {
    const parameter = each.type === "TSParameterProperty" ? each.parameter : each
    const target = parameter.type === "AssignmentPattern" ? parameter.left : parameter
    // A doc comment may describe each value of a rest parameter, so any names are accepted.
    if (target.type === "RestElement") unnamed = MANY
    else if (target.type !== "Identifier") unnamed++
    if (target.type === "Identifier") names.add(target.name)
    else for (const name of code.slice(target.start, target.end).match(WORD) ?? []) names.add(name)
  }
  const body = "body" in fn ? fn.body : undefined
  const isStub = fn.params.length === 0 && body?.type === "BlockStatement" && body.body.length === 0
  return { names, unnamed, isStub }
}

type Named = (name: string, local: string | undefined, line: number, kind: string) => SymbolRecord

function moduleExports(statement: Statement, code: string, named: Named, lineAt: LineAt): SymbolRecord[] {
  const line = lineAt(statement.start)
  const reexport = (name: string, from: string): SymbolRecord => {
    return { line, name, kind: "reexport", signature: `${name} from ${from}` }
  }
  switch (statement.type) {
    case "ExportAllDeclaration":
      return [reexport(nameOf(statement.exported) ?? "*", statement.source.value)]
    case "ExportNamedDeclaration": {
      const { specifiers, source } = statement
      const listed = specifiers.map(({ exported, local }) => {
        const name = nameOf(exported) ?? "*"
        return source === null ? named(name, nameOf(local), line, "reexport") : reexport(name, source.value)
      })
      return [...listed, ...symbolsOf(statement, code, lineAt).map((each) => ({ ...each, line }))]
    }
    case "ExportDefaultDeclaration": {
      const [declared] = symbolsOf(statement, code, lineAt)
      if (declared !== undefined) return [{ ...declared, name: "default", line }]
      return [named("default", nameOf(statement.declaration), line, "default")]
    }
    case "TSExportAssignment":
      return [named("default", nameOf(statement.expression), line, "const")]
    default:
      return []
  }
}

/** Exports of a CommonJS module: `exports.a = …`, `module.exports = { a, b }`, `module.exports = a`. */
function commonExports(statement: Statement, named: Named, lineAt: LineAt): SymbolRecord[] {
  if (statement.type !== "ExpressionStatement" || statement.expression.type !== "AssignmentExpression")
    return []
  const { left, right } = statement.expression
  const line = lineAt(statement.start)
  const path = memberPath(left)
  const [, name] = /^(?:module\.)?exports\.([\w$]+)$/.exec(path) ?? []
  if (name !== undefined) return [named(name, nameOf(right), line, "const")]
  if (path !== "module.exports") return []
  if (right.type !== "ObjectExpression") return [named("default", nameOf(right), line, "const")]
  return right.properties.flatMap((property) => {
    const key = property.type === "Property" ? nameOf(property.key) : undefined
    if (key === undefined || property.type !== "Property") return []
    return [named(key, nameOf(property.value), line, "const")]
  })
}

function memberPath(node: Node): string {
  if (node.type !== "MemberExpression") return nameOf(node) ?? ""
  return `${memberPath(node.object)}.${nameOf(node.property) ?? ""}`
}

/** Reads only imports and exports of a large file, because making objects of its whole tree would block the event loop. */
function readModule(code: string, { module }: ParseResult, lineAt: LineAt): TreeFacts {
  const exports = module.staticExports.flatMap(({ start, entries }) =>
    entries.map(({ exportName, moduleRequest }) => ({
      line: lineAt(start),
      name: exportName.name ?? (exportName.kind === "Default" ? "default" : "*"),
      kind: moduleRequest === null ? "const" : "reexport",
    })),
  )
  const imports = [...code.matchAll(REQUIRE)].map(({ index, 1: spec = "" }) => {
    return { start: index, spec, kind: "require" as const }
  })
  return { declared: [], exports, imports, documented: new Map(), parameterTexts: new Map() }
}

function requestIn(node: Node): Omit<Import, "start"> | undefined {
  const isRequire =
    node.type === "CallExpression" && node.callee.type === "Identifier" && node.callee.name === "require"
  if (isRequire) return request(node.arguments[0], "require")
  if (node.type === "TSExternalModuleReference") return request(node.expression, "require")
  return node.type === "TSImportType" ? request(node.source, "type") : undefined
}

function request(node: Node | undefined, kind: ImportKind): Omit<Import, "start"> | undefined {
  if (node?.type === "Literal" && typeof node.value === "string") return { spec: node.value, kind }
  const isPlain = node?.type === "TemplateLiteral" && node.expressions.length === 0
  const spec = isPlain ? node.quasis[0]?.value.cooked : undefined
  return spec == null ? undefined : { spec, kind }
}

function importsOf({ module }: ParseResult, code: string, others: Import[], lineAt: LineAt): ImportRecord[] {
  const found = [...others]
  for (const { start, moduleRequest, entries } of module.staticImports) {
    // Both `import type {} from "a"` and `import "a"` have no entries, but only the second one runs code.
    const isType =
      entries.length === 0
        ? EMPTY_TYPE_IMPORT.test(code.slice(start, start + 40))
        : entries.every((each) => each.isType)
    found.push({ start, spec: moduleRequest.value, kind: isType ? "type" : "import" })
  }
  for (const { start, entries } of module.staticExports) {
    const spec = entries.find(({ moduleRequest }) => moduleRequest !== null)?.moduleRequest?.value
    const isType = entries.every((each) => each.isType)
    if (spec !== undefined) found.push({ start, spec, kind: isType ? "type" : "reexport" })
  }
  for (const { start, moduleRequest } of module.dynamicImports) {
    const [, spec] = /^["'`]([^"'`$\\]+)["'`]$/.exec(code.slice(moduleRequest.start, moduleRequest.end)) ?? []
    if (spec !== undefined) found.push({ start, spec, kind: "dynamic" })
  }
  found.sort((a, b) => a.start - b.start)
  return found.map(({ start, spec, kind }) => ({ line: lineAt(start), spec, kind }))
}

/** Returns a function that finds the declaration right after a doc comment, with no other doc comment between them. */
function nextDeclaration(code: string, comments: readonly RawComment[], documented: TreeFacts["documented"]) {
  const docStarts = comments.filter(({ isDoc }) => isDoc).map(({ start }) => start)
  return ({ end }: RawComment) => {
    const next = /\S/g
    next.lastIndex = end
    const at = next.exec(code)?.index ?? code.length
    return docStarts.some((start) => start >= end && start < at) ? undefined : documented.get(at)
  }
}

/** Replaces comments by spaces, so that every offset stays the same. */
function blankComments(text: string, comments: readonly { start: number; end: number }[]): string {
  let [code, at] = ["", 0]
  for (const { start, end } of comments) {
    code += text.slice(at, start) + text.slice(start, end).replace(/[^\n]/g, " ")
    at = end
  }
  return code + text.slice(at)
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value
}

const EMPTY_TYPE_IMPORT = /^import\s+type\s*\{\s*\}/
const REQUIRE = /(?<![\w$.])require\s*\(\s*["']([^"'\\\n]+)["']\s*\)/g
const WORD = /[A-Za-z_$][\w$]*/g
const MANY = 100
const MAX_EXPORTS = 400
const MAX_SYMBOLS = 300
const MAX_TREE_CHARS = 100_000
const MAX_PARAMETERS = 1200
