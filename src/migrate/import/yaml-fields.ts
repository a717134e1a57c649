/** What a field holds: a text, a list of texts, or nothing. */
type Value = string | string[] | null

/**
 * The fields of front matter or of a flat configuration: texts in all the ways that YAML writes them, and lists of texts.
 * Names that begin with @ need no quotes. Throws where it is something else; a whole YAML parser would be a tenth of this
 * package, for files that never hold more.
 */
export function yamlFields(text: string): Record<string, Value> {
  const fields: Record<string, Value> = {}
  const lines = text.split(/\r\n|\n/)
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ""
    if (isBlank(line)) {
      at++
      continue
    }
    const [, quoted, plain, rest = ""] = FIELD.exec(line) ?? []
    const name = quoted ?? plain
    if (name === undefined) throw notFields(line)
    // What belongs to the field: all that is further in, and a list that is not.
    let end = at + 1
    while (end < lines.length && isBelow(lines[end] ?? "")) end++
    Object.defineProperty(fields, name, {
      value: fieldValue(rest.trim(), lines.slice(at + 1, end)),
      enumerable: true,
    })
    at = end
  }
  return fields
}

function fieldValue(first: string, below: readonly string[]): Value {
  const block = /^([|>])([-+]?)\d?\s*(?:#.*)?$/.exec(first)
  if (block !== null) return blockText(below, block[1] === ">")
  const start = withoutComment(first)
  const more = below.filter((line) => !isBlank(line)).map((line) => line.trim())
  if (start === "" && /^-(\s|$)/.test(more[0] ?? "")) return itemsOf(below.filter((line) => !isBlank(line)))
  if (start.startsWith("[")) return listOf([start, ...more.map(withoutComment)].join(" "))
  if (/^["']/.test(start)) return scalar([start, ...more].join(" "))
  // A field within a field, an anchor, a tag: nothing of that is in these files.
  if (more.some((line) => /^-\s|:(\s|$)/.test(line)) || /^[{&*!%`]/.test(start)) throw notFields(start)
  const plain = [start, ...more.map(withoutComment)].join(" ").trim()
  return /^(~|null)?$/i.test(plain) ? null : plain
}

/** Each begins with a dash and goes on in lines that are further in. */
function itemsOf(lines: readonly string[]): string[] {
  const items: string[][] = []
  for (const line of lines) {
    const [, first] = /^\s*-(?:\s+(.*))?$/.exec(line) ?? []
    if (first !== undefined || /^\s*-$/.test(line)) items.push([first ?? ""])
    else items.at(-1)?.push(line)
  }
  return items.flatMap(([first = "", ...more]) => fieldValue(first.trim(), more) ?? [])
}

/** `|` keeps the lines, `>` makes paragraphs of them. */
function blockText(lines: readonly string[], isFolded: boolean): string {
  const indent = Math.min(...lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/)))
  const own = lines.map((line) => line.slice(Number.isFinite(indent) ? indent : 0))
  return (isFolded ? own.join("\n").replaceAll(/([^\n])\n(?=[^\n\s])/g, "$1 ") : own.join("\n")).trim()
}

/** `[a, "b, c", 'd']`. */
function listOf(text: string): string[] {
  if (!text.endsWith("]")) throw notFields(text)
  const inside = text.slice(1, -1)
  const items = inside.match(/\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,"'[\]{}][^,[\]{}]*)\s*(?:,|$)/g) ?? []
  if (items.join("").length !== inside.trimEnd().length && items.join("").trim() !== inside.trim())
    throw notFields(text)
  return items.map((item) => scalar(item.replace(/,$/, "").trim())).filter((item) => item !== "")
}

function scalar(text: string): string {
  if (text.startsWith("'")) {
    if (!/^'(?:[^']|'')*'$/.test(text)) throw notFields(text)
    return text.slice(1, -1).replaceAll("''", "'")
  }
  if (!text.startsWith('"')) return text
  try {
    return String(JSON.parse(text))
  } catch {
    throw notFields(text)
  }
}

/** A comment begins behind a blank; in quotes it is none. */
function withoutComment(text: string): string {
  if (text.startsWith("#")) return ""
  const [quoted] = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')(?=\s+#|\s*$)/.exec(text) ?? []
  if (quoted !== undefined) return quoted
  return /^["'[]/.test(text) ? text.trim() : text.replace(/\s#.*$/, "").trim()
}

function isBlank(line: string): boolean {
  return /^\s*(#|$)/.test(line)
}

function isBelow(line: string): boolean {
  return /^\s|^-(\s|$)|^$/.test(line)
}

function notFields(line: string): Error {
  return new Error(`not a field: ${line.slice(0, 80)}`)
}

const FIELD = /^(?:"([^"\\]+)"|([^\s#"'[\]{}&*!|>%@`,-][^:#]*?))\s*:(?:\s+(.*))?$/
