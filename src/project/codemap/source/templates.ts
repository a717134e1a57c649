import type { Parsed } from "./syntax.ts"

/**
 * Tells whether a place lies in the text of a template (`…`): code that a test hands to a compiler is not this file's own.
 * Only where a backtick is open before it is the syntax tree asked, as making one takes long.
 */
export function inTemplates(code: string, parsed: Parsed): (at: number) => boolean {
  let texts: Span[] | undefined
  return (at) => {
    if (!isOpen(code, at)) return false
    if (code.length > MAX_CHARS) return true
    texts ??= templatesIn(parsed)
    return texts.some(({ start, end }) => start <= at && at < end)
  }
}

interface Span {
  start: number
  end: number
}

function isOpen(code: string, before: number): boolean {
  let count = 0
  for (let at = code.indexOf("`"); at >= 0 && at < before; at = code.indexOf("`", at + 1)) count++
  return count % 2 === 1
}

function templatesIn({ program }: Parsed): Span[] {
  const found: Span[] = []
  const open: unknown[] = [program]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (typeof node !== "object" || node === null) continue
    if ("type" in node && node.type === "TemplateElement" && "start" in node && "end" in node)
      found.push({ start: Number(node.start), end: Number(node.end) })
    else for (const each of Object.values(node)) if (typeof each === "object") open.push(each)
  }
  return found
}

// Of a longer file the tree would hold everything else up: there the backticks decide.
const MAX_CHARS = 50_000
