import { readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { cutAt, textFrom } from "../fields.ts"
import type { Found } from "../found.ts"
import { type Page, readPage } from "./front-matter.ts"
import { yamlFields } from "./yaml-fields.ts"

interface Config {
  name: string
  statuses: string[]
  file: string
  fault: string | undefined
  text: string
}

/** The project's name and its statuses; the file lies in the folder, or beside it. */
export async function configOf(root: string): Promise<Config> {
  for (const file of ["config.yml", "config.yaml", "../backlog.config.yml"]) {
    const text = await readFile(join(root, file), "utf8").catch(() => undefined)
    if (text === undefined) continue
    const fields = fieldsOf(text)
    const fault = fields === undefined ? "configuration that is not YAML" : undefined
    const statuses = Array.isArray(fields?.["statuses"])
      ? fields["statuses"].flatMap((each) => textFrom(each) ?? [])
      : []
    return {
      name: textFrom(fields?.["project_name"]) ?? UNNAMED,
      statuses,
      file,
      fault,
      text: cutAt(text, MAX_KEPT_CHARS),
    }
  }
  return { name: UNNAMED, statuses: [], file: "", fault: undefined, text: "" }
}

function fieldsOf(text: string): Record<string, unknown> | undefined {
  try {
    return yamlFields(text)
  } catch {
    return undefined // The caller says so.
  }
}

export type PageFile = { from: string; page: Page } | { found: Found }

/** Every file of a folder, in order: a page, or why it is none. Links are not followed, they may lead anywhere. */
export async function* pagesIn(root: string, folder: string): AsyncGenerator<PageFile> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])
  const isDeep = folder === "docs" || folder.startsWith("docs/")
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const from = `${folder}/${entry.name}`
    if (entry.isDirectory()) {
      if (isDeep) yield* pagesIn(root, from)
      else yield { found: { from, ignore: "a folder that Backlog.md does not look into" } }
    } else if (entry.isSymbolicLink())
      yield { found: { from, ignore: "a link: it may lead out of the folder" } }
    else if (!entry.isFile() || !entry.name.endsWith(".md"))
      yield { found: { from, ignore: "not a Markdown file" } }
    else if (/^readme\.md$/i.test(entry.name))
      yield { found: { from, ignore: "about the folder, no record" } }
    else yield await pageOf(root, from)
  }
}

async function pageOf(root: string, from: string): Promise<PageFile> {
  const path = join(root, from)
  try {
    const { size } = await stat(path)
    if (size > MAX_BYTES)
      return { found: { from, quarantine: "too large to be one page", original: { bytes: size } } }
    const text = await readFile(path, "utf8")
    const page = readPage(text)
    if (!("fault" in page)) return { from, page }
    return { found: { from, quarantine: page.fault, original: cutAt(text, MAX_KEPT_CHARS) } }
  } catch (error) {
    return { found: { from, quarantine: "cannot be read", original: String(error) } }
  }
}

const UNNAMED = "Backlog"
const MAX_BYTES = 4_000_000
const MAX_KEPT_CHARS = 20_000
