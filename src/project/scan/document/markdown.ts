import type { Pausing } from "../../../shared/slices.ts"

/** What a Markdown text consists of, as far as other files have to do with it. */
export interface ParsedMarkdown {
  headings: { level: number; text: string }[]
  links: { target: string; line: number }[]
  /** What a link may point at besides headings: `id` and `name` of its HTML, `{#id}` of headings. */
  anchors: string[]
}

/** Headings, links and anchors of a Markdown text. Code, comments and front matter are left out: links there are examples. */
export function* parseMarkdown(text: string): Pausing<ParsedMarkdown> {
  const found: ParsedMarkdown = { headings: [], links: [], anchors: [] }
  let fence = ""
  let isComment = false
  let before = ""
  let chars = 0
  let number = 0
  const start = frontMatterEnd(text)
  // Line by line: a list of all lines of a large file takes longer than everything else about it.
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\n", at)
    let line = text.slice(at, Math.min(end < 0 ? text.length : end, at + MAX_LINE_CHARS)).trimEnd()
    chars += line.length
    at = end < 0 ? text.length : end + 1
    number++
    if (number <= start) continue
    if (chars > PAUSE_AFTER_CHARS) {
      chars = 0
      yield
    }
    if (found.links.length > MAX_LINKS || found.headings.length > MAX_HEADINGS) break
    const mark = FENCE.exec(line)?.[2] ?? ""
    if (fence !== "") {
      if (mark.startsWith(fence) && line.trim() === mark) fence = ""
      continue
    }
    if (mark !== "" && !isComment) {
      fence = mark
      before = ""
      continue
    }
    ;({ line, isComment } = withoutComments(line, isComment))
    const heading = headingIn(line, before)
    if (heading !== undefined) addHeading(found, heading)
    const plain = withoutCode(line)
    for (const target of targetsIn(plain)) found.links.push({ target, line: number })
    for (const [, , name = ""] of plain.matchAll(ANCHOR))
      if (found.anchors.length < MAX_LINKS) found.anchors.push(name)
    before = line
  }
  return found
}

function addHeading(found: ParsedMarkdown, { level, text }: { level: number; text: string }): void {
  const id = /\s*\{#([\w.:-]+)[^}]*\}\s*$/.exec(text)
  if (id?.[1] !== undefined) found.anchors.push(id[1])
  found.headings.push({ level, text: text.slice(0, id?.index ?? text.length).slice(0, MAX_HEADING_CHARS) })
}

/** `## Words`, or a line with an underline of `=` or `-` below it. */
function headingIn(line: string, before: string): { level: number; text: string } | undefined {
  const marked = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/.exec(line)
  if (marked !== null)
    return { level: marked[1]?.length ?? 1, text: (marked[2] ?? "").replace(/[ \t]+#+$/, "").trim() }
  const isUnderline = /^ {0,3}(=+|-{2,})$/.test(line)
  const isText = before.trim() !== "" && !/^\s*([-*+>|#]|\d+[.)]|`{3})/.test(before)
  return isUnderline && isText ? { level: line.includes("=") ? 1 : 2, text: before.trim() } : undefined
}

function targetsIn(line: string): string[] {
  if (!line.includes("](") && !line.includes("]:") && !line.includes("=")) return []
  const inline = [...line.matchAll(INLINE)].map(([, bracketed, plain]) => bracketed ?? plain ?? "")
  const defined = DEFINITION.exec(line)
  const html = [...line.matchAll(HTML_LINK)].map(([, , target]) => target ?? "")
  return [...inline, ...(defined === null ? [] : [defined[1] ?? defined[2] ?? ""]), ...html].filter(
    (each) => each !== "",
  )
}

/** What stands in backticks is shown, not meant. A run of them is closed by the next one of the same length. */
function withoutCode(line: string): string {
  if (!line.includes("`")) return line
  const runs = [...line.matchAll(/`+/g)].map((run) => ({ at: run.index, length: run[0].length }))
  let kept = ""
  let from = 0
  for (let n = 0; n < runs.length && n < MAX_RUNS; n++) {
    const open = runs[n]
    const end = runs.findIndex(({ length }, other) => other > n && length === open?.length)
    const close = runs[end]
    if (open === undefined || close === undefined) continue
    kept += `${line.slice(from, open.at)} `
    from = close.at + close.length
    n = end
  }
  return kept + line.slice(from)
}

function withoutComments(line: string, isComment: boolean): { line: string; isComment: boolean } {
  let rest = line
  let kept = ""
  let inside = isComment
  for (;;) {
    const at = rest.indexOf(inside ? "-->" : "<!--")
    if (at < 0) return { line: inside ? kept : kept + rest, isComment: inside }
    if (!inside) kept += rest.slice(0, at)
    rest = rest.slice(at + (inside ? 3 : 4))
    inside = !inside
  }
}

/** How many lines it has. */
function frontMatterEnd(text: string): number {
  const lines = text.slice(0, MAX_FRONT_MATTER_CHARS).split("\n")
  const mark = lines[0]?.replace(/^\ufeff/, "").trimEnd()
  if (mark !== "---" && mark !== "+++") return 0
  const end = lines.findIndex((line, n) => n > 0 && line.trimEnd() === mark)
  return end < 0 ? 0 : end + 1
}

const FENCE = /^(\s*(?:[-*+>]\s*|\d+[.)]\s*)*)(`{3,}(?=[^`]*$)|~{3,})/
// One pair of brackets within the address, as in names of encyclopaedias.
const INLINE = /\]\(\s*(?:<([^<>]*)>|((?:[^\s()]|\([^\s()]*\))+))(?:\s+(?:"[^"]*"|'[^']*'|\([^)]*\)))?\s*\)/g
const DEFINITION = /^ {0,3}\[(?!\^)[^\]]+\]:\s*(?:<([^<>]*)>|(\S+))/
const HTML_LINK = /<(?:a|img|source|video)\s[^>]{0,300}?\b(?:href|src)\s*=\s*(["'])([^"']*)\1/gi
const ANCHOR = /\b(?:id|name)\s*=\s*(["'])([^"']+)\1/gi
const PAUSE_AFTER_CHARS = 20_000
const MAX_LINE_CHARS = 5000
const MAX_RUNS = 200
const MAX_LINKS = 2000
const MAX_HEADINGS = 1000
const MAX_HEADING_CHARS = 200
const MAX_FRONT_MATTER_CHARS = 10_000
