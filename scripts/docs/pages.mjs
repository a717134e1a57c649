/** The menu: titles, and the pages below each by the path of their source. Other pages of docs/ come after these. */
export const GROUPS = [
  {
    title: "Start",
    files: [
      "README.md",
      "docs/start.md",
      ...["first-steps", "first-steps-claude", "first-steps-codex", "concepts", "recipes"].map(page),
    ],
  },
  {
    title: "Hosts",
    files: [
      "docs/hosts.md",
      "docs/claude-code.md",
      "docs/systems.md",
      ...["opencode", "claude", "codex", "cursor", "gemini", "vscode"].map(hostPage),
    ],
  },
  {
    title: "Reference",
    files: ["commands", "tools", "configuration", "api"].map((name) => `docs/reference/${name}.md`),
  },
  {
    title: "Memory and plans",
    files: ["memory", "rules", "packing", "sessions", "compaction", "split", "research", "detection"].map(
      page,
    ),
  },
  { title: "Safety", files: ["gate", "shell", "snapshots", "security", "reliability"].map(page) },
  { title: "See and share", files: ["dashboard", "panel", "cost", "report", "sync", "queue"].map(page) },
  { title: "Your project", files: ["scan", "codemap", "import", "migrate"].map(page) },
  {
    title: "How it is built",
    files: [
      "docs/storage.md",
      "docs/benchmarks.md",
      "docs/dependencies.md",
      "CONTEXT.md",
      "AGENTS.md",
      "examples/README.md",
    ],
  },
  { title: "The project", files: ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md"] },
]

export function hostPage(name) {
  return `docs/hosts/${name}.md`
}

function page(name) {
  return `docs/${name}.md`
}

/** `docs/hosts/codex.md` is `hosts/codex.html`; the README is the first page. */
export function outputOf(source) {
  if (source === "README.md") return "index.html"
  const inDocs = source.startsWith("docs/") ? source.slice("docs/".length) : `project/${source.toLowerCase()}`
  return inDocs.replace(/README\.md$/, "index.md").replace(/\.md$/, ".html")
}
