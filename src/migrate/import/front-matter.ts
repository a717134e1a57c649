import { yamlFields } from "./yaml-fields.ts"

/** A Markdown file with fields before its text. */
export interface Page {
  fields: Record<string, unknown>
  body: string
}

/** Its fields and its text; or what is wrong with it. */
export function readPage(text: string): Page | { fault: string } {
  const [, head, body = ""] = FRONT_MATTER.exec(text.replace(/^\ufeff/, "")) ?? []
  if (head === undefined) return { fault: "no front matter" }
  if (head.length > MAX_HEAD_CHARS) return { fault: "front matter that is too long" }
  try {
    return { fields: yamlFields(head), body: body.replaceAll("\r\n", "\n").trim() }
  } catch {
    return { fault: "front matter that is not YAML, or more than fields" }
  }
}

/** A part of a page below a heading of the second level, without the tool's own marks. */
export interface Section {
  title: string
  text: string
}

/** The sections of a text, in order; what comes before the first has no title. Headings between two marks are text. */
export function sectionsOf(body: string): Section[] {
  const sections: { title: string; lines: string[] }[] = [{ title: "", lines: [] }]
  let mark: string | undefined
  let isCode = false
  for (const line of body.split("\n")) {
    const [, name, side] = MARK.exec(line) ?? []
    if (name !== undefined && (mark === undefined || mark === name)) {
      mark = side === "BEGIN" ? name : undefined
      continue
    }
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode
    const title = mark === undefined && !isCode ? /^##\s+(.+?)\s*$/.exec(line)?.[1] : undefined
    if (title === undefined) sections.at(-1)?.lines.push(line)
    else sections.push({ title, lines: [] })
  }
  return sections
    .map(({ title, lines }) => ({ title, text: lines.join("\n").trim() }))
    .filter(({ text }) => text !== "")
}

const FRONT_MATTER = /^---[ \t]*\r?\n([\s\S]*?)(?:\r?\n)?---[ \t]*(?:\r?\n([\s\S]*))?$/
const MARK = /^\s*<!-- (SECTION:[A-Z_]+|AC|DOD|COMMENTS):(BEGIN|END) -->\s*$/
const MAX_HEAD_CHARS = 20_000
