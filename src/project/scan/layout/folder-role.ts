import type { Folder } from "../../../schemas/project-map.ts"

/** What was counted in a folder and below it. */
export interface FolderCount {
  files: number
  documents: number
  tests: number
  /** Files in a programming language, styles and recipes aside. */
  code: number
  languages: Map<string, { files: number; lines: number }>
}

/** What a folder is for: its name says it, or most of its files do. */
export function roleOf(
  path: string,
  { files, documents, tests, code, languages }: FolderCount,
): Folder["role"] {
  const [top = "", below] = path.toLowerCase().split("/")
  const above = BY_NAME.get(top)
  const own = below === undefined ? above : (roleBelow(below) ?? above)
  // Code that is called `config` or `deploy` is code.
  if (own !== undefined && !(own === "configuration" && code > files / 2)) return own
  if (REPORTS.test(top) && code < files / 2) return "not ours"
  // Where tests lie beside what they test, they may well be most of the files.
  if (tests > files * 0.8) return "tests"
  if (documents > files / 2) return "documents"
  return languages.size > 0 ? "source" : "other"
}

/** Deeper down fewer names mean the same everywhere: `src/tools` is a part of the program. */
function roleBelow(name: string): Folder["role"] | undefined {
  const role = BY_NAME.get(name)
  return role !== undefined && ANYWHERE.has(role) ? role : undefined
}

const ANYWHERE: ReadonlySet<Folder["role"]> = new Set([
  "tests",
  "documents",
  "examples",
  "benchmarks",
  "assets",
  "not ours",
])
const NAMES: [role: Folder["role"], names: string][] = [
  ["tests", "test tests __tests__ testing e2e testdata fixtures integration-tests"],
  ["documents", "docs doc documentation adr adrs decisions rfcs wiki"],
  ["examples", "example examples demo demos sample samples playground"],
  ["scripts", "scripts script tools tooling hack bin"],
  ["benchmarks", "bench benches benchmark benchmarks perf"],
  ["assets", "assets public static images img media fonts locales i18n translations"],
  [
    "configuration",
    "config configs .config etc .vscode .idea .devcontainer deploy k8s helm docker .docker .husky .changeset",
  ],
  ["ci", ".github .gitlab .circleci .azure-pipelines .buildkite ci"],
  [
    "rules",
    ".cursor .claude .opencode .windsurf .gemini .codex .roo .clinerules .agents .specify .agent-os agent-os .bmad-core _bmad .planning .kiro .taskmaster openspec",
  ],
  [
    "not ours",
    "vendor vendored third_party third-party node_modules external dist .yarn playwright-report htmlcov allure-report storybook-static",
  ],
]
// What a run of the tests has left; a program may have a part of that name.
const REPORTS = /^(?:coverage|test-results)$/
const BY_NAME = new Map(
  NAMES.flatMap(([role, names]) => names.split(" ").map((name) => [name, role] as const)),
)
