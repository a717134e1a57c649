import type { ArrowFunctionExpression, Function as FunctionNode, Node, Statement } from "oxc-parser"
import type { SymbolRecord } from "../../schemas/codemap.ts"
import { type LineAt, oneLine } from "./comments.ts"

export interface Declaration {
  name: string | undefined
  kind: string
  /** The offsets of the signature: the declaration without a function's body. */
  start: number
  end: number
  fn?: FunctionLike | undefined
  /** The keyword `const` or `let`. In `const a = 1, b = 2` the source has it only before `a`. */
  prefix?: string
  members?: string[]
}

export type FunctionLike = Pick<FunctionNode, "params"> &
  (FunctionNode | ArrowFunctionExpression | Extract<Node, { type: "TSFunctionType" | "TSMethodSignature" }>)

/** Finds the declarations in a statement or class member: usually one, several in `const a = 1, b = 2`, often none. */
export function declarationsOf(node: Node): Declaration[] {
  const decorators = "decorators" in node ? (node.decorators ?? []) : []
  const start = Math.max(node.start, decorators.at(-1)?.end ?? 0)
  const one = (name: string | undefined, kind: string, end: number, more: Partial<Declaration> = {}) => [
    { name, kind, start, end, ...more },
  ]
  const field = (key: Node, end: number, value: Node | null) => [
    { ...valueDeclaration(nameOf(key), "field", end, value), start },
  ]
  switch (node.type) {
    case "ExportNamedDeclaration":
    case "ExportDefaultDeclaration": {
      const inner = node.declaration
      const found = inner === null ? [] : declarationsOf(inner)
      const isValue = node.type === "ExportDefaultDeclaration" && inner?.type !== "Identifier"
      return found.length === 0 && isValue ? one("default", "default", node.end) : found
    }
    case "FunctionDeclaration":
    case "TSDeclareFunction":
      return one(node.id?.name ?? "default", "function", node.body?.start ?? node.end, { fn: node })
    case "ClassDeclaration":
      return one(node.id?.name ?? "default", "class", node.body.start)
    case "TSInterfaceDeclaration":
      return one(node.id.name, "interface", node.body.start, { members: keysOf(node.body.body) })
    case "TSEnumDeclaration":
      return one(node.id.name, "enum", node.body.start, { members: keysOf(node.body.members) })
    case "TSModuleDeclaration":
      return one(nameOf(node.id), "namespace", node.body?.start ?? node.end)
    case "TSTypeAliasDeclaration":
      return one(node.id.name, "type", node.end, { fn: functionIn(node.typeAnnotation) })
    case "VariableDeclaration":
      return node.declarations.flatMap(({ id, init, start, end }) =>
        boundNames(id).map((name) => {
          const value = valueDeclaration(name, node.kind, id.typeAnnotation?.end ?? end, init)
          return { ...value, start, prefix: `${node.kind} ` }
        }),
      )
    case "MethodDefinition":
    case "TSAbstractMethodDefinition":
      return one(nameOf(node.key), "method", node.value.body?.start ?? node.end, { fn: node.value })
    case "TSMethodSignature":
      return one(nameOf(node.key), "method", node.end, { fn: node })
    case "TSPropertySignature":
      return one(nameOf(node.key), "field", node.end, { fn: functionIn(node.typeAnnotation?.typeAnnotation) })
    case "Property":
      return field(node.key, node.end, node.value)
    case "PropertyDefinition":
      return field(node.key, node.typeAnnotation?.end ?? node.end, node.value)
    case "ExpressionStatement": {
      const { expression } = node
      if (expression.type !== "AssignmentExpression" || expression.left.type !== "MemberExpression") return []
      return field(expression.left.property, node.end, expression.right)
    }
    default:
      return []
  }
}

function valueDeclaration(name: string | undefined, kind: string, end: number, value: Node | null) {
  const fn = functionIn(value)
  if (fn === undefined || !("body" in fn) || fn.body === null) return { name, kind, end }
  return { name, kind: kind === "field" ? "method" : "function", end: fn.body.start, fn }
}

function boundNames(pattern: Node | null): string[] {
  switch (pattern?.type) {
    case "Identifier":
      return [pattern.name]
    case "AssignmentPattern":
      return boundNames(pattern.left)
    case "RestElement":
      return boundNames(pattern.argument)
    case "ObjectPattern":
      return pattern.properties.flatMap((each) => boundNames(each.type === "Property" ? each.value : each))
    case "ArrayPattern":
      return pattern.elements.flatMap(boundNames)
    default:
      return []
  }
}

/** Makes a record with name and signature for each declaration. In `code`, comments are replaced by spaces. */
export function symbolsOf(node: Node, code: string, lineAt: LineAt): SymbolRecord[] {
  return declarationsOf(node).flatMap(({ name, kind, start, end, fn, prefix = "", members }) => {
    if (name === undefined) return []
    const isValue = fn === undefined && (kind === "field" || kind === "default" || prefix !== "")
    const body = members === undefined ? "" : ` { ${members.slice(0, MAX_MEMBERS).join(", ")} }`
    const signature = tidy(prefix + code.slice(start, end), isValue ? MAX_VALUE : MAX_SIGNATURE) + body
    return [{ line: lineAt(node.start), name, kind, signature }]
  })
}

/** A signature in one line, without an arrow or `=` at its end, and without spaces just inside brackets. */
function tidy(head: string, max: number): string {
  const flat = oneLine(head.slice(0, MAX_READ), MAX_READ)
  return oneLine(
    flat
      .replace(/([(<[]) /g, "$1")
      .replace(/,? ([)>\]])/g, "$1")
      .replace(/ ?=>[ (]*$|[ ={;,]+$/, ""),
    max,
  )
}

function keysOf(members: readonly Node[]): string[] {
  return members.flatMap(
    (member) => nameOf("key" in member ? member.key : "id" in member ? member.id : null) ?? [],
  )
}

export function methodsOf(statement: Statement, code: string, lineAt: LineAt): SymbolRecord[] {
  const isExport =
    statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration"
  const node = isExport ? statement.declaration : statement
  if (node?.type !== "ClassDeclaration") return []
  const owner = node.id?.name ?? "default"
  return node.body.body
    .flatMap((member) => symbolsOf(member, code, lineAt))
    .filter(({ kind, name }) => kind === "method" && !name.startsWith("#"))
    .map((each) => ({ ...each, name: `${owner}.${each.name}` }))
}

/** The name that an identifier or a quoted key gives; undefined for any other expression. */
export function nameOf(key: Node | null): string | undefined {
  if (key?.type === "Identifier") return key.name
  if (key?.type === "PrivateIdentifier") return `#${key.name}`
  return key?.type === "Literal" && typeof key.value === "string" ? key.value : undefined
}

function functionIn(node: Node | null | undefined): FunctionLike | undefined {
  switch (node?.type) {
    case "ParenthesizedExpression":
    case "TSAsExpression":
    case "TSSatisfiesExpression":
      return functionIn(node.expression)
    case "ArrowFunctionExpression":
    case "FunctionExpression":
    case "TSFunctionType":
      return node
    default:
      return undefined
  }
}

const MAX_MEMBERS = 12
const MAX_VALUE = 80
const MAX_SIGNATURE = 160
const MAX_READ = 1200
