import { readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { parse } from "yaml"
import { cutAt, objectFrom, textFrom, textIn } from "../records/fields.ts"
import type { SourceRecord } from "../records/report.ts"

export interface Page {
  /** Relative to the folder of Backlog.md. */
  from: string
  fields: Record<string, unknown>
  body: string
}

/** Every file of a folder, in order: a page, or why it is none. Links are not followed: they may lead anywhere. */
export async function* pagesIn(
  root: string,
  folder: string,
): AsyncGenerator<Page | { unusable: SourceRecord }> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])
  const isDeep = folder === "docs" || folder.startsWith("docs/")
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const from = `${folder}/${entry.name}`
    const ignore = entry.isDirectory()
      ? "a folder that Backlog.md does not read"
      : entry.isSymbolicLink()
        ? "a link: it may lead out of the folder"
        : !entry.isFile() || !entry.name.endsWith(".md")
          ? "not a Markdown file"
          : "about the folder, no record"
    if (entry.isDirectory() && isDeep) yield* pagesIn(root, from)
    else if (!entry.isFile() || !entry.name.endsWith(".md") || /^readme\.md$/i.test(entry.name))
      yield { unusable: { from, ignore } }
    else yield await readPage(root, from)
  }
}

async function readPage(root: string, from: string): Promise<Page | { unusable: SourceRecord }> {
  const path = join(root, from)
  try {
    const { size } = await stat(path)
    if (size > MAX_BYTES)
      return { unusable: { from, quarantine: "too large to be one page", original: { bytes: size } } }
    const text = await readFile(path, "utf8")
    const [, head, body = ""] = FRONT_MATTER.exec(text.replace(/^\ufeff/, "")) ?? []
    const fields = head === undefined ? undefined : yamlFields(head)
    if (fields !== undefined) return { from, fields, body: body.replaceAll("\r\n", "\n").trim() }
    const quarantine = head === undefined ? "no front matter" : "front matter that is not YAML"
    return { unusable: { from, quarantine, original: cutAt(text, MAX_KEPT_CHARS) } }
  } catch (error) {
    return { unusable: { from, quarantine: "cannot be read", original: String(error) } }
  }
}

/** The fields of a YAML text; undefined where it has none. Values stay as they are written: `1.10` is no number. */
function yamlFields(text: string): Record<string, unknown> | undefined {
  // Older versions of Backlog.md write names such as @ada without quotes.
  const quoted = text.replaceAll(/(^|[\s[,])(@[\w./-]+)/gm, '$1"$2"')
  try {
    // Without aliases, of which a few can stand for millions of values.
    return objectFrom(parse(quoted, { schema: "failsafe", maxAliasCount: 0 }))
  } catch {
    return undefined // The caller says so.
  }
}

export interface Config {
  name: string
  /** The project's own statuses, in order. */
  statuses: string[]
  found: SourceRecord | undefined
}

/** The project's name and its statuses; the file is in the folder, or beside it. */
export async function readConfig(root: string): Promise<Config> {
  for (const file of ["config.yml", "config.yaml", "../backlog.config.yml"]) {
    const text = await readFile(join(root, file), "utf8").catch(() => undefined)
    if (text === undefined) continue
    const fields = yamlFields(text)
    const original = cutAt(text, MAX_KEPT_CHARS)
    return {
      name: textIn(fields, "project_name") ?? UNNAMED,
      statuses: [fields?.["statuses"] ?? []].flat().flatMap((each) => textFrom(each) ?? []),
      found:
        fields === undefined
          ? { from: file, quarantine: "configuration that is not YAML", original }
          : { from: file, records: [] },
    }
  }
  return { name: UNNAMED, statuses: [], found: undefined }
}

/** A part of a page below a heading of the second level, without the tool's own marks. */
export interface Section {
  title: string
  text: string
}

/** The sections of a text; the text before the first heading has no title. Headings between two marks are text. */
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

/** A date of Backlog.md, which is in UTC, as a time; undefined where there is none. */
export function dateOf(value: unknown): string | undefined {
  const text = textFrom(value) ?? ""
  const [, year, month, day, time] = /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d:\d\d))?/.exec(text) ?? []
  const [, oldDay, oldMonth, oldYear] = /^(\d\d)[-/.](\d\d)[-/.](\d\d)$/.exec(text) ?? []
  const date = year === undefined ? `20${oldYear}-${oldMonth}-${oldDay}` : `${year}-${month}-${day}`
  const ms = Date.parse(`${date}T${time ?? "00:00"}Z`)
  return Number.isFinite(ms) ? new Date(ms).toISOString() : undefined
}

const UNNAMED = "Backlog"
const FRONT_MATTER = /^---[ \t]*\r?\n([\s\S]*?)(?:\r?\n)?---[ \t]*(?:\r?\n([\s\S]*))?$/
const MARK = /^\s*<!-- (SECTION:[A-Z_]+|AC|DOD|COMMENTS):(BEGIN|END) -->\s*$/
const MAX_BYTES = 4_000_000
const MAX_KEPT_CHARS = 20_000
