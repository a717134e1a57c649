import { createHash } from "node:crypto"
import type { Artifact } from "../../schemas/knowledge.ts"
import { shorten } from "../../shared/text/clean.ts"

export type Section = Artifact["sections"][number]

/**
 * The sections of a Markdown text, each with a hash of its heading and text; line endings and trailing spaces do not count.
 * Underlined headings are not recognised, as such a line also ends front matter and tables.
 */
export function sectionsOf(markdown: string): Section[] {
  const sections: Section[] = []
  let heading = BEGINNING
  let lines: string[] = []
  let fence = ""
  const close = () => {
    const text = lines.join("\n").replace(/^\n+|\n+$/g, "")
    const hash = createHash("sha256").update(text).digest("hex").slice(0, 16)
    if (text !== "") sections.push({ heading, hash })
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

function titleOf(line: string): string | undefined {
  const words = /^ {0,3}#{1,6}(?:[ \t]+(.*))?$/.exec(line)
  if (words === null) return undefined
  const title = (words[1] ?? "").replace(/(^|[ \t])#+$/, "").trim()
  return title === "" ? UNNAMED : title.slice(0, MAX_HEADING).trim()
}

/** The mark of the code fence that is open after this line, or "". A line with only that mark closes the fence. */
export function fenceAfter(line: string, open: string): string {
  const [mark = "", rest = ""] = /^\s*(?:(?:[-*+>]|\d+[.)])\s+)*(`{3,}|~{3,})(.*)$/.exec(line)?.slice(1) ?? []
  if (open === "") return mark.startsWith("`") && rest.includes("`") ? "" : mark
  return mark.startsWith(open) && rest === "" ? "" : open
}

export interface SectionDiff {
  added: string[]
  removed: string[]
  changed: string[]
  /** The sections are the same, but in another order. */
  isReordered: boolean
}

/** Compares sections by heading. If a heading occurs several times, its unchanged sections are matched first. */
export function diffSections(before: readonly Section[], after: readonly Section[]): SectionDiff {
  const diff: SectionDiff = { added: [], removed: [], changed: [], isReordered: false }
  const old = byHeading(before)
  const fresh = byHeading(after)
  for (const heading of new Set([...fresh.keys(), ...old.keys()])) {
    const gone = [...(old.get(heading) ?? [])]
    const news = (fresh.get(heading) ?? []).filter((hash) => {
      const same = gone.indexOf(hash)
      if (same >= 0) gone.splice(same, 1)
      return same < 0
    })
    const changed = Math.min(gone.length, news.length)
    for (let n = 0; n < changed; n++) diff.changed.push(heading)
    for (let n = changed; n < news.length; n++) diff.added.push(heading)
    for (let n = changed; n < gone.length; n++) diff.removed.push(heading)
  }
  const isSame = diff.added.length + diff.removed.length + diff.changed.length === 0
  return { ...diff, isReordered: isSame && !sameSections(before, after) }
}

export function sameSections(a: readonly Section[], b: readonly Section[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ heading, hash }, n) => heading === b[n]?.heading && hash === b[n].hash)
  )
}

/** Lists the changed headings for the model, or says "yes" if the text changed but no section did. */
export function describeDiff({ added, removed, changed, isReordered }: SectionDiff): string {
  const all = [
    ...changed,
    ...added.map((heading) => `${heading} (new)`),
    ...removed.map((heading) => `${heading} (gone)`),
    ...(isReordered ? ["order of the sections"] : []),
  ]
  if (all.length === 0) return "yes"
  const shown = all.slice(0, MAX_NAMED).map((heading) => shorten(heading, MAX_WIDTH))
  const more = all.length - shown.length
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(", ")
}

function byHeading(sections: readonly Section[]): Map<string, string[]> {
  const map = new Map<string, string[]>()
  for (const { heading, hash } of sections) map.set(heading, [...(map.get(heading) ?? []), hash])
  return map
}

const BEGINNING = "(beginning)"
const UNNAMED = "(no heading)"
const MAX_HEADING = 200
// Limits the size of a record: headings beyond this number become text of the last section.
const MAX_SECTIONS = 300
const MAX_NAMED = 5
const MAX_WIDTH = 40
