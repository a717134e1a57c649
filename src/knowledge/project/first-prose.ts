/** The first paragraph of a readme that is written for a reader: no code, page, table, list, badge or heading. */
export function firstProse(text: string): string {
  let paragraph: string[] = []
  let end: RegExp | undefined
  for (const line of [...withoutNotes(text).split("\n", MAX_LINES), ""]) {
    if (end !== undefined) {
      if (end.test(line)) end = undefined
      continue
    }
    const [, fence, tag] = OPENS.exec(line) ?? []
    if (fence !== undefined) end = new RegExp(`^\\s*${fence}`)
    else if (tag !== undefined && !line.includes(`</${tag}`)) end = new RegExp(`</${tag}`, "i")
    if (line.trim() !== "" && end === undefined) {
      paragraph.push(line)
      continue
    }
    const found = proseOf(paragraph)
    if (found !== "") return found
    paragraph = []
  }
  return ""
}

/** Empty where it is something else. */
function proseOf(lines: readonly string[]): string {
  const [first = ""] = lines
  // Four blanks make it code; two lines may be a heading with its underline.
  if (!BEGINS.test(first) || lines.some((line) => /^(?:=+|-+)\s*$/.test(line))) return ""
  const text = lines
    .join("\n")
    .replace(/<\/?[A-Za-z][^<>]{0,500}>/g, "")
    .trim()
  return text.length > MIN_CHARS ? text : ""
}

function withoutNotes(text: string): string {
  const [before = "", ...notes] = text.split("<!--")
  return (
    before + notes.map((note) => note.slice(note.indexOf("-->") < 0 ? 0 : note.indexOf("-->") + 3)).join("")
  )
}

const OPENS = /^\s*(?:(`{3}|~{3})|<(pre|script|style|table|svg|picture|details)\b)/i
const BEGINS = /^ {0,3}(?:[\p{L}"]|`(?!``)|[*_]+[\p{L}"`])/u
const MIN_CHARS = 40
const MAX_LINES = 1000
