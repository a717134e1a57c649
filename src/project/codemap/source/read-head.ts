import { afterBracket, afterTypeParameters, findOutside } from "./brackets.ts"
import { functionHead } from "./function-head.ts"
import type { Head, HeadAt } from "./head.ts"
import { afterModifiers } from "./modifiers.ts"
import { MAX_READ, toSignature } from "./signature.ts"
import { endOfStatement } from "./statement-end.ts"
import { functionType, valueHead } from "./value-head.ts"

/** Reads declarations, each once: an export and a comment before it ask for the same one. */
export function headReader(code: string): HeadAt {
  const read = new Map<number, Head | null>()
  return (from) => {
    const known = read.get(from)
    if (known !== undefined) return known ?? undefined
    const head = readHead(code, from)
    read.set(from, head ?? null)
    return head
  }
}

/** Its name alone: that is all that most comments need. */
export function nameAt(code: string, from: number): string | undefined {
  const at = afterModifiers(code, from)
  WORD.lastIndex = at
  const found = WORD.exec(code)
  return found === null ? memberName(code, at) : (found[2] ?? "default")
}

function readHead(code: string, from: number): Head | undefined {
  const at = afterModifiers(code, from)
  WORD.lastIndex = at
  const found = WORD.exec(code)
  if (found === null) return readMember(code, from, at)
  const [after, word, name] = [WORD.lastIndex, found[1] ?? "", found[2] ?? "default"]
  if (word === "function")
    return functionHead(
      code,
      from,
      name,
      findOutside(code, afterTypeParameters(code, after), isRound),
      "function",
    )
  if (word === "const" || word === "let" || word === "var") return valueHead(code, at, name, after, word)
  if (word === "type")
    return {
      name,
      kind: word,
      signature: toSignature(code.slice(at, endOfStatement(code, after))),
      parameters: () => functionType(code, after),
    }
  const body = findOutside(code, afterTypeParameters(code, after), isCurly)
  const head = code.slice(at, Math.min(body, at + MAX_READ))
  const members = word === "interface" || word === "enum" ? ` { ${memberNames(code, body).join(", ")} }` : ""
  return {
    name,
    kind: word === "module" ? "namespace" : word,
    signature: toSignature(head + members),
    parameters: () => undefined,
  }
}

/** `name(a) {`, `name: (a) => b`, `name = function (a) {`, `a.b.name = …`. */
function readMember(code: string, from: number, at: number): Head | undefined {
  const name = memberName(code, at)
  if (name === undefined) return undefined
  const after = afterTypeParameters(code, MEMBER.lastIndex)
  if (code[after] === "(") {
    const head = functionHead(code, from, name, after, "method")
    // A comment at `get name()` may speak of the function that it gives back.
    return /\bget\s+$/.test(code.slice(from, at)) ? { ...head, parameters: () => undefined } : head
  }
  return valueHead(code, at, name, after, "field")
}

/** Leaves `MEMBER` behind the name. */
function memberName(code: string, at: number): string | undefined {
  MEMBER.lastIndex = at
  const name = MEMBER.exec(code)?.[1]
  return name === undefined || NO_NAME.has(name) ? undefined : name
}

function memberNames(code: string, open: number): string[] {
  const inside = code.slice(open + 1, afterBracket(code, open) - 1)
  const names: string[] = []
  MEMBER_NAME.lastIndex = 0
  while (names.length < MAX_NAMES) {
    const found = MEMBER_NAME.exec(inside)
    if (found === null) break
    names.push(found[1] ?? "")
  }
  return names
}

const isRound = (char: number) => char === 40
const isCurly = (char: number) => char === 123
const WORD =
  /(function|class|interface|enum|namespace|module|type|const|let|var)\b\s*\*?\s*(?:enum\s+)?([A-Za-z_$][\w$]*)?/y
const MEMBER = /(?:[A-Za-z_$][\w$]*\.)*\*?["']?([A-Za-z_$#][\w$-]*)["']?[?!]?\s*(?=[(<:=])/y
const MEMBER_NAME = /(?:^|[;,\n{])\s*(?:readonly\s+)?([A-Za-z_$][\w$]*)\??\s*(?=[:(<,=]|$)/gm
const NO_NAME = new Set(
  "if for while switch catch return await throw new typeof else do import super case".split(" "),
)
const MAX_NAMES = 12
