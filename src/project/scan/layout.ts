import type { Folder, Language } from "../../schemas/project-map.ts"
import { nameOf } from "../project-path.ts"
import { isNotOurs } from "./scanned-files.ts"

export function* findLayout(files: Iterable<readonly [path: string, { lines: number | null }]>) {
  const languages = new Map<string, Language>()
  const folders = new Map<string, FolderCount>()
  let count = 0
  for (const [path, { lines }] of files) {
    if (++count % PAUSE_EVERY === 0) yield
    const language = languageOf(path)
    for (const folder of foldersAbove(path)) {
      const known = folders.get(folder) ?? { files: 0, documents: 0, tests: 0, languages: new Map() }
      folders.set(folder, known)
      known.files++
      if (DOCUMENT.test(path)) known.documents++
      if (TEST_FILE.test(path)) known.tests++
      if (language !== undefined) known.languages.set(language, (known.languages.get(language) ?? 0) + 1)
    }
    if (language === undefined || isNotOurs(path)) continue
    const known = languages.get(language) ?? { name: language, files: 0, lines: 0 }
    languages.set(language, { ...known, files: known.files + 1, lines: known.lines + (lines ?? 0) })
  }
  return {
    languages: [...languages.values()].sort(
      (a, b) => secondaryLast(a.name, b.name) || b.lines - a.lines || b.files - a.files,
    ),
    structure: structureOf(folders),
  }
}

interface FolderCount {
  files: number
  documents: number
  tests: number
  languages: Map<string, number>
}

function foldersAbove(path: string): string[] {
  const [first, second, ...more] = path.split("/", 4)
  if (second === undefined || first === undefined) return []
  return more.length === 0 ? [first] : [first, `${first}/${second}`]
}

/** Lists the folders at the root and, of those with a large share of all files, their largest subfolders. */
function structureOf(folders: ReadonlyMap<string, FolderCount>): Folder[] {
  const bySize = [...folders].sort(([, a], [, b]) => b.files - a.files)
  const top = bySize.filter(([path]) => !path.includes("/"))
  const total = top.reduce((sum, [, { files }]) => sum + files, 0)
  const shown = top.slice(0, MAX_TOP).flatMap(([path, count]) => {
    const isOpened = count.files > total * OPENED_SHARE && !CLOSED.has(roleOf(path, count))
    const below = isOpened ? bySize.filter(([each]) => each.startsWith(`${path}/`)) : []
    return [[path, count] as const, ...below.slice(0, MAX_BELOW)]
  })
  return shown.map(([path, count]) => {
    const role = roleOf(path, count)
    const [most] = [...count.languages].sort(([a, x], [b, y]) => secondaryLast(a, b) || y - x)
    return { path, role, files: count.files, language: role === "documents" ? null : (most?.[0] ?? null) }
  })
}

function secondaryLast(a: string, b: string): number {
  return Number(SECONDARY.has(a)) - Number(SECONDARY.has(b))
}

/** A folder's role by its name, or else by the kind of most of its files. */
function roleOf(path: string, { files, documents, tests, languages }: FolderCount): Folder["role"] {
  const [top = "", below] = path.toLowerCase().split("/")
  let code = 0
  for (const [language, count] of languages) if (!SECONDARY.has(language)) code += count
  const above = ROLE_BY_NAME.get(top)
  // Only some names count below the root: `src/tools` is a part of the program.
  const inner = ROLE_BY_NAME.get(below ?? "")
  const named = inner !== undefined && ANYWHERE.has(inner) ? inner : above
  // A folder `config` or `deploy` that contains mostly code is a source folder.
  if (named !== undefined && !(named === "configuration" && code > files / 2)) return named
  if (REPORTS.test(top) && code < files / 2) return "not ours"
  // A source folder with tests next to the code may have more tests than other files.
  if (tests > files * 0.8) return "tests"
  if (documents > files / 2) return "documents"
  return languages.size > 0 ? "source" : "other"
}

const DOCUMENT = /\.(md|mdx|rst|adoc|txt)$/i
const TEST_FILE =
  /(^|\/)(test_[^/]+\.py|[^/]+(_test\.\w+|\.test\.\w+|\.spec\.\w+|_spec\.rb|Tests?\.(java|kt|cs)))$/
// Folder names of test reports. A folder with mostly code is no report folder.
const REPORTS = /^(?:coverage|test-results)$/
const CLOSED = new Set<Folder["role"]>(["not ours", "assets", "tests", "ci", "examples", "rules"])
const ANYWHERE = new Set<Folder["role"]>([
  ...(["tests", "documents", "examples"] as const),
  ...(["benchmarks", "assets", "not ours"] as const),
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
const ROLE_BY_NAME = new Map(
  NAMES.flatMap(([role, names]) => names.split(" ").map((name) => [name, role] as const)),
)
const PAUSE_EVERY = 200
const MAX_TOP = 40
const MAX_BELOW = 15
const OPENED_SHARE = 0.15

export function languageOf(path: string): string | undefined {
  const name = nameOf(path)
  if (/\.(min|bundle)\.(js|css)$/.test(name)) return undefined
  const dot = name.lastIndexOf(".")
  return BY_NAME.get(name) ?? (dot < 0 ? undefined : BY_ENDING.get(name.slice(dot + 1).toLowerCase()))
}

/** Languages of styles, pages and build files. All others are listed before them, even with fewer lines. */
const SECONDARY = new Set(["CSS", "HTML", "SQL", "Make", "Docker", "Just", "CMake", "Shell", "PowerShell"])
const BY_NAME = new Map(
  Object.entries({
    ...{ Makefile: "Make", Dockerfile: "Docker", justfile: "Just", "CMakeLists.txt": "CMake" },
    ...{ Rakefile: "Ruby", Gemfile: "Ruby" },
  }),
)
const ENDINGS = `TypeScript: ts tsx mts cts; JavaScript: js jsx mjs cjs; Python: py pyi; Go: go; Rust: rs; Java: java;
  Kotlin: kt kts; Scala: scala sc; Groovy: groovy gradle; C: c h; C++: cc cpp cxx hpp hh hxx; C#: cs; F#: fs;
  Swift: swift; Objective-C: m mm; Ruby: rb rake; PHP: php; Elixir: ex exs; Erlang: erl; Haskell: hs; OCaml: ml mli;
  Clojure: clj cljs cljc; Dart: dart; Lua: lua; Perl: pl pm; R: r; Julia: jl; Zig: zig; Nim: nim;
  Shell: sh bash zsh fish; PowerShell: ps1 psm1; SQL: sql; GraphQL: graphql gql; Protobuf: proto; HTML: html htm;
  CSS: css scss sass less; Vue: vue; Svelte: svelte; Astro: astro; Terraform: tf; Nix: nix; Solidity: sol`
const BY_ENDING = new Map(
  ENDINGS.split(/;\s+/).flatMap((entry) => {
    const [language = "", endings = ""] = entry.split(": ")
    return endings.split(" ").map((ending) => [ending, language] as const)
  }),
)
