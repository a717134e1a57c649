import type { DocumentEntry } from "../../../schemas/project-map.ts"

/** What kind of document it is: by its folder where that is made for one kind, by its name, then by its headings. */
export function classify(path: string, headings: readonly string[]): DocumentEntry["type"] {
  const [, folders = "", name = path] = /^(.*\/)?([^/]*)$/.exec(path) ?? []
  const word = name.replace(/\.\w+$/, "")
  const lower = word.toLowerCase()
  const at = `/${folders.toLowerCase()}`
  if (/^readme/.test(lower)) return "readme"
  if (TEMPLATE.test(lower) || /\/[\w-]*templates?\//.test(at)) return "template"
  if (RULES.test(word) || (folders === "" && RULES_AT_TOP.test(word)) || RULES_FOLDER.test(at)) return "rules"
  if (ADR_FOLDER.test(at)) return /^(index|template)/.test(lower) ? "guide" : "adr"
  // What tests are given to read is none of the project's own.
  if (/\/(tests?|__tests__)\//.test(at)) return "other"
  if (word === "SKILL" || (PROMPT_FOLDER.test(at) && !GUIDE_FOLDER.test(at))) return "prompt"
  for (const [type, pattern] of BY_NAME) if (pattern.test(lower)) return type
  for (const [type, pattern] of BY_FOLDER) if (pattern.test(at)) return type
  const said = new Set(headings.map((heading) => heading.toLowerCase().replace(/^[\d.\s]+/, "")))
  const isDecision = said.has("status") && said.has("context") && said.has("decision")
  if (isDecision || said.has("context and problem statement")) return "adr"
  return GUIDE_FOLDER.test(at) ? "guide" : "other"
}

/** Made for tests to read: no document of the project. */
export function isFixture(path: string): boolean {
  return /(^|\/)(fixtures?|__fixtures__|testdata|test-data|__snapshots__)\//i.test(path)
}

export function isDocument(path: string): boolean {
  return (
    /\.(md|mdx|mdc|markdown|rst|adoc)$/i.test(path) ||
    /(^|\/)\.(cursorrules|windsurfrules|clinerules)$/.test(path)
  )
}

type Pattern = [type: DocumentEntry["type"], pattern: RegExp]

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
