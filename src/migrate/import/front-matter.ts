import { objectFrom } from "../fields.ts"

/** A Markdown file with fields before its text. */
export interface Page {
  fields: Record<string, unknown>
  body: string
}

/** Its fields and its text; or what is wrong with it. */
export async function readPage(text: string): Promise<Page | { fault: string }> {
  const [, head, body = ""] = FRONT_MATTER.exec(text.replace(/^\ufeff/, "")) ?? []
  if (head === undefined) return { fault: "no front matter" }
  if (head.length > MAX_HEAD_CHARS) return { fault: "front matter that is too long" }
  try {
    return { fields: (await yamlOf(head)) ?? {}, body: body.replaceAll("\r\n", "\n").trim() }
  } catch {
    return { fault: "front matter that is not YAML" }
  }
}

/** The fields of a YAML text; undefined where it has none. Throws where it is no YAML. */
export async function yamlOf(text: string): Promise<Record<string, unknown> | undefined> {
  const { parse } = await import("yaml")
  const value: unknown = parse(text.replaceAll(BARE_NAME, '$1"$2"'), { logLevel: "error" })
  if (value === null || value === undefined) return undefined
  const fields = objectFrom(value)
  if (fields === undefined) throw new Error("not a list of fields")
  return fields
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
// YAML has another use for a name that begins with @, which older files do not quote.
const BARE_NAME = /((?:^|[\n,[])[ \t]*(?:-[ \t]+|(?:assignee|reporter):[ \t]*\[?[ \t]*)?)(@[^\s,\]'"]+)/g
const MARK = /^\s*<!-- (SECTION:[A-Z_]+|AC|DOD|COMMENTS):(BEGIN|END) -->\s*$/
const MAX_HEAD_CHARS = 100_000
