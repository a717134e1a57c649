import { posix } from "node:path"
import type { DeadReference, DocumentEntry } from "../../../schemas/project-map.ts"
import type { Pausing } from "../../../shared/slices.ts"
import { folderOf } from "../listing/scanned-files.ts"
import { anchorsOf } from "./anchors.ts"
import type { ParsedDocument } from "./parse-document.ts"

export interface ScannedDocument {
  path: string
  type: DocumentEntry["type"]
  parsed: ParsedDocument
}

export interface References {
  dead: DeadReference[]
  /** By document: those of the project that it links to. */
  links: Map<string, string[]>
}

/**
 * Follows the relative links of all documents. A link counts as dead only where somebody who reads the file would find
 * nothing: routes of a site, placeholders, templates and what leads out of the project are not judged.
 */
export function* followReferences(
  documents: readonly ScannedDocument[],
  exists: (path: string) => boolean,
  isSite: (path: string) => boolean,
): Pausing<References> {
  const byPath = new Map(documents.map((document) => [document.path, document]))
  const anchors = new Map<string, (anchor: string) => boolean>()
  const found: References = { dead: [], links: new Map() }

  function hasAnchor({ path, parsed }: ScannedDocument, anchor: string): boolean {
    const known = anchors.get(path) ?? anchorsOf(parsed)
    anchors.set(path, known)
    return known(anchor)
  }

  for (const document of documents) {
    const linked = new Set<string>()
    for (const [target, line] of document.parsed.links) {
      yield
      const reference = readTarget(document.path, target)
      if (reference === undefined) continue
      const path = CANDIDATES.map((candidate) => candidate(reference.path)).find(exists)
      const known = path === undefined ? undefined : byPath.get(path)
      if (path !== undefined && path !== document.path && known !== undefined) linked.add(path)
      const why =
        path === undefined
          ? whyMissing(document, reference.path, isSite)
          : known !== undefined && reference.anchor !== "" && !hasAnchor(known, reference.anchor)
            ? `${path === document.path ? "this document" : path} has no heading "${reference.anchor}"`
            : undefined
      if (why !== undefined && isJudged(document)) found.dead.push({ path: document.path, line, target, why })
    }
    found.links.set(document.path, [...linked])
  }
  return found
}

/** A changelog tells of what was there once, a template of what will be, and what tests read of what never was. */
function isJudged({ path, type }: ScannedDocument): boolean {
  if (type === "changelog" || type === "template") return false
  return type === "readme" || !/(^|\/)(tests?|__tests__|mocks?)\//i.test(path)
}

function whyMissing(
  document: ScannedDocument,
  path: string,
  isSite: (path: string) => boolean,
): string | undefined {
  const isPage = /\.(md|mdx|markdown|rst)$/i.test(path)
  if (!isPage && (isSite(document.path) || /\.mdx$/i.test(document.path))) return undefined
  const name = posix.basename(path)
  // `[text](url)`: a word alone is no path, unless it is one of those that every project has.
  if (!name.includes(".") && !path.includes("/") && !/^[A-Z]+$/.test(name)) return undefined
  return "there is no such file"
}

/** The file and the anchor that a link means; undefined where it is not one of the project's files. */
function readTarget(from: string, target: string): { path: string; anchor: string } | undefined {
  if (/^\(?([a-z][a-z0-9+.-]*:|\/\/|\/|#\/|~)/i.test(target) || PLACEHOLDER.test(target)) return undefined
  const [before = "", ...after] = target.split("#")
  const [file, anchor] = [decoded(before.split("?")[0] ?? ""), decoded(after.join("#"))]
  if (file === "" && after.length === 0) return undefined
  const path = file === "" ? from : posix.normalize(posix.join(folderOf(from), file)).replace(/\/+$/, "")
  if (path.startsWith("..") || path === "." || path === "") return undefined
  return { path, anchor }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // A percent sign that stands for itself.
  }
}

// How people write a page that is built later.
const CANDIDATES: ((path: string) => string)[] = [
  (path) => path,
  (path) => `${path}.md`,
  (path) => `${path}.mdx`,
  (path) => `${path}/index.md`,
  (path) => `${path}/README.md`,
  (path) => path.replace(/\.html?$/, ".md"),
  (path) => path.replace(/\/index\.html?$/, "/README.md"),
]
const PLACEHOLDER =
  /[{}<>$*|\\[\]…]|\.\.\.|%[A-Z_]{3,}|(^|\/)(path\/to|your[-_]|example\/path|link[-_]to|xxx+)/i
