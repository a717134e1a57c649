import type { Pausing } from "../../shared/slices.ts"
import { fenceAfter } from "../document/sections.ts"

export interface ParsedDocument {
  title: string | null
  outline: string[]
  links: [target: string, line: number][]
}

/** The headings and links of a Markdown text, without links in code, comments and front matter. */
export function* parseDocument(path: string, text: string): Pausing<ParsedDocument> {
  const found: ParsedDocument = { title: null, outline: [], links: [] }
  if (/\.(rst|adoc)$/i.test(path)) return found
  const head = FRONT_MATTER.exec(text.slice(0, MAX_FRONT_MATTER_CHARS))?.[0] ?? ""
  const start = head.split("\n").length
  let [fence, before, isComment, chars, number] = ["", "", false, 0, 0]
  for (let at = 0; at < text.length && found.links.length <= MAX_LINKS; ) {
    const end = text.indexOf("\n", at)
    let line = text.slice(at, Math.min(end < 0 ? text.length : end, at + MAX_LINE_CHARS)).trimEnd()
    at = end < 0 ? text.length : end + 1
    chars += line.length
    if (chars > PAUSE_AFTER_CHARS) {
      chars = 0
      yield
    }
    if (++number < start) continue
    const wasOpen = fence !== ""
    if (!isComment) fence = fenceAfter(line, fence)
    if (wasOpen || fence !== "") {
      before = ""
      continue
    }
    ;({ line, isComment } = withoutComments(line, isComment))
    addHeading(found, line, before)
    for (const target of targetsIn(line.replace(INLINE_CODE, " "))) found.links.push([target, number])
    before = line
  }
  found.title ??= found.outline[0] ?? /^title:\s*["']?([^"'\n]+)/m.exec(head)?.[1]?.trim() ?? null
  return found
}

/** Adds a heading: `## Words`, or a line underlined with `=` or `-`. The first one of level 1 is the title. */
function addHeading(found: ParsedDocument, line: string, before: string): void {
  const [, marks, words = ""] = /^ {0,3}(#{1,3})[ \t]+(\S.*)$/.exec(line) ?? []
  const [, underline] = /^ {0,3}(=+|-{2,})$/.exec(line) ?? []
  const isUnderlined = underline !== undefined && /^\s*[^\s\-*+>|#`\d]/.test(before)
  if (marks === undefined && !isUnderlined) return
  const text = (marks === undefined ? before : words.replace(/[ \t]+#+$|\s*\{#[^}]*\}\s*$/g, "")).trim()
  if (marks === "#" || underline?.startsWith("=") === true) found.title ??= text.slice(0, MAX_HEADING_CHARS)
  if (found.outline.length < MAX_OUTLINE) found.outline.push(text.slice(0, MAX_HEADING_CHARS))
}

function targetsIn(line: string): string[] {
  if (!line.includes("](") && !line.includes("]:") && !line.includes("=")) return []
  return [LINK, DEFINITION, HTML_LINK]
    .flatMap((pattern) => [...line.matchAll(pattern)])
    .map(([, one, other]) => one ?? other ?? "")
    .filter((target) => target !== "")
}

function withoutComments(line: string, isComment: boolean): { line: string; isComment: boolean } {
  let [rest, kept, isInside] = [line, "", isComment]
  for (;;) {
    const at = rest.indexOf(isInside ? "-->" : "<!--")
    if (at < 0) return { line: isInside ? kept : kept + rest, isComment: isInside }
    if (!isInside) kept += rest.slice(0, at)
    rest = rest.slice(at + (isInside ? 3 : 4))
    isInside = !isInside
  }
}

const FRONT_MATTER = /^\ufeff?(---|\+\+\+)[ \t]*\r?\n(?:.*\r?\n)*?\1[ \t]*(?:\r?\n|$)/
const INLINE_CODE = /(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g
// The address may contain pairs of parentheses, as Wikipedia's do.
const LINK = /\]\(\s*(?:<([^<>]*)>|((?:[^\s()]|\([^\s()]*\))+))(?:\s+(?:"[^"]*"|'[^']*'|\([^)]*\)))?\s*\)/g
const DEFINITION = /^ {0,3}\[(?!\^)[^\]]+\]:\s*(?:<([^<>]*)>|(\S+))/g
const HTML_LINK = /<(?:a|img|source|video)\s[^>]{0,300}?\b(?:href|src)\s*=\s*(?:"([^"]*)"|'([^']*)')/gi
const PAUSE_AFTER_CHARS = 20_000
const MAX_LINE_CHARS = 5000
const MAX_LINKS = 2000
const MAX_OUTLINE = 30
const MAX_HEADING_CHARS = 200
const MAX_FRONT_MATTER_CHARS = 10_000
