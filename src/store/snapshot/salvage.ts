/**
 * Finds every complete JSON object with an `id` in invalid JSON: a file with a damaged byte, a half-done edit or git's
 * conflict markers. Returns text between them that looks like a record, too.
 */
export function salvage(text: string): { objects: Record<string, unknown>[]; lost: string[] } {
  const objects: Record<string, unknown>[] = []
  const lost: string[] = []
  let kept = 0
  let at = text.indexOf("{")
  let budget = Math.max(MAX_RECORD_CHARS, text.length * MAX_LOOKS)
  while (at >= 0 && budget > 0) {
    const end = isObjectStart(text, at) ? matchingBrace(text, at) : -1
    const object = end > at ? parseRecord(text.slice(at, end + 1)) : undefined
    if (object === undefined) {
      // The search for its end was in vain.
      if (isObjectStart(text, at))
        budget -= (end > at ? end : Math.min(text.length, at + MAX_RECORD_CHARS)) - at
      at = text.indexOf("{", at + 1)
      continue
    }
    noteLost(text.slice(kept, at), lost)
    objects.push(object)
    kept = end + 1
    at = text.indexOf("{", kept)
  }
  noteLost(text.slice(kept), lost)
  return { objects, lost }
}

/** An object begins with a name, or is empty. */
function isObjectStart(text: string, at: number): boolean {
  OBJECT_START.lastIndex = at + 1
  return OBJECT_START.test(text)
}

function parseRecord(text: string): Record<string, unknown> | undefined {
  try {
    // A text from one brace to the other is an object if it is JSON at all.
    const value: Record<string, unknown> = JSON.parse(text)
    return "id" in value ? value : undefined
  } catch {
    return undefined // The scan continues inside of it.
  }
}

/** The `}` that closes the `{` at `start`, or -1. The search is capped: records are short. */
function matchingBrace(text: string, start: number): number {
  let depth = 0
  let inString = false
  const limit = Math.min(text.length, start + MAX_RECORD_CHARS)
  for (let i = start; i < limit; i++) {
    const char = text.charCodeAt(i)
    if (inString) {
      if (char === BACKSLASH) i++
      else if (char === QUOTE) inString = false
    } else if (char === QUOTE) inString = true
    else if (char === OPEN) depth++
    else if (char === CLOSE && --depth === 0) return i
  }
  return -1
}

function noteLost(between: string, lost: string[]): void {
  for (const part of between.split("\n")) {
    const trimmed = part.trim().replace(/,$/, "")
    if (/"\w+"\s*:/.test(trimmed) && !HEADER_LINE.test(trimmed)) lost.push(trimmed)
  }
}

const HEADER_LINE = /^(\{?"\w+"\s*:\s*(\[|\{[^}]*\}|"[0-9a-f]*")|"format"\s*:\s*\d+)$/
const OBJECT_START = /\s{0,100}["}]/y
// How often a character may be read, on average, in a text full of unclosed braces.
const MAX_LOOKS = 1000
const MAX_RECORD_CHARS = 1_000_000
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = 0x7b
const CLOSE = 0x7d
