import { posix } from "node:path"
import type { DeadReference, DocumentEntry, ProjectMap } from "../../schemas/project-map.ts"
import { orUndefined } from "../../shared/lenient-files.ts"
import type { Pausing } from "../../shared/slices.ts"
import { shorten } from "../../shared/text/clean.ts"
import { folderOf, nameOf } from "../project-path.ts"
import type { ParsedDocument } from "./markdown.ts"
import { isBeside, isNotOurs, type ScannedFiles } from "./scanned-files.ts"

export function* findDocuments(
  files: ScannedFiles,
  parsed: ReadonlyMap<string, ParsedDocument>,
  exists: (path: string) => boolean,
  isGoverned: (path: string) => boolean,
): Pausing<Pick<ProjectMap, "documents" | "dead_references">> {
  const documents: ScannedDocument[] = []
  for (const [path, document] of parsed) {
    yield
    if (isNotOurs(path) || FIXTURE.test(path)) continue
    documents.push({ path, type: classify(path, document.outline), parsed: document })
  }
  const { dead: all, links } = yield* followReferences(
    documents,
    exists,
    files.paths.some((path) => SITE_FILE.test(nameOf(path)) && !isBeside(path)),
  )
  // Dead references in the files of another planning framework are not reported.
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
    dead_references: dead
      .slice(0, MAX_DEAD)
      .map((reference) => ({ ...reference, target: shorten(reference.target, MAX_TARGET) })),
  }
}

const MAX_DEAD = 500
const MAX_TITLE = 120
const MAX_TARGET = 300

export function countTypes(documents: readonly DocumentEntry[]): Map<DocumentEntry["type"], number> {
  const counts = new Map<DocumentEntry["type"], number>()
  for (const { type } of documents) counts.set(type, (counts.get(type) ?? 0) + 1)
  return counts
}

