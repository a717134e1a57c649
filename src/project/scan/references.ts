import { posix } from "node:path"
import type { DeadReference, DocumentEntry } from "../../schemas/project-map.ts"
import type { Pausing } from "../../shared/slices.ts"
import type { ParsedDocument } from "./markdown.ts"
import { folderOf, isBeside, nameOf } from "./scanned-files.ts"

export interface ScannedDocument {
  path: string
  type: DocumentEntry["type"]
  parsed: ParsedDocument
}

/**
 * Follows the relative links of all documents to files. Links that a reader of the file does not follow are not reported:
 * addresses of a site's pages, placeholders, templates, and links out of the project.
 */
export function* followReferences(
  documents: readonly ScannedDocument[],
  exists: (path: string) => boolean,
  isSite: boolean,
): Pausing<{ dead: DeadReference[]; links: Map<string, string[]> }> {
  const known = new Set(documents.map(({ path }) => path))
  const dead: DeadReference[] = []
  const links = new Map<string, string[]>()
  for (const document of documents) {
    const linked = new Set<string>()
    for (const [target, line] of document.parsed.links) {
      yield
      const wanted = pathOf(document.path, target)
      if (wanted === undefined) continue
      const path = CANDIDATES.map((candidate) => candidate(wanted)).find(exists)
      if (path === undefined) {
        if (isChecked(document) && meansFile(wanted, isSite))
          dead.push({ path: document.path, line, target, why: "there is no such file" })
      } else if (path !== document.path && known.has(path)) linked.add(path)
    }
    links.set(document.path, [...linked])
  }
  return { dead, links }
}

/** Changelogs name files of the past, templates those of the future, and documents that tests read name any. */
function isChecked({ path, type }: ScannedDocument): boolean {
  if (type === "changelog" || type === "template") return false
  return type === "readme" || !/(^|\/)(tests?|__tests__|mocks?)\//i.test(path)
}

/** In a project that builds a site, only links to pages; a word alone (`[text](url)`) is no path. */
function meansFile(path: string, isSite: boolean): boolean {
  if (isSite) return /\.(md|mdx|markdown|rst)$/i.test(path)
  const name = posix.basename(path)
  return name.includes(".") || path.includes("/") || /^[A-Z]+$/.test(name)
}

/** The path that a link leads to, without its heading; undefined where that is no other file of the project. */
function pathOf(from: string, target: string): string | undefined {
  if (/^\(?([a-z][a-z0-9+.-]*:|\/|#|~)/i.test(target) || PLACEHOLDER.test(target)) return undefined
  const file = decoded(target.replace(/[?#].*$/, ""))
  const path = posix.normalize(posix.join(folderOf(from), file)).replace(/\/+$/, "")
  return file === "" || path.startsWith("..") || path === "." || path === "" ? undefined : path
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // A percent sign that stands for itself.
  }
}

/** Whether the project has the configuration of a site generator. */
export function hasSite(paths: readonly string[]): boolean {
  return paths.some((path) => SITE_FILE.test(nameOf(path)) && !isBeside(path))
}

// How people write the address of a page that is built.
const CANDIDATES: ((path: string) => string)[] = [
  (path) => path,
  (path) => `${path}.md`,
  (path) => `${path}.mdx`,
  (path) => `${path}/index.md`,
  (path) => `${path}/README.md`,
  (path) => path.replace(/\.html?$/, ".md"),
]
const PLACEHOLDER =
  /[{}<>$*|\\[\]…]|\.\.\.|%[A-Z_]{3,}|(^|\/)(path\/to|your[-_]|example\/path|link[-_]to|xxx+)/i
const SITE_FILE =
  /^(mkdocs\.ya?ml|docusaurus\.config\.\w+|hugo\.(toml|ya?ml)|astro\.config\.\w+|_config\.ya?ml|antora\.ya?ml|conf\.py|gatsby-config\.\w+|theme\.config\.\w+|docfx\.json)$/
