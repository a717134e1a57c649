import { createHash } from "node:crypto"
import type { Artifact } from "../../schemas/knowledge.ts"

export type Section = Artifact["sections"][number]

/**
 * The sections of a Markdown text, each with a hash of its heading and its own text; a heading below it has a section
 * of its own. Line ends and trailing blanks do not count: an editor or git may change them.
 * Only headings with `#` count. The other kind is rare, and its underline also ends front matter and tables.
 */
export function sectionsOf(markdown: string): Section[] {
  const sections: Section[] = []
  let heading = BEGINNING
  let lines: string[] = []
  let fence = ""
  const close = () => {
    const text = lines.join("\n").replace(/^\n+|\n+$/g, "")
    if (text !== "") sections.push({ heading, hash: hashOf(text) })
  }

  for (const raw of markdown.replace(/^\ufeff/, "").split(/\r\n|\n|\r/)) {
    const line = raw.trimEnd()
    const title = fence === "" && sections.length < MAX_SECTIONS - 1 ? titleOf(line) : undefined
    if (title !== undefined) {
      close()
      heading = title
      lines = []
    }
    fence = fenceAfter(line, fence)
    lines.push(line)
  }
  close()
  return sections
}

export function isMarkdown(path: string): boolean {
  return /\.(md|mdx|markdown)$/i.test(path)
}

/** The words of a heading, or undefined where the line is none. */
function titleOf(line: string): string | undefined {
  const words = /^ {0,3}#{1,6}(?:[ \t]+(.*))?$/.exec(line)
  if (words === null) return undefined
  const title = (words[1] ?? "").replace(/(^|[ \t])#+$/, "").trim()
  return title === "" ? UNNAMED : title.slice(0, MAX_HEADING).trim()
}

/** The fence that is open after this line, or "": only the same mark, at least as long and alone, closes it. */
function fenceAfter(line: string, open: string): string {
  const found = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line)
  const [mark = "", rest = ""] = found?.slice(1) ?? []
  if (open === "") return mark.startsWith("`") && rest.includes("`") ? "" : mark
  return mark.startsWith(open) && rest === "" ? "" : open
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16)
}

const BEGINNING = "(beginning)"
const UNNAMED = "(no heading)"
const MAX_HEADING = 200
// What comes after belongs to the last one: a record must not grow with every heading of a huge file.
const MAX_SECTIONS = 300