/** The type of a document by its name, its folders or its headings. If several tests fit, the first one below counts. */
export function classify(path: string, headings: readonly string[]): DocumentEntry["type"] {
  const [, folders = "", name = path] = /^(.*\/)?([^/]*)$/.exec(path) ?? []
  const word = name.replace(/\.\w+$/, "")
  const lower = word.toLowerCase()
  const at = `/${folders.toLowerCase()}`
  if (/^readme/.test(lower)) return "readme"
  if (TEMPLATE.test(lower) || /\/[\w-]*templates?\//.test(at)) return "template"
  if (RULES.test(word) || (folders === "" && RULES_AT_TOP.test(word)) || RULES_FOLDER.test(at)) return "rules"
  if (ADR_FOLDER.test(at)) return /^(index|template)/.test(lower) ? "guide" : "adr"
  if (/\/(tests?|__tests__)\//.test(at)) return "other"
  if (word === "SKILL" || (PROMPT_FOLDER.test(at) && !GUIDE_FOLDER.test(at))) return "prompt"
  for (const [type, pattern] of BY_NAME) if (pattern.test(lower)) return type
  for (const [type, pattern] of BY_FOLDER) if (pattern.test(at)) return type
  const said = new Set(headings.map((heading) => heading.toLowerCase().replace(/^[\d.\s]+/, "")))
  const isDecision = said.has("status") && said.has("context") && said.has("decision")
  if (isDecision || said.has("context and problem statement")) return "adr"
  return GUIDE_FOLDER.test(at) ? "guide" : "other"
}

export function isDocument(path: string): boolean {
  return (
    /\.(md|mdx|mdc|markdown|rst|adoc)$/i.test(path) ||
    /(^|\/)\.(cursorrules|windsurfrules|clinerules)$/.test(path)
  )
}

type Pattern = [type: DocumentEntry["type"], pattern: RegExp]

const FIXTURE = /(^|\/)(fixtures?|__fixtures__|testdata|test-data|__snapshots__)\//i
const RULES =
  /^(AGENTS|CLAUDE|GEMINI|\.cursorrules|\.windsurfrules|\.clinerules|copilot-instructions|constitution)$|\.instructions$/
const RULES_AT_TOP = /^(agents|claude|gemini)$/i
const RULES_FOLDER = /\/(\.cursor\/rules|\.windsurf\/rules|\.clinerules|\.kiro\/steering)\//
const TEMPLATE = /(^|[-_. ])templates?$|^template|issue_template|pull_request_template/
const ADR_FOLDER = /\/(adrs?|decisions|decision-records?|architecture-decisions)\//
const PROMPT_FOLDER =
  /\/(skills?|[\w-]+-skills|commands?|prompts?|agents?|chatmodes|\.claude|\.opencode|\.codex|\.github\/workflows)\//
const BY_NAME: Pattern[] = [
  ["changelog", /^(changelog|changes|history|news|release[-_ ]?notes|releases)([-_.]|$)/],
  [
    "policy",
    /^(code[-_]of[-_]conduct|security|license|licence|governance|support|maintainers|authors|codeowners|privacy)([-_.]|$)/,
  ],
  ["prd", /(^|[-_. ])prd([-_. ]|$)|product[-_ ]requirements?/],
  ["adr", /^adr[-_ ]?\d/],
  ["plan", /(^|[-_. ])(plan|roadmap|milestones|backlog|implementation-plan)$|^(tasks|todos?)$/],
  [
    "research",
    /^research([-_. ]|$)|[-_. ](research|spike|investigation|findings|postmortem)$|^(spike|findings|prior-art)/,
  ],
  [
    "spec",
    /(^|[-_. ])(spec|specification|requirements|architecture|design|design-doc|proposal)$|^rfc[-_ ]?\w/,
  ],
  [
    "guide",
    /^(contributing|development|developing|install|installation|getting[-_]?started|quick[-_]?start|usage|tutorial|faq|upgrading|migration|migrating|hacking|building|testing|publishing)([-_. ]|$)|(guide|handbook|manual|how-?to|reference|process)$/,
  ],
]
const BY_FOLDER: Pattern[] = [
  ["prd", /\/prds?\//],
  ["plan", /\/(plans?|roadmaps?|\.planning)\//],
  ["research", /\/(research|spikes?|investigations?)\//],
  ["spec", /\/(specs?|rfcs?|specifications?|proposals?)\//],
]
const GUIDE_FOLDER = /\/(docs?|documentation|guides?|tutorials?|how-?to|wiki|manual|handbook|www|website)\//

interface ScannedDocument {
  path: string
  type: DocumentEntry["type"]
  parsed: ParsedDocument
}

/** Finds dead links, and for each document those it links to. Skips URLs, placeholders, and links out of the project. */
function* followReferences(
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

/** Changelogs link to deleted files, templates to future ones, and test data to made-up ones: they are not checked. */
function isChecked({ path, type }: ScannedDocument): boolean {
  if (type === "changelog" || type === "template") return false
  return type === "readme" || !/(^|\/)(tests?|__tests__|mocks?)\//i.test(path)
}

/** Whether a link should lead to a file. If the project builds a website, only links to Markdown pages should. */
function meansFile(path: string, isSite: boolean): boolean {
  if (isSite) return /\.(md|mdx|markdown|rst)$/i.test(path)
  const name = posix.basename(path)
  return name.includes(".") || path.includes("/") || /^[A-Z]+$/.test(name)
}

/** The path in a link, without its fragment; undefined if the link does not lead to another file of the project. */
function pathOf(from: string, target: string): string | undefined {
  if (/^\(?([a-z][a-z0-9+.-]*:|\/|#|~)/i.test(target) || PLACEHOLDER.test(target)) return undefined
  const text = target.replace(/[?#].*$/, "")
  // Decoding fails if the text has a literal percent sign.
  const file = orUndefined(() => decodeURIComponent(text)) ?? text
  const path = posix.normalize(posix.join(folderOf(from), file)).replace(/\/+$/, "")
  return file === "" || path.startsWith("..") || path === "." || path === "" ? undefined : path
}

// A link means the path itself, or the source of a built page such as `guide.html`.
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
