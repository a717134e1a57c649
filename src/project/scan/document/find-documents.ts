import type { ProjectMap } from "../../../schemas/project-map.ts"
import type { Pausing } from "../../../shared/slices.ts"
import { shorten } from "../../../shared/text/clean.ts"
import { isNotOurs, nameOf, type ScannedFiles } from "../listing/scanned-files.ts"
import { classify, isFixture } from "./classify.ts"
import type { ParsedDocument } from "./parse-document.ts"
import { followReferences, type ScannedDocument } from "./references.ts"
import { siteFolders } from "./sites.ts"

export type Documents = Pick<ProjectMap, "documents" | "dead_references">

/** The project's documents with what they are, what they link to, and which of their links lead nowhere. */
export function* findDocuments(
  files: ScannedFiles,
  parsed: ReadonlyMap<string, ParsedDocument>,
  exists: (path: string) => boolean,
  isGoverned: (path: string) => boolean,
): Pausing<Documents> {
  const documents: ScannedDocument[] = []
  for (const [path, document] of parsed) {
    yield
    if (isNotOurs(path) || isFixture(path)) continue
    documents.push({ path, type: classify(path, document.headings), parsed: document })
  }
  const { dead: all, links } = yield* followReferences(documents, exists, siteFolders(files))
  // What a framework has written is its own to mend.
  const dead = all.filter(({ path }) => !isGoverned(path))
  if (dead.length > MAX_DEAD) files.note(`${dead.length - MAX_DEAD} more dead references are not listed`)
  return {
    documents: documents.map(({ path, type, parsed: { title, outline } }) => ({
      path,
      type,
      title: shorten(title ?? nameOf(path), MAX_TITLE),
      headings: outline.map((heading) => shorten(heading, MAX_TITLE)),
      links: links.get(path) ?? [],
    })),
    dead_references: dead.slice(0, MAX_DEAD).map(({ path, line, target, why }) => ({
      path,
      line,
      target: shorten(target, MAX_TARGET),
      why: shorten(why, MAX_TARGET),
    })),
  }
}

const MAX_DEAD = 500
const MAX_TITLE = 120
const MAX_TARGET = 300
