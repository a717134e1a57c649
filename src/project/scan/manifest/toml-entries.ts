/** A line of a TOML file: `key = value` in a table. */
export interface TomlEntry {
  /** `tool.poetry.dependencies`; "" above the first. */
  table: string
  key: string
  /** As it is written, without comments; it may have several lines. */
  value: string
  line: number
}

/**
 * The entries of a TOML file, with their lines. Not a whole parser: a manifest is read for a few names and versions, its
 * lines are the evidence, and one that is broken in one place is still read in all others.
 */
export function tomlEntries(text: string): TomlEntry[] {
  const entries: TomlEntry[] = []
  const lines = text.split("\n")
  let table = ""
  for (let n = 0; n < lines.length && entries.length < MAX_ENTRIES; n++) {
    const line = (lines[n] ?? "").slice(0, MAX_LINE_CHARS).trim()
    const header = /^\[\[?\s*([^\]]+?)\s*\]\]?\s*(#.*)?$/.exec(line)
    if (header !== null) {
      table = (header[1] ?? "").replaceAll(/["']/g, "").replaceAll(/\s*\.\s*/g, ".")
      continue
    }
    const pair = /^("[^"]*"|'[^']*'|[A-Za-z0-9_.\s-]+?)\s*=\s*(.*)$/.exec(line)
    if (pair === null) continue
    const at = n + 1
    let value = withoutComment(pair[2] ?? "")
    const quotes = /^("""|''')/.exec(value)?.[1]
    if (quotes !== undefined) {
      while (n + 1 < lines.length && value.indexOf(quotes, 3) < 0) value += `\n${lines[++n] ?? ""}`
    } else {
      const end = n + MAX_VALUE_LINES
      for (let depth = depthOf(value); depth > 0 && n + 1 < lines.length && n < end; ) {
        const more = withoutComment((lines[++n] ?? "").slice(0, MAX_LINE_CHARS).trim())
        depth += depthOf(more)
        value += `\n${more}`
      }
    }
    entries.push({ table, key: (pair[1] ?? "").replaceAll(/["']/g, "").trim(), value, line: at })
  }
  return entries
}

/** The text of a string value; undefined of any other. */
export function tomlString(value: string): string | undefined {
  const found = /^"((?:[^"\\]|\\.)*)"|^'([^']*)'/.exec(value)
  return found === null ? undefined : (found[1] ?? found[2] ?? "")
}

/** All strings in a value, also those of a list, with the line of each. */
export function tomlStrings({ value, line }: TomlEntry): { text: string; line: number }[] {
  return value.split("\n").flatMap((part, index) =>
    [...part.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g)].map(([, double, single]) => ({
      text: double ?? single ?? "",
      line: line + index,
    })),
  )
}

/** `{ version = "1.2", … }` or `"1.2"`. */
export function tomlVersion(value: string): string | null {
  return tomlString(value) ?? /\bversion\s*=\s*["']([^"']*)["']/.exec(value)?.[1] ?? null
}

/** How many brackets it opens and does not close. */
function depthOf(value: string): number {
  const bare = value.replaceAll(/"(?:[^"\\]|\\.)*"|'[^']*'/g, "")
  let depth = 0
  for (const sign of bare) {
    if (sign === "[" || sign === "{") depth++
    if (sign === "]" || sign === "}") depth--
  }
  return depth
}

function withoutComment(value: string): string {
  if (!value.includes("#")) return value.trim()
  return value.replace(/^((?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'#])*)#.*$/, "$1").trim()
}

const MAX_ENTRIES = 5000
const MAX_LINE_CHARS = 2000
const MAX_VALUE_LINES = 500
