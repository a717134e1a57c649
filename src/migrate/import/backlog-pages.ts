import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { parse } from "yaml"
import { orUndefined } from "../../shared/lenient-files.ts"
import { cutAt, type Fields, objectFrom, textFrom, textIn } from "../records/fields.ts"
import { readSource } from "../records/json-items.ts"
import type { SourceRecord } from "../records/report.ts"

export interface Page {
  from: string
  fields: Fields
  body: string
}

type NoPage = Extract<SourceRecord, { quarantine: string } | { ignore: string }>

/** Reads each file of a folder as a page, or says why it is not used. Symbolic links are not followed. */
export async function* pagesIn(root: string, folder: string): AsyncGenerator<Page | NoPage> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])
  const isDeep = folder === "docs" || folder.startsWith("docs/")
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const from = `${folder}/${entry.name}`
    if (entry.isDirectory() && isDeep) yield* pagesIn(root, from)
    else if (entry.isDirectory()) yield { from, ignore: "a folder that Backlog.md does not read" }
    else if (entry.isSymbolicLink()) yield { from, ignore: "a symbolic link: it may lead elsewhere" }
    else if (!entry.isFile() || !from.endsWith(".md")) yield { from, ignore: "not a Markdown file" }
    else if (/\/readme\.md$/i.test(from)) yield { from, ignore: "about the folder, not a record" }
    else yield await readPage(root, from)
  }
}

async function readPage(root: string, from: string): Promise<Page | NoPage> {
  const text = await readSource({ path: join(root, from), name: from }, MAX_BYTES)
  if (typeof text !== "string") return text
  const [, head, body = ""] = FRONT_MATTER.exec(text) ?? []
  const fields = head === undefined ? undefined : yamlFields(head)
  if (fields !== undefined) return { from, fields, body: body.replaceAll("\r\n", "\n").trim() }
  const quarantine = head === undefined ? "no front matter" : "front matter that is not YAML"
  return { from, quarantine, original: cutAt(text, MAX_KEPT_CHARS) }
}

/** Parses YAML; undefined if it is invalid. Values stay text: `1.10` is not read as a number. */
function yamlFields(text: string): Fields | undefined {
  // Older versions of Backlog.md write names such as @ada without quotes, which is not valid YAML.
  const quoted = text.replaceAll(/(^|[\s[,])(@[\w./-]+)/gm, '$1"$2"')
  // Aliases are not allowed, because a few of them can expand to millions of values.
  return orUndefined(() => objectFrom(parse(quoted, { schema: "failsafe", maxAliasCount: 0 })))
}

export async function readConfig(root: string) {
  for (const file of ["config.yml", "config.yaml", "../backlog.config.yml"]) {
    const text = await readFile(join(root, file), "utf8").catch(() => undefined)
    if (text === undefined) continue
    const fields = yamlFields(text)
    const original = cutAt(text, MAX_KEPT_CHARS)
    const found: SourceRecord =
      fields === undefined
        ? { from: file, quarantine: "configuration that is not YAML", original }
        : { from: file, records: [] }
    const statuses = [fields?.["statuses"] ?? []].flat().flatMap((each) => textFrom(each) ?? [])
    return { name: textIn(fields, "project_name") ?? UNNAMED, statuses, found }
  }
  return { name: UNNAMED, statuses: [], found: undefined }
}

/** A second-level section of a page, without the comments that mark Backlog.md's own sections. */
export interface Section {
  title: string
  text: string
}

/** Splits a page at its second-level headings. Headings between Backlog.md's BEGIN and END comments do not count. */
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

/** Converts a date of Backlog.md, which is in UTC, to ISO text. Undefined if there is none. */
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
const MAX_BYTES = 4 << 20
const MAX_KEPT_CHARS = 20_000
