import type { Pausing } from "../../../shared/slices.ts"
import { type ParsedMarkdown, parseMarkdown } from "./markdown.ts"

/** A document as it is kept from one scan to the next. */
export interface ParsedDocument extends Omit<ParsedMarkdown, "headings" | "links"> {
  title: string | null
  headings: string[]
  /** Those of the first levels: enough to know what it is about. */
  outline: string[]
  links: [target: string, line: number][]
  /** Other headings are made when it is built (`::: package.module`), so an anchor may be there all the same. */
  isGenerated: boolean
}

export function* parseDocument(path: string, text: string): Pausing<ParsedDocument> {
  if (!/\.(rst|adoc)$/i.test(path)) {
    const { headings, links, anchors } = yield* parseMarkdown(text)
    const title = headings.find(({ level }) => level === 1) ?? headings[0]
    return {
      title: title?.text ?? titleInFrontMatter(text),
      headings: headings.map((heading) => heading.text),
      outline: headings
        .filter(({ level }) => level <= OUTLINE_LEVEL)
        .slice(0, MAX_OUTLINE)
        .map((heading) => heading.text),
      links: links.map(({ target, line }) => [target, line]),
      anchors,
      isGenerated: /^(:::|\{%|\{\{|<[A-Z]|import )/m.test(text),
    }
  }
  const headings = path.toLowerCase().endsWith(".rst") ? rstHeadings(text) : adocHeadings(text)
  const outline = headings.slice(0, MAX_OUTLINE)
  return { title: headings[0] ?? null, headings, outline, links: [], anchors: [], isGenerated: true }
}

function titleInFrontMatter(text: string): string | null {
  const head = text.startsWith("---") ? text.slice(0, text.indexOf("\n---", 3)).slice(0, 5000) : ""
  return /^title:\s*["']?([^"'\n]+)/m.exec(head)?.[1]?.trim() ?? null
}

/** A line with a line of signs as long below it. */
function rstHeadings(text: string): string[] {
  const lines = text.split("\n", MAX_LINES)
  return lines.flatMap((line, n) => {
    const below = lines[n + 1]?.trimEnd() ?? ""
    const words = line.trim()
    const isUnderlined = /^([=\-~^"'`#*+.:])\1{2,}$/.test(below) && below.length >= words.length
    return isUnderlined && words !== "" && !/^([=\-~^"'`#*+.:])\1{2,}$/.test(words)
      ? [words.slice(0, 200)]
      : []
  })
}

function adocHeadings(text: string): string[] {
  return text.split("\n", MAX_LINES).flatMap((line) => /^={1,6} (\S.{0,200})/.exec(line)?.[1]?.trim() ?? [])
}

const OUTLINE_LEVEL = 3
const MAX_OUTLINE = 30
const MAX_LINES = 20_000
